// SPDX-License-Identifier: BSD-3-Clause
// Builds jobs for the planner's C interface and owns its answers.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "planner.h"

namespace tofa::planner {

using Plan = std::unique_ptr<tofa_plan, decltype(&tofa_free_plan)>;

struct Job {
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::string> names;
  std::vector<unsigned> slots;
  std::vector<unsigned> slots_max;               // empty: no limits
  std::vector<unsigned> ranks;                   // per application
  std::vector<std::vector<unsigned>> app_nodes;  // empty: every application may use all nodes
  unsigned cpus_per_rank = 0;
  bool oversubscribe = false;

  // fk00, fk01, ... with the same number of slots each.
  static Job on(std::size_t nodes, unsigned slots_each, unsigned rank_count) {
    Job job;
    for (std::size_t i = 0; i < nodes; ++i) {
      job.names.push_back(std::string("fk") + (i < 10 ? "0" : "") + std::to_string(i));
      job.slots.push_back(slots_each);
    }
    job.ranks = {rank_count};
    return job;
  }

  Job& with(const std::string& key, const std::string& value) {
    settings.emplace_back(key, value);
    return *this;
  }

  Plan plan() const {
    std::vector<tofa_setting> c_settings;
    for (const auto& [key, value] : settings) c_settings.push_back({key.c_str(), value.c_str()});
    std::vector<tofa_node> nodes;
    std::vector<unsigned> all;
    for (unsigned i = 0; i < names.size(); ++i) {
      nodes.push_back({names[i].c_str(), slots[i], slots_max.empty() ? 0 : slots_max[i]});
      all.push_back(i);
    }
    std::vector<tofa_app> apps;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const auto& may_use = app_nodes.empty() ? all : app_nodes[i];
      apps.push_back({ranks[i], may_use.data(), may_use.size()});
    }
    const tofa_job job = {c_settings.data(), c_settings.size(), nodes.data(),
                          nodes.size(),      apps.data(),       apps.size(),
                          cpus_per_rank,     oversubscribe,     nullptr};
    return Plan(tofa_make_plan(&job), tofa_free_plan);
  }
};

inline std::vector<unsigned> nodes_of(const Plan& plan) {
  return {plan->node_of_rank, plan->node_of_rank + plan->ranks};
}

inline std::vector<std::string> warnings_of(const Plan& plan) {
  return {plan->warnings, plan->warnings + plan->warning_count};
}

inline std::string text(const char* maybe) {
  return maybe ? maybe : "";
}

// A folder of its own, and no defaults from the caller's environment.
class PlannerTest : public ::testing::Test {
 protected:
  PlannerTest() {
    std::string pattern = ::testing::TempDir() + "planner-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    for (const char* name : {"TOFA_TOPOLOGY", "TOFA_OUTAGES", "TOFA_HEALTH", "TOFA_LINK_LOAD",
                             "SLURM_JOB_ID", "SLURM_TOPOLOGY"})
      ::unsetenv(name);
    ::setenv("TOFA_SITE_FILE", (folder_ / "none.toml").c_str(), 1);
  }
  ~PlannerTest() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& contents) {
    std::ofstream(folder_ / name) << contents;
    return folder_ / name;
  }

  std::string program(const std::string& name, const std::string& script) {
    const std::string path = write(name, "#!/bin/sh\n" + script);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  std::filesystem::path folder_;
};

}  // namespace tofa::planner
