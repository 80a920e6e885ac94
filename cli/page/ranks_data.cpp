// SPDX-License-Identifier: BSD-3-Clause
// Ranks one by one: see ranks_data.hpp.
#include "page/ranks_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <vector>

#include "page/packed.hpp"
#include "tofa/units.hpp"

namespace tofa::cli {
namespace {

using Json = nlohmann::ordered_json;

class Columns {
 public:
  void add_names(const char* title, const std::vector<std::string>& names) {
    list_.push_back({{"title", title}, {"names", names}});
  }

  void add(const char* title, const char* unit, const std::vector<double>& values) {
    if (!values.empty())
      list_.push_back({{"title", title}, {"unit", unit}, {"values", packed_doubles(values)}});
  }

  Json take() { return std::move(list_); }

 private:
  Json list_ = Json::array();
};

void add_traffic(Columns& columns, const Traffic& traffic) {
  const bool bytes = !counts_messages(traffic);
  std::vector<double> sent(traffic.ranks);
  std::vector<double> received(traffic.ranks);
  for (const TrafficEntry& entry : traffic.entries) {
    sent[entry.sender] += static_cast<double>(entry.value);
    received[entry.receiver] += static_cast<double>(entry.value);
  }
  columns.add(bytes ? "sent" : "messages sent", bytes ? "bytes" : "count", sent);
  columns.add(bytes ? "received" : "messages received", bytes ? "bytes" : "count", received);
}

void add_times(Columns& columns, const RunFacts& facts) {
  columns.add("run time", "seconds", facts.run_seconds);
  columns.add("in MPI", "seconds", facts.mpi_seconds);
  std::vector<double> shares;
  for (std::size_t i = 0; i < facts.mpi_seconds.size(); ++i) {
    const double all = facts.run_seconds[i];
    shares.push_back(all > 0 ? 100 * facts.mpi_seconds[i] / all : 0);
  }
  columns.add("of its time", "percent", shares);
  columns.add("MPI calls", "count", facts.mpi_calls);
}

void add_other_jobs(Columns& columns, const std::vector<OtherJobTraffic>& rows, Rank ranks) {
  if (rows.empty()) return;
  std::vector<double> sent(ranks);
  std::vector<double> fetched(ranks);
  for (const OtherJobTraffic& row : rows) {
    std::vector<double>& bytes = row.traffic_class == kFetchedClass ? fetched : sent;
    bytes[row.rank] += static_cast<double>(row.bytes);
  }
  columns.add("to other jobs", "bytes", sent);
  if (std::any_of(fetched.begin(), fetched.end(), [](double bytes) { return bytes > 0; }))
    columns.add("fetched from other jobs", "bytes", fetched);
}

}  // namespace

Json ranks_json(const PageContents& contents, const CommGraph& graph) {
  const TrafficPart& first = contents.parts.front();
  const Rank ranks = first.traffic.ranks;
  if (ranks > kMostListedRanks) return nullptr;
  Columns columns;
  if (!contents.run.hosts.empty()) columns.add_names("ran on", contents.run.hosts);
  if (contents.machine) {
    const Topology& topology = contents.machine->topology;
    std::vector<std::string> names;
    for (const Node node : contents.machine->after)
      names.push_back(topology.name(topology.host(node)));
    columns.add_names("after", names);
  }
  std::vector<double> partners;
  for (Rank rank = 0; rank < ranks; ++rank)
    partners.push_back(static_cast<double>(graph.partners(rank).size()));
  columns.add("partners", "count", partners);
  for (const TrafficPart& part : contents.parts)
    if (part.phase == 0 && part.name == first.name) add_traffic(columns, part.traffic);
  add_times(columns, contents.run.facts);
  add_other_jobs(columns, contents.run.other_jobs, ranks);
  return {{"ranks", ranks}, {"columns", columns.take()}};
}

Json other_jobs_rows(const PageRun& run) {
  Json rows = Json::array();
  for (const OtherJobSum& job : sum_other_jobs(run.other_jobs)) {
    rows.push_back({{"job", job.job},
                    {"way", job.fetched ? "fetched from it" : "sent to it"},
                    {"bytes", human_bytes(static_cast<double>(job.bytes))},
                    {"messages", std::to_string(job.messages)},
                    {"ranks", std::to_string(job.ranks)},
                    {"peers", std::to_string(job.peers)}});
  }
  return rows;
}

std::string run_text(const PageRun& run) {
  std::vector<std::string> parts;
  if (!run.facts.command.empty()) parts.push_back(run.facts.command);
  if (!run.facts.date.empty()) parts.push_back(run.facts.date);
  if (!run.facts.open_mpi.empty()) parts.push_back("Open MPI " + run.facts.open_mpi);
  const std::size_t hosts = std::set<std::string>(run.hosts.begin(), run.hosts.end()).size();
  if (hosts == 1) parts.push_back("on " + run.hosts.front());
  if (hosts > 1) parts.push_back(fmt::format("on {} hosts", hosts));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace tofa::cli
