// SPDX-License-Identifier: BSD-3-Clause
// Files of a profile for a page: see profile_parts.hpp. A file that was not asked for by name and
// cannot be used leaves the page without it, not the user without a page.
#include "profile_parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "graph_files.hpp"
#include "mapping_file.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/rank_parts.hpp"

namespace tofa::cli {
namespace {

constexpr std::size_t kMostCells = 262'144;         // of a heatmap
constexpr std::size_t kMostPhaseCells = 2'000'000;  // some 30 MB of page
// What the monitor tells apart; of what is estimated, nothing is in "all".
constexpr std::array kClasses = {"all", "user",    "collective", "one-sided",
                                 "io",  "library", "estimated"};

// Makes a note of what is thrown.
template <typename Read>
void read_or_note(const char* what, std::vector<std::string>& notes, const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    notes.push_back(fmt::format("{} left out: {}.", what, error.what()));
  }
}

// False where the file cannot be used.
bool read_part(TrafficPart& part, const std::string& file, SymmetricMatrix symmetric,
               std::vector<std::string>& notes) {
  const std::size_t before = notes.size();
  read_or_note("A matrix is", notes, [&] { part.traffic = read_traffic(file, symmetric); });
  return notes.size() == before;
}

// Adds a file to the parts, if it is of the same ranks.
void add_part(std::vector<TrafficPart>& parts, TrafficPart part, const std::string& file,
              std::vector<std::string>& notes) {
  if (part.traffic.ranks == parts.front().traffic.ranks) {
    parts.push_back(std::move(part));
  } else {
    notes.push_back(fmt::format("{} has another number of ranks and is left out.", file));
  }
}

// What was sent in each phase of the program. A page that nobody can open is of no use: phases
// that would make it one are left out.
class PhaseReader {
 public:
  PhaseReader(const std::string& graph, SymmetricMatrix symmetric, std::vector<TrafficPart>& parts,
              std::vector<std::string>& notes)
      : graph_(graph), symmetric_(symmetric), parts_(parts), notes_(notes) {}

  void read() {
    for (unsigned phase = 1; phase <= kMostPhases; ++phase) {
      for (const char* name : kClasses) {
        for (const char* quantity : {"bytes", "messages"}) read_file_of(phase, name, quantity);
      }
    }
    if (left_out_.empty()) return;
    notes_.push_back(fmt::format(
        "Not on this page, which would be too large for a browser with them: {}. Look at a phase "
        "by itself: tofa report {}.phaseN.",
        left_out_, graph_name(graph_)));
  }

 private:
  void read_file_of(unsigned phase, const std::string& name, const char* quantity) {
    const std::string part =
        name == "all" ? fmt::format("phase{}", phase) : fmt::format("phase{}.{}", phase, name);
    const std::string file = graph_file(graph_, quantity, part);
    if (file.empty()) return;
    TrafficPart read{name, {}, phase};
    if (cells_ < kMostPhaseCells && !read_part(read, file, symmetric_, notes_)) return;
    cells_ += std::min(read.traffic.entries.size(), kMostCells);
    if (cells_ < kMostPhaseCells) {
      add_part(parts_, std::move(read), file, notes_);
    } else {
      cells_ = kMostPhaseCells;
      left_out_ += (left_out_.empty() ? "" : ", ") + file;
    }
  }

  const std::string& graph_;
  SymmetricMatrix symmetric_;
  std::vector<TrafficPart>& parts_;
  std::vector<std::string>& notes_;
  std::size_t cells_ = 0;  // of the phases until now
  std::string left_out_;
};

void require_same_ranks(bool same, const std::string& file) {
  if (!same) throw Error(ErrorKind::bad_input, file, 0, "has another number of ranks");
}

}  // namespace

std::vector<TrafficPart> read_parts(const std::string& graph, SymmetricMatrix symmetric,
                                    std::vector<std::string>& notes) {
  std::vector<TrafficPart> parts;
  parts.push_back({"all", read_traffic(graph, symmetric)});
  const bool bytes = !counts_messages(parts.front().traffic);
  for (const std::string name : kClasses) {
    for (const std::string quantity : {"bytes", "messages"}) {
      if (name == "all" && bytes == (quantity == "bytes")) continue;  // it is there
      const std::string file = graph_file(graph, quantity, name == "all" ? "" : name);
      TrafficPart part{name, {}};
      if (!file.empty() && read_part(part, file, symmetric, notes))
        add_part(parts, std::move(part), file, notes);
    }
  }
  PhaseReader(graph, symmetric, parts, notes).read();
  return parts;
}

std::optional<MessageSizes> read_sizes(const std::string& graph, Rank ranks,
                                       std::vector<std::string>& notes) {
  std::optional<MessageSizes> result;
  const std::string file = sizes_file(graph);
  if (file.empty()) return result;
  read_or_note("Sizes of messages are", notes, [&] {
    MessageSizes sizes = parse_message_sizes(read_file(file), file);
    (void)total_sizes(sizes);  // they add up
    require_same_ranks(sizes.ranks == ranks, file);
    result = std::move(sizes);
  });
  return result;
}

PageRun read_run(const std::string& graph, Rank ranks, std::vector<std::string>& notes) {
  PageRun run;
  if (const std::string file = run_file(graph); !file.empty()) {
    read_or_note("What is known of the run is", notes, [&] {
      const std::string text = read_file(file);
      RunFacts facts = parse_run_facts(text, file);
      const std::size_t timed = facts.run_seconds.size();
      require_same_ranks(timed == 0 || timed == ranks, file);
      if (text.find("\"mapping\"") != std::string::npos) run.hosts = MappingFile(file).rank_hosts();
      if (run.hosts.size() != ranks) run.hosts.clear();
      run.facts = std::move(facts);
    });
  }
  if (const std::string file = other_jobs_file(graph); !file.empty()) {
    read_or_note("Traffic with other jobs is", notes, [&] {
      std::vector<OtherJobTraffic> rows = parse_other_jobs(read_file(file), file);
      for (const OtherJobTraffic& row : rows) require_same_ranks(row.rank < ranks, file);
      run.other_jobs = std::move(rows);
    });
  }
  return run;
}

}  // namespace tofa::cli
