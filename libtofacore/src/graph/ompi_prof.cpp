// SPDX-License-Identifier: BSD-3-Clause
// The .prof files of Open MPI's own monitoring (pml_monitoring_filename), one per rank. Lines are
// tab separated:
//   E  src  dst  N bytes  M msgs sent  histogram        what the application sent
//   I  src  dst  N bytes  M msgs sent  histogram        what collectives and protocols sent
//   S  src  dst  N bytes  M msgs sent             what src put into memory of dst
//   R  src  dst  N bytes  M msgs sent             what src got out of it: dst sends, src receives
// S and R are written by the rank that calls MPI_Put or MPI_Get only, so both count. E, I, S and R
// together are the traffic on the wire, unless one-sided communication was made of messages
// (--mca osc pt2pt), which then are in E as well. C (collectives as called, which would count
// twice) and the totals D, O2A, A2O, A2A are left out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>

#include "graph/formats.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/text.hpp"

namespace tofa {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".prof";
constexpr std::array<std::string_view, 9> kTags = {"E", "I",   "S",   "R",  "C",
                                                   "D", "O2A", "A2O", "A2A"};

bool is_tag(std::string_view word) {
  return std::find(kTags.begin(), kTags.end(), word) != kTags.end();
}

bool recognise(std::string_view text) {
  std::string_view line = first_line_of_data(text, '#');
  if (line.empty()) return text.find("# POINT TO POINT") != std::string_view::npos;
  const std::string_view tag = line.substr(0, line.find('\t'));
  return tag.size() < line.size() && is_tag(tag);
}

Traffic parse(std::string_view text, const std::string& name) {
  Traffic traffic;
  LineReader lines(text);
  std::string_view line;
  const auto fail = [&](const std::string& message) {
    throw Error(ErrorKind::bad_input, name, lines.number(), message);
  };
  while (lines.next(line)) {
    std::string_view rest = line;
    const std::string_view tag = next_word(rest);
    if (tag.empty() || tag.front() == '#') continue;
    if (!is_tag(tag))
      fail(fmt::format("line {} starts with none of the known tags", excerpt(line)));
    if (tag != "E" && tag != "I" && tag != "S" && tag != "R") continue;
    const auto sender = parse_number<Rank>(next_word(rest));
    const auto receiver = parse_number<Rank>(next_word(rest));
    const std::string_view bytes = next_word(rest);
    if (!sender || !receiver || next_word(rest) != "bytes") {
      fail(fmt::format("line {} is not `{} sender receiver N bytes ...`", excerpt(line), tag));
    }
    const Rank highest = std::max(*sender, *receiver);
    if (highest >= kMaxRanks) {
      fail(fmt::format("rank {}; at most {} ranks are supported", highest, kMaxRanks));
    }
    traffic.ranks = std::max(traffic.ranks, highest + 1);
    const Bytes amount = parse_bytes(bytes, false, name, lines.number());
    if (tag == "R") {
      traffic.entries.push_back({*receiver, *sender, amount});
    } else if (tag != "S" || amount > 0) {  // for every R there is an S of nothing
      traffic.entries.push_back({*sender, *receiver, amount});
    }
  }
  // A rank that sent nothing still writes a file.
  traffic.ranks = std::max<Rank>(traffic.ranks, 1);
  return traffic;
}

using RankFiles = std::map<Rank, std::string>;

// Splits `STEM.RANK.prof` or `STEM_RANK.prof`.
std::optional<Rank> split_name(std::string_view file, std::string& stem) {
  if (file.size() <= kExtension.size() ||
      file.substr(file.size() - kExtension.size()) != kExtension) {
    return std::nullopt;
  }
  file.remove_suffix(kExtension.size());
  const std::size_t separator = file.find_last_of("._");
  if (separator == std::string_view::npos) return std::nullopt;
  stem = file.substr(0, separator);
  return parse_number<Rank>(file.substr(separator + 1));
}

// The .prof files of `directory` by stem; all of them, or those of one stem.
std::map<std::string, RankFiles> find_files(const fs::path& directory, const std::string& stem) {
  std::map<std::string, RankFiles> found;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::string its_stem;
    const auto rank = split_name(it->path().filename().string(), its_stem);
    if (rank && (stem.empty() || its_stem == stem)) found[its_stem][*rank] = it->path().string();
  }
  return found;
}

void check_complete(const RankFiles& files, Rank ranks, const std::string& path) {
  Rank expected = 0;
  for (const auto& [rank, file] : files) {
    if (rank != expected) break;
    ++expected;
  }
  if (expected < ranks) {
    throw Error(
        ErrorKind::bad_input, path, 0,
        fmt::format("the .prof file of rank {} is missing ({} files for {} ranks); did every "
                    "rank reach MPI_Finalize?",
                    expected, files.size(), ranks));
  }
}

Traffic read_set(const RankFiles& files, const std::string& path) {
  Traffic all;
  for (const auto& [rank, file] : files) {
    Traffic one = parse_traffic(read_file(file), file);
    all.ranks = std::max({all.ranks, one.ranks, std::min(rank, kMaxRanks) + 1});
    all.entries.insert(all.entries.end(), one.entries.begin(), one.entries.end());
  }
  check_complete(files, all.ranks, path);
  all.normalise();
  all.metadata = fmt::format(
      R"({{"version": 1, "ranks": {}, "quantity": "bytes", "source": "Open MPI monitoring, {} .prof files"}})",
      all.ranks, files.size());
  return all;
}

}  // namespace

bool read_ompi_prof_files(const std::string& path, Traffic& traffic) {
  std::error_code ignored;
  const bool is_directory = fs::is_directory(path, ignored);
  const fs::path parent = fs::path(path).parent_path();
  const auto found =
      is_directory ? find_files(path, "")
                   : find_files(parent.empty() ? "." : parent, fs::path(path).filename().string());
  if (found.empty()) return false;
  if (found.size() > 1) {
    std::string stems;
    for (const auto& [stem, files] : found) stems += (stems.empty() ? "" : ", ") + stem;
    throw Error(ErrorKind::bad_input, path, 0,
                fmt::format("holds several profiles ({}); name one, as in {}/{}", stems, path,
                            found.begin()->first));
  }
  traffic = read_set(found.begin()->second, path);
  return true;
}

extern constexpr TrafficFormat kOmpiProfFormat{
    "prof", kExtension, "Open MPI monitoring (.prof)", recognise, parse, nullptr, nullptr};

}  // namespace tofa
