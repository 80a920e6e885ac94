// SPDX-License-Identifier: BSD-3-Clause
// Scotch source graphs (.grf, "Scotch and libScotch User's Guide", section 5.1). Such a graph is
// undirected and lists each edge at both ends; its load becomes the bytes of the pair, half in each
// direction.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "graph/formats.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {

namespace {

// The version line `0`, alone, with more to follow: a dense matrix that starts so has one row only.
bool recognise(std::string_view text) {
  LineReader lines(text);
  std::string_view line;
  std::size_t seen = 0;
  while (lines.next(line)) {
    line = trim(line);
    if (line.empty()) continue;
    if (seen++ > 0) return true;
    if (line != "0") return false;
  }
  return false;
}

struct Edge {
  Rank low;
  Rank high;
  Bytes load;
  friend bool operator==(const Edge&, const Edge&) = default;
  friend bool operator<(const Edge& a, const Edge& b) {
    return std::tie(a.low, a.high, a.load) < std::tie(b.low, b.high, b.load);
  }
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& name)
      : lines_(text), name_(name), size_(text.size()) {}

  Traffic parse() {
    read_header();
    for (Rank vertex = 0; vertex < vertices_; ++vertex) read_vertex(vertex);
    if (up_.size() + down_.size() != arcs_) {
      fail(fmt::format("{} arcs; the header declares {}", up_.size() + down_.size(), arcs_));
    }
    if (!next().empty()) fail("more after the last vertex");
    check_symmetry();
    Traffic traffic;
    traffic.ranks = vertices_;
    for (const Edge& edge : up_) {
      traffic.entries.push_back({edge.low, edge.high, edge.load - edge.load / 2});
      if (edge.load > 1) traffic.entries.push_back({edge.high, edge.low, edge.load / 2});
    }
    return traffic;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorKind::bad_input, name_, lines_.number(), message);
  }

  // The next word of the file, across lines; empty at its end.
  std::string_view next() {
    for (;;) {
      const std::string_view word = next_word(line_);
      if (!word.empty()) return word;
      if (!lines_.next(line_)) return {};
    }
  }

  std::uint64_t number(std::string_view what) {
    const std::string_view word = next();
    if (word.empty())
      fail(fmt::format("ends where the {} should be; was the file cut short?", what));
    const auto value = parse_number<std::uint64_t>(word);
    if (!value) fail(fmt::format("{} {} is not a whole number from 0", what, excerpt(word)));
    return *value;
  }

  void read_header() {
    number("version");
    const std::uint64_t vertices = number("number of vertices");
    if (vertices > kMaxRanks) {
      fail(fmt::format("{} vertices; at most {} are supported", vertices, kMaxRanks));
    }
    vertices_ = static_cast<Rank>(vertices);
    arcs_ = number("number of arcs");
    if (vertices_ > size_ || arcs_ > size_) {
      fail(fmt::format("{} vertices and {} arcs do not fit a file of this size; was it cut short?",
                       vertices_, arcs_));
    }
    base_ = number("base value");
    const std::string_view flags = next();
    if (flags.empty() || flags.size() > 3 ||
        flags.find_first_not_of("01") != std::string_view::npos) {
      fail(fmt::format("flags {} are not three digits 0 or 1", excerpt(flags)));
    }
    const auto flag = [&](std::size_t from_right) {
      return flags.size() > from_right && flags[flags.size() - 1 - from_right] == '1';
    };
    vertex_loads_ = flag(0);
    edge_loads_ = flag(1);
    if (flag(2)) fail("vertex labels are not supported; write the graph without them");
  }

  void read_vertex(Rank vertex) {
    if (vertex_loads_) number("vertex load");
    const std::uint64_t degree = number("degree");
    for (std::uint64_t i = 0; i < degree; ++i) {
      const Bytes load = edge_loads_ ? number("edge load") : 1;
      const std::uint64_t end = number("end of an arc");
      if (end < base_ || end - base_ >= vertices_) {
        fail(fmt::format("vertex {} has an arc to {}, outside {} to {}", base_ + vertex, end, base_,
                         base_ + vertices_ - 1));
      }
      const Rank other = static_cast<Rank>(end - base_);
      if (other == vertex) fail(fmt::format("vertex {} has an arc to itself", end));
      (vertex < other ? up_ : down_)
          .push_back({std::min(vertex, other), std::max(vertex, other), load});
    }
  }

  void check_symmetry() {
    std::sort(up_.begin(), up_.end());
    std::sort(down_.begin(), down_.end());
    const auto [a, b] = std::mismatch(up_.begin(), up_.end(), down_.begin(), down_.end());
    if (a == up_.end() && b == down_.end()) return;
    const Edge& edge = b == down_.end() || (a != up_.end() && *a < *b) ? *a : *b;
    fail(fmt::format("the edge between {} and {} is not listed at both ends with the same load",
                     base_ + edge.low, base_ + edge.high));
  }

  LineReader lines_;
  const std::string& name_;
  std::size_t size_;
  std::string_view line_;
  Rank vertices_ = 0;
  std::uint64_t arcs_ = 0;
  std::uint64_t base_ = 0;
  bool vertex_loads_ = false;
  bool edge_loads_ = false;
  std::vector<Edge> up_;    // arcs listed at their lower end
  std::vector<Edge> down_;  // and at their higher end
};

Traffic parse(std::string_view text, const std::string& name) {
  return Parser(text, name).parse();
}

std::string format(const Traffic& traffic) {
  const CommGraph graph(traffic);
  fmt::memory_buffer out;
  const auto at = std::back_inserter(out);
  fmt::format_to(at, "0\n{} {}\n0 010\n", graph.ranks(), 2 * graph.pairs());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    fmt::format_to(at, "{}", graph.partners(rank).size());
    for (const CommEdge& edge : graph.partners(rank)) {
      fmt::format_to(at, " {} {}", Bytes{edge.bytes}, Rank{edge.partner});
    }
    out.push_back('\n');
  }
  return fmt::to_string(out);
}

}  // namespace

extern constexpr TrafficFormat kScotchGraphFormat{
    "scotch", ".grf", "Scotch graph (.grf)", recognise, parse, format, nullptr};

}  // namespace tofa
