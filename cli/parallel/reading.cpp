// SPDX-License-Identifier: BSD-3-Clause
// Reading together: see reading.hpp.
#include "reading.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"
#include "tofa/traffic_source.hpp"

namespace tofa::cli {
namespace {

class Distribution {
 public:
  Distribution(Processes& processes, Rank ranks)
      : processes_(processes),
        bounds_(even_bounds(ranks, processes.count())),
        rows_(bounds_[processes.rank()], bounds_[processes.rank() + 1]) {}

  // All that the sources of all processes have.
  void take(TrafficSource& source) {
    for (bool more = true; processes_.any(more);) {
      std::vector<TrafficEntry> entries;
      std::vector<std::vector<TrafficEntry>> to(processes_.count());
      processes_.together([&] {
        more = more && source.next(entries);
        for (const TrafficEntry& entry : entries) {
          if (entry.sender == entry.receiver || entry.value == 0) continue;
          to[owner(entry.sender)].push_back(entry);
          to[owner(entry.receiver)].push_back({entry.receiver, entry.sender, entry.value});
        }
      });
      const std::vector<TrafficEntry> came = processes_.exchange(std::move(to));
      processes_.together([&] { rows_.add(came); });
    }
    const std::uint64_t read = processes_.sum(source.read());
    processes_.together([&] { source.check_total(read); });
  }

  RankRows finish() {
    RankRows rows;
    processes_.together([&] { rows = rows_.finish(); });
    return rows;
  }

 private:
  std::size_t owner(Rank rank) const {
    return static_cast<std::size_t>(std::upper_bound(bounds_.begin(), bounds_.end(), rank) -
                                    bounds_.begin()) -
           1;
  }

  Processes& processes_;
  std::vector<Rank> bounds_;
  RowCollector rows_;
};

PartOf part_of(const Processes& processes) {
  return {processes.rank(), processes.count()};
}

// Of files NAME.part-K.mtx: one more than the highest K.
std::size_t count_parts(const std::string& name) {
  const std::filesystem::path path(name);
  const std::string begin = path.filename().string() + ".part-", end = ".mtx";
  std::size_t count = 0;
  std::error_code none;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(begin) || !file.ends_with(end)) continue;
    if (file.size() < begin.size() + end.size()) continue;
    const auto digits = file.substr(begin.size(), file.size() - begin.size() - end.size());
    if (const auto number = parse_number<std::size_t>(digits)) count = std::max(count, *number + 1);
  }
  return count;
}

}  // namespace

std::vector<std::string> files_of_graph(const std::string& name) {
  if (std::string file = name + ".bytes.mtx"; path_exists(file)) return {std::move(file)};
  std::vector<std::string> parts;
  const std::size_t count = count_parts(name);
  for (std::size_t number = 0; number < count; ++number) {
    parts.push_back(fmt::format("{}.part-{}.mtx", name, number));
    if (!path_exists(parts.back())) {
      throw Error(
          ErrorKind::bad_input, parts.back(), 0,
          "is missing among the parts of the graph, and what it has of the traffic with it");
    }
  }
  // A program often lies beside its profile under the name that is the stem.
  if (parts.empty() && path_exists(name)) return {name};
  if (parts.empty()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("there is no graph {0}, {0}.bytes.mtx or {0}.part-0.mtx; name a Matrix "
                            "Market file or the parts of one",
                            name));
  }
  return parts;
}

DistributedRows read_files(Processes& processes, const std::vector<std::string>& files) {
  std::optional<Distribution> distribution;
  Rank ranks = 0;
  for (const std::string& file : files) {
    std::unique_ptr<TrafficSource> source;
    processes.together([&] {
      source = open_matrix_part(file, part_of(processes));
      if (distribution && source->ranks() != ranks) {
        throw Error(ErrorKind::bad_input, file, 0,
                    fmt::format("has {} ranks, but {} has {}; parts of a graph are all of its size",
                                source->ranks(), files.front(), ranks));
      }
      if (source->ranks() == 0) throw Error(ErrorKind::bad_input, file, 0, "has no ranks to place");
    });
    ranks = source->ranks();
    if (!distribution) distribution.emplace(processes, ranks);
    distribution->take(*source);
  }
  return {ranks, distribution->finish()};
}

DistributedRows generate(Processes& processes, const std::string& what, std::uint64_t seed) {
  std::unique_ptr<TrafficSource> source;
  processes.together([&] { source = generate_traffic_part(what, seed, part_of(processes)); });
  Distribution distribution(processes, source->ranks());
  distribution.take(*source);
  return {source->ranks(), distribution.finish()};
}

}  // namespace tofa::cli
