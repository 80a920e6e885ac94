// SPDX-License-Identifier: BSD-3-Clause
// `tofa graph info|convert|merge|sum|select|compare|from-grid|recover`: look at communication
// graphs, write them in another format, or make one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "common_options.hpp"
#include "report.hpp"

#include "graph_compare.hpp"
#include "graph_files.hpp"
#include "graph_output.hpp"
#include "graph_recover.hpp"
#include "graph_select.hpp"
#include "graph_sizes.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"
#include "tofa/explain.hpp"
#include "tofa/file_io.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/grid_traffic.hpp"
#include "tofa/other_jobs.hpp"
#include "tofa/run_times.hpp"
#include "tofa/units.hpp"

namespace tofa::cli {
namespace {

constexpr std::size_t kHeaviestPairs = 5;

struct Partners {
  std::size_t least = 0;
  std::size_t most = 0;
  double mean = 0;
};

Partners count_partners(const CommGraph& graph) {
  Partners result{graph.partners(0).size(), 0, 0};
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    const std::size_t partners = graph.partners(rank).size();
    result.least = std::min(result.least, partners);
    result.most = std::max(result.most, partners);
  }
  result.mean = 2.0 * static_cast<double>(graph.pairs()) / graph.ranks();
  return result;
}

// Metadata of any version is passed on as it is; a graph from elsewhere has none.
nlohmann::ordered_json parse_metadata(const std::string& metadata) {
  if (metadata.empty()) return nullptr;
  return nlohmann::ordered_json::parse(metadata);
}

// How much of its time each rank was in MPI, where the run was timed.
std::optional<MpiShares> mpi_shares_beside(const std::string& input) {
  const std::string path = run_file(input);
  if (path.empty()) return std::nullopt;
  return parse_mpi_shares(read_file(path), path);
}

void print_mpi_shares(const std::optional<MpiShares>& shares) {
  if (!shares) return;
  fmt::print("{:<20}{:.1f} % on average, {:.1f} % of rank {} to {:.1f} % of rank {}\n",
             "time in MPI", 100 * shares->mean, 100 * shares->least, shares->of_least,
             100 * shares->most, shares->of_most);
}

// What went to other jobs, where the graph is one of a profile's.
std::vector<OtherJobSum> other_jobs_beside(const std::string& input) {
  const std::string path = other_jobs_file(input);
  if (path.empty()) return {};
  return sum_other_jobs(parse_other_jobs(read_file(path), path));
}

nlohmann::ordered_json other_jobs_json(const std::vector<OtherJobSum>& jobs) {
  auto list = nlohmann::ordered_json::array();
  for (const OtherJobSum& job : jobs) {
    list.push_back({{"job", job.job},
                    {"direction", job.fetched ? "fetched" : "sent"},
                    {"ranks", job.ranks},
                    {"peers", job.peers},
                    {"messages", job.messages},
                    {"bytes", job.bytes}});
  }
  return list;
}

void print_other_jobs(const std::vector<OtherJobSum>& jobs) {
  const char* label = "other jobs";
  for (const OtherJobSum& job : jobs) {
    fmt::print("{:<20}{} {}: {} in {} messages, {} of our ranks and {} of its\n", label,
               job.fetched ? "from" : "to", job.job, human_bytes(static_cast<double>(job.bytes)),
               job.messages, job.ranks, job.peers);
    label = "";
  }
}

nlohmann::ordered_json mpi_shares_json(const MpiShares& shares) {
  return {{"mean", shares.mean},
          {"min", {{"rank", shares.of_least}, {"share", shares.least}}},
          {"max", {{"rank", shares.of_most}, {"share", shares.most}}}};
}

// What a profile has besides the graph; of a file of another name, nothing.
struct Beside {
  std::optional<MpiShares> shares;
  std::vector<OtherJobSum> jobs;
  std::vector<std::string> parts;
  std::optional<MessageSizes> sizes;
};

void print_json(const Traffic& traffic, const CommGraph& graph, const Beside& beside) {
  const Partners partners = count_partners(graph);
  auto heaviest = nlohmann::ordered_json::array();
  for (const RankPair& pair : heaviest_pairs(graph, kHeaviestPairs)) {
    heaviest.push_back({{"ranks", {pair.low, pair.high}}, {"amount", pair.bytes}});
  }
  nlohmann::ordered_json report{
      {"ranks", graph.ranks()},
      {"entries", traffic.entries.size()},
      {"pairs", graph.pairs()},
      {"quantity", counts_messages(traffic) ? "messages" : "bytes"},
      {"total", graph.total_bytes()},
      {"partners", {{"min", partners.least}, {"mean", partners.mean}, {"max", partners.most}}},
      {"heaviest", heaviest},
      {"metadata", parse_metadata(traffic.metadata)},
      {"note", traffic.note}};
  if (beside.shares) report["mpi_time"] = mpi_shares_json(*beside.shares);
  if (!beside.jobs.empty()) report["other_jobs"] = other_jobs_json(beside.jobs);
  if (!beside.parts.empty()) report["parts"] = beside.parts;
  if (beside.sizes) report["sizes"] = sizes_json(*beside.sizes);
  write_output("", json_text(report));
}

void print_text(const Traffic& traffic, const CommGraph& graph, const Beside& beside) {
  const bool messages = counts_messages(traffic);
  const auto amount = [&](Bytes value) {
    return messages ? fmt::format("{} messages", value) : human_bytes(static_cast<double>(value));
  };
  const Partners partners = count_partners(graph);
  fmt::print("{:<20}{}\n", "ranks", graph.ranks());
  fmt::print("{:<20}{}\n", "entries", traffic.entries.size());
  fmt::print("{:<20}{}\n", "pairs that talk", graph.pairs());
  fmt::print("{:<20}{}\n", "traffic", amount(graph.total_bytes()));
  fmt::print("{:<20}{} to {}, {:.1f} on average\n", "partners of a rank", partners.least,
             partners.most, partners.mean);
  const char* label = "heaviest pairs";
  for (const RankPair& pair : heaviest_pairs(graph, kHeaviestPairs)) {
    fmt::print("{:<20}{} - {}: {}\n", label, pair.low, pair.high, amount(pair.bytes));
    label = "";
  }
  print_mpi_shares(beside.shares);
  print_other_jobs(beside.jobs);
  if (beside.sizes) fmt::print("{}", sizes_text(*beside.sizes));
  if (!beside.parts.empty()) {
    fmt::print("{:<20}{}\n", "told apart", fmt::join(beside.parts, ", "));
  }
  if (!traffic.metadata.empty()) fmt::print("{:<20}{}\n", "metadata", traffic.metadata);
  if (!traffic.note.empty()) fmt::print("{:<20}{}\n", "note", traffic.note);
}

struct GraphOptions {
  std::string input;
  std::vector<std::string> inputs;
  GraphOutput output;
  GridTraffic grid;
  SymmetricMatrix symmetric = SymmetricMatrix::automatic;
  bool json = false;
};

void print_sizes(const GraphOptions& options) {
  const MessageSizes sizes = *find_message_sizes(options.input);
  if (options.json) {
    const nlohmann::ordered_json report{{"ranks", sizes.ranks},
                                        {"entries", sizes.counts.size()},
                                        {"sizes", sizes_json(sizes)},
                                        {"metadata", parse_metadata(sizes.metadata)}};
    write_output("", json_text(report));
  } else {
    fmt::print("{:<20}{}\n{}", "ranks", sizes.ranks, sizes_text(sizes));
  }
}

void info(const GraphOptions& options) {
  if (names_message_sizes(options.input)) {
    print_sizes(options);
    return;
  }
  const Traffic traffic = read_traffic(options.input, options.symmetric);
  const CommGraph graph(traffic);
  const Beside beside{mpi_shares_beside(options.input), other_jobs_beside(options.input),
                      parts_of_profile(options.input), find_message_sizes(options.input)};
  options.json ? print_json(traffic, graph, beside) : print_text(traffic, graph, beside);
}

void convert(const GraphOptions& options) {
  (void)output_format(options.output);  // before what takes long
  write_graph(load_traffic(options.input, options.symmetric), options.output);
}

// The sum of several runs, or phases, of one job.
void merge(const GraphOptions& options) {
  (void)output_format(options.output);
  Traffic sum = load_traffic(options.inputs.front(), options.symmetric);
  for (std::size_t i = 1; i < options.inputs.size(); ++i) {
    const std::string& path = options.inputs[i];
    const Traffic next = load_traffic(path, options.symmetric);
    if (next.ranks != sum.ranks) {
      throw Error(ErrorKind::bad_input, path, 0,
                  fmt::format("{} ranks, but {} has {}; only graphs of one size can be merged",
                              next.ranks, options.inputs.front(), sum.ranks));
    }
    if (counts_messages(next) != counts_messages(sum)) {
      throw Error(
          ErrorKind::bad_input, path, 0,
          fmt::format("counts {}, {} does not; merge bytes with bytes and messages with messages",
                      counts_messages(next) ? "messages" : "bytes", options.inputs.front()));
    }
    sum.entries.insert(sum.entries.end(), next.entries.begin(), next.entries.end());
    sum.normalise();
  }
  write_graph(sum, options.output);
}

void from_grid(GraphOptions& options) {
  options.grid.shape = parse_grid_traffic(options.input, options.input).shape;
  write_graph(grid_traffic(options.grid, options.input), options.output);
}

constexpr const char* kInputHelp = "Graph file, or the common stem of a profile's files";

void add_info(Command& graph, const std::shared_ptr<GraphOptions>& options) {
  Command* command = graph.add_subcommand("info", "Say what a graph holds");
  command->add_option("FILE", options->input, kInputHelp)->required()->type_name("");
  add_symmetric_options(*command, options->symmetric);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Of a profile it also says which parts of the traffic are told apart, as user or phase3.user,\n"
      "each a graph NAME.PART, and how large messages were, where NAME.sizes.txt is there.\n"
      "Examples:\n  tofa graph info app\n  tofa graph info app.phase3.user\n  tofa graph info --json "
      "app.bytes.mtx");
  command->callback([options] { info(*options); });
}

