// SPDX-License-Identifier: BSD-3-Clause
// `tofa graph recover`: makes the files of a profile from what the ranks of a job that died had
// counted.
#include "graph_recover.hpp"

#include <fmt/format.h>

#include <memory>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/rank_counts.hpp"

namespace tofa::cli {
namespace {

struct RecoverOptions {
  std::string stem;
  std::string output;
  bool running = false;
  bool keep = false;
  bool overwrite = false;
};

struct ResultFile {
  std::string path;
  TrafficClass traffic_class;
  bool messages;
  bool estimated = false;
};

// In the order in which they are written: the one that readers look for last.
std::vector<ResultFile> result_files(const std::string& stem,
                                     const std::vector<RankCounts>& counts) {
  std::vector<ResultFile> files;
  for (std::size_t i = 0; counts.front().apart && i < kTrafficClasses; ++i) {
    const auto traffic_class = static_cast<TrafficClass>(i);
    const bool always =
        traffic_class == TrafficClass::user || traffic_class == TrafficClass::collective;
    if (!always && recover_traffic(counts, traffic_class, true).entries.empty()) continue;
    const std::string name = fmt::format("{}.{}", stem, class_name(traffic_class));
    files.push_back({name + ".messages.mtx", traffic_class, true});
    files.push_back({name + ".bytes.mtx", traffic_class, false});
  }
  if (!recover_estimated(counts, true).entries.empty()) {
    files.push_back({stem + ".estimated.messages.mtx", TrafficClass::all, true, true});
    files.push_back({stem + ".estimated.bytes.mtx", TrafficClass::all, false, true});
  }
  files.push_back({stem + ".messages.mtx", TrafficClass::all, true});
  files.push_back({stem + ".bytes.mtx", TrafficClass::all, false});
  return files;
}

std::string without_suffix(const std::string& stem) {
  constexpr std::string_view suffix = ".counts";
  const std::string text = stem.ends_with('/') ? stem.substr(0, stem.size() - 1) : stem;
  return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : stem;
}

void refuse_to_replace(const std::string& path, const RecoverOptions& options) {
  if (options.overwrite || !path_exists(path)) return;
  throw Error(ErrorKind::unmet, path, 0,
              "is there already; name another place with -o, or add --overwrite");
}

void recover(const RecoverOptions& options) {
  const std::string stem = without_suffix(options.stem);
  const std::string output = options.output.empty() ? stem : options.output;
  const std::vector<RankCounts> counts = read_rank_counts(stem, options.running);
  const std::vector<ResultFile> files = result_files(output, counts);
  const std::string other_jobs = recover_other_jobs(counts);
  const std::string other_jobs_path = output + ".other-jobs.txt";
  for (const ResultFile& file : files) refuse_to_replace(file.path, options);
  if (!other_jobs.empty()) {
    refuse_to_replace(other_jobs_path, options);
    write_file_atomically(other_jobs_path, other_jobs);
  }
  for (const ResultFile& file : files) {
    write_traffic(file.estimated ? recover_estimated(counts, file.messages)
                                 : recover_traffic(counts, file.traffic_class, file.messages),
                  file.path, "mtx");
  }
  std::vector<Rank> partial;
  for (const RankCounts& one : counts) {
    if (!one.complete) partial.push_back(one.rank);
  }
  fmt::print("{}.bytes.mtx and .messages.mtx: {} of {} ranks{}\n", output, counts.size(),
             counts.front().ranks,
             partial.empty()
                 ? ""
                 : fmt::format(", of rank {} what it had sent when it ended", rank_list(partial)));
  if (!options.keep && !options.running) remove_rank_counts(stem);
}

}  // namespace

void add_graph_recover(Command& graph) {
  auto options = std::make_shared<RecoverOptions>();
  Command* command =
      graph.add_subcommand("recover", "Make the profile of a job that died from what it counted");
  command->add_option("NAME", options->stem, "Name of the profile: its counts are in NAME.counts")
      ->required()
      ->type_name("");
  command->add_option("-o,--output", options->output, "Name of the files to write (default: NAME)")
      ->type_name("NAME");
  command->add_flag("--running", options->running, "Also while the job runs; the counts stay");
  command->add_flag("--keep", options->keep, "Leave the counts where they are");
  command->add_flag("--overwrite", options->overwrite, "Replace files that are there");
  command->footer(
      "Examples:\n  tofa graph recover app-12\n  tofa graph recover app-12 -o sofar --running");
  command->callback([options] { recover(*options); });
}

}  // namespace tofa::cli
