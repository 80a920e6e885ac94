// SPDX-License-Identifier: BSD-3-Clause
// Slurm's topology.conf as its plugins topology/tree and topology/block understand it: KEY=VALUE
// pairs, keys in any case, values possibly in double quotes, # comments, and \ at the end of a line
// that goes on. topology.yaml, which Slurm has since 25.05, is refused by name.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "tofa/error.hpp"
#include "tofa/hostlist.hpp"
#include "tofa/text.hpp"
#include "topology/kinds.hpp"
#include "topology/slurm_blocks.hpp"
#include "topology/tree.hpp"

namespace tofa {
namespace {

bool is_key(std::string_view word, std::string_view key) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(word.begin(), word.end(), key.begin(), key.end(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

std::string_view key_at(std::string_view text) {
  return trim(text.substr(0, text.find_first_of("=# \t\r")));
}

std::string_view without_comment(std::string_view line) {
  return trim(line.substr(0, line.find('#')));
}

// Puts together the lines that \ connects, without comments.
class StatementReader {
 public:
  explicit StatementReader(std::string_view text) : lines_(text) {}

  bool next(std::string& statement) {
    statement.clear();
    bool goes_on = false;
    for (std::string_view line; lines_.next(line);) {
      if (!goes_on) number_ = lines_.number();
      line = without_comment(line);
      goes_on = !line.empty() && line.back() == '\\';
      if (goes_on) line.remove_suffix(1);
      statement += line;
      if (!goes_on && !trim(statement).empty()) return true;
    }
    return !trim(statement).empty();
  }

  std::size_t number() const { return number_; }  // of the line the statement begins on

 private:
  LineReader lines_;
  std::size_t number_ = 0;
};

struct Pair {
  std::string_view key;
  std::string_view value;
};

class SlurmTopology {
 public:
  explicit SlurmTopology(const std::string& name) : name_(name) {}

  void add(std::string_view statement, std::size_t line) {
    line_ = line;
    SwitchEntry entry;
    entry.line = line;
    std::array<bool, kKeys.size()> seen{};
    while (const auto pair = next_pair(statement)) {
      const std::size_t key = find_key(pair->key);
      if (seen[key]) fail(fmt::format("{} appears twice on this line", kKeys[key]));
      seen[key] = true;
      if (key == kSwitchName || key == kBlockName) entry.name = pair->value;
      if (key == kBlockSizes) sizes_ = sizes(pair->value);
      if (key == kNodes) entry.nodes = hosts(*pair);
      if (key == kSwitches) entry.switches = hosts(*pair);
      if (key == kLinkSpeed && !parse_number<std::uint64_t>(pair->value)) {
        fail(fmt::format("LinkSpeed {} is not a whole number", excerpt(pair->value)));
      }
    }
    check_keys(entry, seen);
    if (!seen[kBlockSizes]) entries_.push_back(std::move(entry));
  }

  // The switches, in which blocks are some, too.
  std::vector<SwitchEntry> entries() && {
    line_ = sizes_line_;
    if (has_blocks_ == true)
      add_larger_blocks(entries_, sizes_, [this](const std::string& message) { fail(message); });
    return std::move(entries_);
  }

 private:
  static constexpr std::array<std::string_view, 6> kKeys = {
      "SwitchName", "Nodes", "Switches", "LinkSpeed", "BlockName", "BlockSizes"};
  static constexpr std::size_t kSwitchName = 0;
  static constexpr std::size_t kNodes = 1;
  static constexpr std::size_t kSwitches = 2;
  static constexpr std::size_t kLinkSpeed = 3;  // checked; hops are what counts here
  static constexpr std::size_t kBlockName = 4;
  static constexpr std::size_t kBlockSizes = 5;

  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorKind::bad_input, name_, line_, message);
  }

  // A line is about a switch, a block, or the sizes of blocks; a file is about one of both.
  void check_keys(const SwitchEntry& entry, const std::array<bool, kKeys.size()>& seen) {
    const bool of_blocks = seen[kBlockName] || seen[kBlockSizes];
    if (of_blocks != has_blocks_.value_or(of_blocks)) {
      fail(
          "switches (topology/tree) and blocks (topology/block) are in the same file; keep those "
          "that TopologyPlugin in slurm.conf names");
    }
    has_blocks_ = of_blocks;
    if (seen[kBlockSizes] && std::count(seen.begin(), seen.end(), true) > 1)
      fail("BlockSizes stands with other keys; give it a line of its own");
    if (of_blocks && (seen[kSwitchName] || seen[kSwitches]))
      fail("a block has Nodes only, no switches");
    if (seen[kBlockSizes]) {
      sizes_line_ = line_;
      return;
    }
    if (entry.name.empty()) fail("no switch is named; begin the line with SwitchName=NAME");
    if (of_blocks && entry.nodes.empty())
      fail(fmt::format("block {} has no nodes; add Nodes=LIST", excerpt(entry.name)));
  }

  std::vector<std::uint64_t> sizes(std::string_view list) const {
    std::vector<std::uint64_t> numbers;
    while (!list.empty()) {
      const std::size_t comma = std::min(list.find(','), list.size());
      const auto number = parse_number<std::uint64_t>(trim(list.substr(0, comma)));
      if (!number || *number == 0)
        fail(fmt::format("BlockSizes {} is not a list of numbers of nodes", excerpt(list)));
      numbers.push_back(*number);
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return numbers;
  }

  // Takes `KEY = VALUE` or `KEY="VALUE"` off the front.
  std::optional<Pair> next_pair(std::string_view& rest) const {
    rest = trim(rest);
    if (rest.empty()) return std::nullopt;
    const std::size_t equals = rest.find('=');
    const std::string_view key = trim(rest.substr(0, equals));
    if (equals == std::string_view::npos || key.find_first_of(" \t") != std::string_view::npos) {
      fail(fmt::format("{} is not of the form KEY=VALUE", excerpt(key)));
    }
    rest = trim(rest.substr(equals + 1));
    const bool quoted = !rest.empty() && rest.front() == '"';
    if (quoted) rest.remove_prefix(1);
    const std::size_t end = rest.find_first_of(quoted ? "\"" : " \t");
    if (quoted && end == std::string_view::npos) {
      fail(fmt::format("the value of {} has no closing quote", excerpt(key)));
    }
    const std::string_view value = trim(rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end == std::string_view::npos ? end : end + 1));
    if (value.empty()) fail(fmt::format("{} has no value", excerpt(key)));
    return Pair{key, value};
  }

  std::size_t find_key(std::string_view key) const {
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
      if (is_key(key, kKeys[i])) return i;
    }
    fail(
        fmt::format("unknown key {}; known are SwitchName, Nodes, Switches and LinkSpeed, and for "
                    "blocks BlockName, Nodes and BlockSizes",
                    excerpt(key)));
  }

