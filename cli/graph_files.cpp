// SPDX-License-Identifier: BSD-3-Clause
// Names of a profile's files: see graph_files.hpp.
#include "graph_files.hpp"

#include <filesystem>
#include <system_error>

#include "tofa/graph_io.hpp"

namespace tofa::cli {
namespace {

std::string without(std::string path, const std::string& ending) {
  if (path.ends_with(ending)) path.resize(path.size() - ending.size());
  return path;
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::string file_beside(const std::string& graph, const std::string& ending) {
  const std::string file = without(without(graph, ".bytes.mtx"), ".messages.mtx") + ending;
  return is_file(file) ? file : "";
}

}  // namespace

std::string graph_name(const std::string& graph) {
  std::string name = without(std::filesystem::path(graph).filename().string(), ".mtx");
  for (const char* quantity : {".bytes", ".messages"}) name = without(std::move(name), quantity);
  return name;
}

std::string run_file(const std::string& graph) {
  return file_beside(graph, ".ranks.json");
}

std::string sizes_file(const std::string& graph) {
  return file_beside(graph, ".sizes.txt");
}

std::string other_jobs_file(const std::string& graph) {
  return file_beside(graph, ".other-jobs.txt");
}

std::string graph_file(const std::string& graph, const std::string& quantity,
                       const std::string& part) {
  std::string stem = graph;
  if (const std::string named = traffic_file(graph); !named.empty()) {
    stem = without(without(named, ".bytes.mtx"), ".messages.mtx");
    if (stem == named) return "";  // a name of its own, with nothing beside it
  }
  const std::string file = stem + (part.empty() ? "" : "." + part) + "." + quantity + ".mtx";
  return is_file(file) ? file : "";
}

}  // namespace tofa::cli