void add_convert(Command& graph, const std::shared_ptr<GraphOptions>& options) {
  Command* command = graph.add_subcommand("convert", "Write a graph in another format");
  command->add_option("IN", options->input, kInputHelp)->required()->type_name("");
  add_symmetric_options(*command, options->symmetric);
  add_graph_output_options(*command, options->output, true);
  command->footer(
      "The format of IN is recognised by its contents.\n"
      "Examples:\n"
      "  tofa graph convert app.bytes.mtx -o app.grf\n"
      "  tofa graph convert prof/app -o app.bytes.mtx      (Open MPI's app.0.prof, app.1.prof, "
      "...)\n"
      "  tofa graph convert app -o app.txt --to dense");
  command->callback([options] { convert(*options); });
}

// Under two names: several runs are merged, phases of one are summed.
void add_merge(Command& graph, const std::string& name,
               const std::shared_ptr<GraphOptions>& options) {
  Command* command = graph.add_subcommand(name, "Add up graphs of the same number of ranks");
  command->add_option("IN", options->inputs, kInputHelp)->required()->type_name("");
  add_symmetric_options(*command, options->symmetric);
  add_graph_output_options(*command, options->output, true);
  command->footer(
      "The metadata of the first graph is kept.\n"
      "Example:\n"
      "  tofa graph " +
      name + " phase1.bytes.mtx phase2.bytes.mtx -o both.bytes.mtx");
  command->callback([options] { merge(*options); });
}