  std::vector<std::string> hosts(const Pair& pair) {
    try {
      auto list = expand_hostlist(pair.value, room_);
      room_ -= list.size();
      return list;
    } catch (const Error& error) {
      fail(fmt::format("{}: {}", pair.key, error.what()));
    }
  }

  const std::string& name_;
  std::size_t line_ = 0;
  std::size_t room_ = kMostNodes;
  std::optional<bool> has_blocks_;  // nothing before the first line
  std::vector<std::uint64_t> sizes_;
  std::size_t sizes_line_ = 0;
  std::vector<SwitchEntry> entries_;
};

}  // namespace

bool looks_like_slurm_topology(std::string_view text) {
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    line = without_comment(line);
    if (line.empty()) continue;
    const std::string_view key = key_at(line);
    return is_key(key, "SwitchName") || is_key(key, "BlockName") || is_key(key, "BlockSizes");
  }
  return false;
}

void refuse_slurm_yaml(std::string_view text, const std::string& name) {
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    line = without_comment(line);
    if (line.empty()) continue;
    if (line == "---" || line.starts_with("- topology:")) {
      throw Error(ErrorKind::bad_input, name, lines.number(),
                  "is a topology.yaml of Slurm, which is not read here; describe the network in a "
                  "file of tofa's (see man tofa-topology), or in lines as in topology.conf, and "
                  "name it in /etc/tofa/tofa.toml");
    }
    return;
  }
}

std::unique_ptr<Topology> parse_slurm_topology(std::string_view text, const std::string& name) {
  text = require_text(text, name);
  SlurmTopology topology(name);
  StatementReader statements(text);
  for (std::string statement; statements.next(statement);) {
    topology.add(statement, statements.number());
  }
  return make_tree_topology(std::move(topology).entries(), name, 1.0);
}

}  // namespace tofa
