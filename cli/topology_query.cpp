// SPDX-License-Identifier: BSD-3-Clause
// `tofa topology query A B`: hops, bandwidth that is left, stalls and cost of the way from one node
// to another, as a line of JSON; with the links for one pair, without for a file of pairs, of which
// a million are answered in a second.
#include "topology_query.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "common_options.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {
namespace {

struct QueryOptions {
  Inputs inputs;
  std::string pairs;
  std::vector<std::string> hosts;
  std::string reduce;  // empty: what limits a message
};

// Of a route: the worst link for what is left and for stalls, unless another way is asked for.
struct Reductions {
  RouteReduction left = RouteReduction::min;
  RouteReduction stalls = RouteReduction::max;
  RouteReduction cost = RouteReduction::sum;
};

Reductions reductions_of(const QueryOptions& options) {
  const RouteReduction cost = options.inputs.settings.pair_cost.reduction;
  if (options.reduce.empty()) return {.cost = cost};
  const RouteReduction all = parse_reduction(options.reduce);
  return {all, all, cost};
}

// Writes lines of JSON fast: names are quoted once, numbers without going through a tree.
class Lines {
 public:
  Lines(const Topology& topology, Reductions reductions)
      : topology_(topology), reductions_(reductions), quoted_(topology.nodes()) {}
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  // Without the brace at the end.
  void begin(Node from, Node to, const RouteState& state) {
    text_ += "{\"from\":";
    text_ += quoted(from);
    text_ += ",\"to\":";
    text_ += quoted(to);
    text_ += ",\"hops\":";
    number(state.hops);
    text_ += ",\"bandwidth_left\":";
    number(static_cast<std::uint64_t>(state.bandwidth_left.by(reductions_.left)));
    text_ += ",\"stalls\":";
    fraction(100 * state.stalls.by(reductions_.stalls));
    text_ += ",\"cost\":";
    fraction(state.cost.by(reductions_.cost));
  }
  void add(std::string_view text) { text_ += text; }
  void end() {
    text_ += "}\n";
    if (text_.size() > kFlush) flush();
  }
  void flush() {
    if (std::fwrite(text_.data(), 1, text_.size(), stdout) != text_.size())
      throw Error(ErrorKind::unavailable, "cannot write to standard output");
    text_.clear();
  }

 private:
  static constexpr std::size_t kFlush = 1 << 16;

  const std::string& quoted(Node node) {
    if (quoted_[node].empty()) quoted_[node] = nlohmann::json(topology_.name(node)).dump();
    return quoted_[node];
  }
  void number(std::uint64_t value) {
    char digits[24];
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  // To a thousandth.
  void fraction(double value) {
    const auto thousandths = static_cast<std::uint64_t>(std::llround(value * 1000));
    number(thousandths / 1000);
    if (thousandths % 1000 == 0) return;
    const auto rest = static_cast<unsigned>(thousandths % 1000);
    const char digits[4] = {'.', static_cast<char>('0' + rest / 100),
                            static_cast<char>('0' + rest / 10 % 10),
                            static_cast<char>('0' + rest % 10)};
    text_.append(digits, rest % 100 == 0 ? 2 : rest % 10 == 0 ? 3 : 4);
  }

  const Topology& topology_;
  const Reductions reductions_;
  std::vector<std::string> quoted_;  // by node, once it was asked for
  std::string text_;
};

Node require_node(const Topology& topology, std::string_view host, const std::string& file,
                  std::size_t line) {
  if (const auto node = topology.find(host)) return *node;
  throw Error(
      ErrorKind::bad_input, file, line,
      fmt::format("node {} is not in the topology ({})", excerpt(host), topology.describe()));
}

void answer_pairs(const Topology& topology, RouteQuery& query, const std::string& file,
                  Lines& out) {
  const std::string text = read_file(file);
  LineReader lines(require_text(text, file));
  for (std::string_view line; lines.next(line);) {
    std::string_view rest = line.substr(0, line.find('#'));
    const std::string_view from = next_word(rest);
    if (from.empty()) continue;
    const std::string_view to = next_word(rest);
    if (to.empty() || !trim(rest).empty()) {
      throw Error(ErrorKind::bad_input, file, lines.number(),
                  fmt::format("line {} is not two nodes, `from to`", excerpt(trim(line))));
    }
    const Node a = require_node(topology, from, file, lines.number());
    const Node b = require_node(topology, to, file, lines.number());
    out.begin(a, b, query.ask(a, b));
    out.end();
  }
}

// With its links, in travel order.
void answer_one(const Topology& topology, const LinkUse& use, RouteQuery& query, Node from, Node to,
                Lines& out) {
  std::vector<Link> route;
  topology.route(from, to, route);
  nlohmann::ordered_json links = nlohmann::ordered_json::array();
  for (const Link link : route) {
    nlohmann::ordered_json json{{"from", topology.vertex_name(topology.link_source(link))},
                                {"to", topology.vertex_name(topology.link_target(link))},
                                {"bandwidth", bandwidth_of(topology, link)},
                                {"bandwidth_left", query.left(link)}};
    if (!use.stalls.empty()) json["stalls"] = 100 * use.stalls[link];
    json["cost"] = query.cost(link);
    links.push_back(std::move(json));
  }
  out.begin(from, to, query.ask(from, to));
  out.add(",\"links\":");
  out.add(links.dump());
  out.end();
}

void run(const QueryOptions& options) {
  if (options.pairs.empty() == options.hosts.empty()) {
    throw Error(ErrorKind::bad_input, "name two nodes, or a file of them with --pairs");
  }
  InputLoader loader(options.inputs, {});
  NetworkInput network = loader.network();
  const LinkUse use = loader.link_load(network);
  const Topology& topology = *network.topology;
  RouteQuery query(topology, use, options.inputs.settings.pair_cost);
  Lines out(topology, reductions_of(options));
  if (!options.pairs.empty()) {
    answer_pairs(topology, query, options.pairs, out);
  } else {
    const auto node = [&](std::size_t i) {
      return require_node(topology, options.hosts[i], "tofa topology query", 0);
    };
    answer_one(topology, use, query, node(0), node(1), out);
  }
  out.flush();
}

}  // namespace

void add_topology_query(Command& command) {
  auto options = std::make_shared<QueryOptions>();
  Command* query = command.add_subcommand(
      "query", "Say what the way between two nodes is like at the moment, as a line of JSON");
  query->add_option("HOST", options->hosts, "From one host to another")
      ->expected(0, 2)
      ->type_name("");
  query->add_option("--pairs", options->pairs, "Of each line of a file, `from to`")
      ->check(kNotEmpty)
      ->type_name("FILE");
  query
      ->add_option("--reduce", options->reduce,
                   "How bandwidth_left and stalls of the links of a way become one number "
                   "(default: the least that is left, the most that is stalled)")
      ->check(one_of({"sum", "min", "max"}))
      ->type_name("NAME");
  add_topology_option(*query, options->inputs);
  add_link_load_options(*query, options->inputs);
  query->footer(
      "Examples:\n"
      "  tofa topology query n000 n219 --topology torus.toml --link-load load.txt\n"
      "  tofa topology query --pairs pairs.txt --pair-cost stalls --over-route max");
  query->callback([options] {
    if (options->hosts.size() == 1)
      throw Error(ErrorKind::bad_input, "a way has two ends: name a second node");
    run(*options);
  });
}

}  // namespace tofa::cli