void add_from_grid(Command& graph, const std::shared_ptr<GraphOptions>& options) {
  Command* command = graph.add_subcommand(
      "from-grid", "Make the graph of a program on a grid, one block per rank");
  command->add_option("SHAPE", options->input, "Ranks in each dimension, as 8x8x8")
      ->required()
      ->type_name("");
  command->add_flag("--periodic", options->grid.periodic, "The grid is a torus");
  command
      ->add_option("--stencil", options->grid.stencil,
                   "Points: 5 or 9 in two dimensions, 7 or 27 in three, ... (default: the former)")
      ->type_name("POINTS");
  command->add_option("--bytes", options->grid.bytes, "What a rank sends to each partner")
      ->capture_default_str()
      ->type_name("N");
  add_graph_output_options(*command, options->output, false);
  command->footer(
      "Ranks are numbered as MPI_Cart_create numbers them. Where a graph is read, grid:SHAPE is one,\n"
      "too: grid:8x8x8, grid:16x16:periodic:stencil=9:bytes=4096.\n"
      "Example:\n"
      "  tofa graph from-grid 8x8x8 --periodic --stencil 27 -o app.mtx");
  command->callback([options] { from_grid(*options); });
}

void add_graph(Command& command) {
  auto options = std::make_shared<GraphOptions>();
  command.require_subcommand(1);
  command.footer("Examples:\n  tofa graph info app\n  tofa graph convert app -o app.grf");
  add_info(command, options);
  add_convert(command, options);
  add_merge(command, "merge", options);
  add_merge(command, "sum", options);
  add_graph_select(command);
  add_graph_compare(command);
  add_from_grid(command, options);
  add_graph_recover(command);
}

}  // namespace

extern constexpr Subcommand kGraphCommand{
    "graph", "Look at, convert, merge or make communication graphs", add_graph};

}  // namespace tofa::cli
