// SPDX-License-Identifier: BSD-3-Clause
// `tofa graph recover`: makes the files of a profile from what the ranks of a job that died had
// counted.
#include "graph_recover.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <set>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/profile_files.hpp"
#include "tofa/rank_parts.hpp"

namespace tofa::cli {
namespace {

constexpr const char* kRunFile = ".ranks.json";

struct RecoverOptions {
  std::string stem;
  std::string output;
  bool running = false;
  bool keep = false;
  bool overwrite = false;
};

// What the ranks of a job left. The parts come first: of a rank that runs, its counts then hold at
// least as much.
struct Remains {
  explicit Remains(const RecoverOptions& options, const std::string& stem)
      : parts(read_rank_parts(stem)), counts(read_rank_counts(stem, options.running)) {
    parts = complete_parts(counts, std::move(parts));
  }
  std::vector<RankParts> parts;
  std::vector<RankCounts> counts;
};

struct ResultFile {
  std::string path;
  std::uint32_t phase;  // 0: all
  TrafficClass traffic_class;
  bool messages;
  enum Kind { counted, estimated, declared } kind = counted;
};

// In the order in which they are written: the one that readers look for last.
std::vector<ResultFile> graph_files(const std::string& stem,
                                    const std::vector<RankCounts>& counts) {
  std::vector<ResultFile> files;
  const std::uint32_t phase = counts.front().phase;
  for (std::size_t i = 0; counts.front().apart && i < kTrafficClasses; ++i) {
    const auto traffic_class = static_cast<TrafficClass>(i);
    const bool always =
        traffic_class == TrafficClass::user || traffic_class == TrafficClass::collective;
    if (!always && recover_traffic(counts, traffic_class, true).entries.empty()) continue;
    const std::string name = fmt::format("{}.{}", stem, class_name(traffic_class));
    files.push_back({name + ".messages.mtx", phase, traffic_class, true});
    files.push_back({name + ".bytes.mtx", phase, traffic_class, false});
  }
  if (!recover_estimated(counts, true).entries.empty()) {
    files.push_back(
        {stem + ".estimated.messages.mtx", phase, TrafficClass::all, true, ResultFile::estimated});
    files.push_back(
        {stem + ".estimated.bytes.mtx", phase, TrafficClass::all, false, ResultFile::estimated});
  }
  if (!recover_declared(counts).entries.empty()) {
    files.push_back(
        {stem + ".declared.mtx", phase, TrafficClass::all, false, ResultFile::declared});
  }
  files.push_back({stem + ".messages.mtx", phase, TrafficClass::all, true});
  files.push_back({stem + ".bytes.mtx", phase, TrafficClass::all, false});
  return files;
}

std::vector<ResultFile> result_files(const std::string& stem, const Remains& remains) {
  std::vector<ResultFile> files;
  for (const std::uint32_t phase : phases_of(remains.parts)) {
    const auto of_phase = graph_files(fmt::format("{}.phase{}", stem, phase),
                                      phase_counts(remains.counts, remains.parts, phase));
    files.insert(files.end(), of_phase.begin(), of_phase.end());
  }
  const auto whole = graph_files(stem, remains.counts);
  files.insert(files.end(), whole.begin(), whole.end());
  return files;
}

// Those beside the graphs, where there is anything to tell.
struct TextFile {
  std::string suffix, content;
};

// The run's own NAME.ranks.json knows more.
std::vector<TextFile> text_files(const Remains& remains, bool has_run_file) {
  std::vector<TextFile> files;
  if (!has_run_file) files.push_back({kRunFile, recover_run(remains.counts)});
  const MessageSizes sizes = recover_sizes(remains.counts, remains.parts);
  if (!sizes.counts.empty()) files.push_back({message_sizes_path(""), format_message_sizes(sizes)});
  const std::string other_jobs = recover_other_jobs(remains.counts);
  if (!other_jobs.empty()) files.push_back({".other-jobs.txt", other_jobs});
  return files;
}

Traffic recover(const std::vector<RankCounts>& counts, const ResultFile& file) {
  switch (file.kind) {
    case ResultFile::estimated:
      return recover_estimated(counts, file.messages);
    case ResultFile::declared:
      return recover_declared(counts);
    case ResultFile::counted:
      break;
  }
  return recover_traffic(counts, file.traffic_class, file.messages);
}

void write_graphs(const std::vector<ResultFile>& files, const Remains& remains) {
  std::vector<RankCounts> of_phase;
  for (const ResultFile& file : files) {
    if (file.phase != 0 && (of_phase.empty() || of_phase.front().phase != file.phase)) {
      of_phase = phase_counts(remains.counts, remains.parts, file.phase);
    }
    const std::vector<RankCounts>& counts = file.phase == 0 ? remains.counts : of_phase;
    write_traffic(recover(counts, file), file.path, "mtx");
  }
}

void say(const std::string& output, const Remains& remains, const std::vector<TextFile>& texts) {
  std::vector<Rank> partial;
  for (const RankCounts& one : remains.counts) {
    if (!one.complete) partial.push_back(one.rank);
  }
  std::string beside;
  for (const TextFile& text : texts) beside += " and " + text.suffix;
  const std::size_t phases = phases_of(remains.parts).size();
  fmt::print("{}.bytes.mtx and .messages.mtx{}{}: {} of {} ranks{}\n", output,
             phases > 0 ? fmt::format(", those of {} phases", phases) : "", beside,
             remains.counts.size(), remains.counts.front().ranks,
             partial.empty()
                 ? ""
                 : fmt::format(", of rank {} what it had sent when it ended", rank_list(partial)));
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

// When the run itself got as far as writing it, it is true of these ranks. Starts are in seconds.
bool is_of_this_run(const std::string& run_file, const RankCounts& counts) {
  struct stat status;
  return stat(run_file.c_str(), &status) == 0 && status.st_mtime > counts.started &&
         !is_recovered_run(read_file(run_file));
}

// What an earlier run left under this name, and this one did not replace.
void remove_earlier(const std::string& output, const std::set<std::string>& written,
                    const std::string& own_run_file) {
  for (const std::string& path : profile_files(output)) {
    if (written.contains(path) || path == own_run_file) continue;
    if (unlink(path.c_str()) != 0 && errno != ENOENT) {
      throw Error(
          ErrorKind::unmet, path, 0,
          fmt::format("is of an earlier run and cannot be removed: {}", std::strerror(errno)));
    }
  }
}

void replace_earlier(const std::string& output, const std::vector<ResultFile>& files,
                     const std::vector<TextFile>& texts, const std::string& own_run_file) {
  std::set<std::string> written;
  for (const ResultFile& file : files) written.insert(file.path);
  for (const TextFile& text : texts) written.insert(output + text.suffix);
  remove_earlier(output, written, own_run_file);
}

// The run's own, where it is one of the files of the result; empty: there is none.
std::string own_run_file(const std::string& stem, const std::string& output,
                         const RankCounts& counts) {
  const std::string run_file = stem + kRunFile;
  return output == stem && is_of_this_run(run_file, counts) ? run_file : "";
}

void recover(const RecoverOptions& options) {
  const std::string stem = without_suffix(options.stem);
  const std::string output = options.output.empty() ? stem : options.output;
  const Remains remains(options, stem);
  const std::vector<ResultFile> files = result_files(output, remains);
  const std::string run_file = own_run_file(stem, output, remains.counts.front());
  const std::vector<TextFile> texts = text_files(remains, !run_file.empty());
  for (const ResultFile& file : files) refuse_to_replace(file.path, options);
  for (const TextFile& text : texts) refuse_to_replace(output + text.suffix, options);
  for (const TextFile& text : texts) write_file_atomically(output + text.suffix, text.content);
  write_graphs(files, remains);
  if (options.overwrite) replace_earlier(output, files, texts, run_file);
  say(output, remains, texts);
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
  command->add_flag("--overwrite", options->overwrite,
                    "Replace files that are there, all of the profile");
  command->footer(
      "Examples:\n  tofa graph recover app-12\n  tofa graph recover app-12 -o sofar --running");
  command->callback([options] { recover(*options); });
}

}  // namespace tofa::cli
