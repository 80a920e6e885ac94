// SPDX-License-Identifier: BSD-3-Clause
// Figures of a page: see page_data.hpp.
#include "page/page_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "explain_report.hpp"
#include "page/distributions.hpp"
#include "page/heatmap_data.hpp"
#include "page/ranks_data.hpp"
#include "page/sizes_data.hpp"
#include "picture/traffic_colours.hpp"
#include "report.hpp"
#include "tofa/explain.hpp"
#include "tofa/gain.hpp"
#include "tofa/units.hpp"

namespace tofa::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kListed = 20;        // pairs, links and suspects
constexpr std::size_t kCurvePoints = 200;  // of a line

std::string percent(double share) {
  return fmt::format("{:.3g} %", 100 * share);
}

// "0.25", "1234", "8.27 × 10²³".
std::string cost_text(double cost) {
  if (!std::isnormal(cost) || (cost >= 1e-3 && cost < 1e6)) return fmt::format("{:.6g}", cost);
  constexpr std::array digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  const std::string text = fmt::format("{:.2e}", cost);  // as 8.27e+23
  const std::size_t e = text.find('e');
  std::string result = text.substr(0, e) + " × 10" + (text[e + 1] == '-' ? "⁻" : "");
  for (const char digit : std::to_string(std::stoi(text.substr(e + 2))))
    result += digits[static_cast<std::size_t>(digit - '0')];
  return result;
}

// "-23 %"; nothing where there is nothing to compare with.
std::string change(double before, double after) {
  if (before == after) return "same";
  if (before == 0) return "";
  return fmt::format("{:+.1f} %", 100 * (after / before - 1));
}

class PageData {
 public:
  PageData(const PageContents& contents, const CommGraph& graph,
           const std::optional<MachineStates>& states)
      : contents_(contents),
        graph_(graph),
        states_(states),
        traffic_(contents.parts.front().traffic),
        bytes_(!counts_messages(traffic_)) {
    if (!contents.machine) return;
    const PageMachine& machine = *contents.machine;
    explanation_ = explain(graph, machine.topology, machine.outages, machine.allocated,
                           machine.before, machine.after, kListed, machine.abort_cost);
  }

  Json write() const {
    Json json;
    json["title"] = contents_.title;
    json["colours"] = {{"light", colours(Ground::light)}, {"dark", colours(Ground::dark)}};
    json["cards"] = cards();
    json["orders"] = Json::array();
    const std::vector<TitledOrder> orders = rank_orders();
    for (const TitledOrder& order : orders)
      json["orders"].push_back(order_json(order, traffic_.ranks));
    json["matrices"] = Json::array();
    for (const TrafficPart& part : contents_.parts) {
      json["matrices"].push_back(matrix_json(part.traffic, orders));
      json["matrices"].back()["part"] = part.name;
      if (part.phase > 0) json["matrices"].back()["phase"] = part.phase;
      json["matrices"].back()["pairs"] = pairs(part.traffic);
    }
    if (contents_.sizes) json["sizes"] = message_sizes_json(*contents_.sizes, orders);
    json["run"] = run_text(contents_.run);
    json["ranks"] = ranks_json(contents_, graph_);
    json["otherJobs"] = other_jobs_rows(contents_.run);
    json["gain"] = gain();
    json["charts"] = charts();
    json["links"] = links();
    json["suspects"] = suspects();
    return json;
  }

 private:
  const char* unit() const { return bytes_ ? "bytes" : "count"; }
  std::string amount(double value) const { return format_amount(value, bytes_); }

  static Json colours(Ground ground) {
    Json list = Json::array();
    for (std::size_t level = 0; level < kColourLevels; ++level)
      list.push_back(traffic_colour(level, ground));
    return list;
  }

  // Nodes in the order of the topology; virtual hosts are part of their host.
  RankOrder order_of(const Mapping& mapping) const {
    const Topology& topology = contents_.machine->topology;
    std::vector<std::uint32_t> node_of;
    node_of.reserve(mapping.size());
    for (const Node node : mapping) node_of.push_back(topology.host(node));
    return order_by_node(node_of, [&topology](std::uint32_t node) { return topology.name(node); });
  }

  std::vector<TitledOrder> rank_orders() const {
    if (!contents_.machine) return {{"Ranks in their order", {}}};
    const PageMachine& machine = *contents_.machine;
    return {{machine.before_title, order_of(machine.before)},
            {machine.after_title, order_of(machine.after)}};
  }

  Json cards() const {
    Json list = Json::array();
    const auto add = [&list](const char* name, const std::string& value, const std::string& more) {
      list.push_back({{"name", name}, {"value", value}, {"more", more}});
    };
    std::size_t least = graph_.pairs();
    std::size_t most = 0;
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      least = std::min(least, graph_.partners(rank).size());
      most = std::max(most, graph_.partners(rank).size());
    }
    add("Ranks", std::to_string(graph_.ranks()),
        least >= most ? fmt::format("{} partner{} each", most, most == 1 ? "" : "s")
                      : fmt::format("{} to {} partners each", least, most));
    add(bytes_ ? "Traffic" : "Messages", amount(static_cast<double>(graph_.total_bytes())),
        fmt::format("between {} pairs", graph_.pairs()));
    add_run_cards(add);
    if (contents_.machine) add_machine_cards(add);
    return list;
  }

  template <typename Add>
  void add_run_cards(const Add& add) const {
    const PageRun& run = contents_.run;
    const std::vector<double>& seconds = run.facts.run_seconds;
    if (!seconds.empty()) {
      const double longest = *std::max_element(seconds.begin(), seconds.end());
      add("Run time", fmt::format("{:.3g} s", longest), "from MPI_Init to MPI_Finalize");
    }
    if (const auto shares = mpi_shares(run.facts)) {
      add("In MPI", percent(shares->mean),
          fmt::format("{} (rank {}) to {} (rank {})", percent(shares->least), shares->of_least,
                      percent(shares->most), shares->of_most));
    }
    std::uint64_t to_others = 0;
    for (const OtherJobSum& job : sum_other_jobs(run.other_jobs))
      if (!job.fetched) to_others += job.bytes;
    if (!run.other_jobs.empty())
      add("To other jobs", human_bytes(static_cast<double>(to_others)), "in no matrix");
  }

  template <typename Add>
  void add_machine_cards(const Add& add) const {
    const Metrics& before = explanation_.before;
    const Metrics& after = explanation_.after;
    add("Predicted gain", communication_speedup(before, after) == 1 ? "none" : speedup(),
        "communication, compared to before");
    const auto inter_node = [this](const Mapping& mapping) {
      return share_between_nodes(traffic_, order_of(mapping));
    };
    const auto from_to = [](const std::string& from, const std::string& to) {
      return from == to ? "before and after" : "instead of " + from;
    };
    const std::string between = percent(inter_node(contents_.machine->after));
    add("Between nodes", between,
        from_to(percent(inter_node(contents_.machine->before)), between) + ", of the traffic");
    const std::string hops = fmt::format("{:.3g}", after.average_hops_per_byte);
    add(bytes_ ? "Hops per byte" : "Hops per message", hops,
        from_to(fmt::format("{:.3g}", before.average_hops_per_byte), hops));
    const std::string link = amount(after.max_link_load);
    const bool unlike = contents_.machine->topology.link_costs() != nullptr;
    add("Busiest link", link,
        from_to(amount(before.max_link_load), link) + (unlike ? ", as on the fastest" : ""));
    if (before.abort_probability > 0 || after.abort_probability > 0) {
      const std::string abort = percent(after.abort_probability);
      add("Job aborts", abort, from_to(percent(before.abort_probability), abort));
    }
  }

  // "2.1 times as fast as the default" without what it is compared with.
  std::string speedup() const {
    std::string text = speedup_text(explanation_.before, explanation_.after);
    return text.substr(
        0, text.find(text.find(" as the ") != std::string::npos ? " as the " : " than"));
  }

  Json gain() const {
    if (!contents_.machine) return Json::array();
    Json rows = Json::array();
    const PageMachine& machine = *contents_.machine;
    const auto row = [&rows](std::string_view name, const std::string& before_text,
                             const std::string& after_text, double before, double after,
                             bool is_cost = true) {
      const char* verdict = !is_cost || before == after ? "" : after < before ? "better" : "worse";
      rows.push_back({{"name", name},
                      {"before", before_text},
                      {"after", after_text},
                      {"change", change(before, after)},
                      {"verdict", verdict}});
    };
    const auto table = metric_registry();
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (!table[i]->compared) continue;
      const MetricValue before = explanation_.before.values[i];
      const MetricValue after = explanation_.after.values[i];
      row(table[i]->title, metric_text(table[i]->unit, before), metric_text(table[i]->unit, after),
          as_double(before), as_double(after), table[i]->unit != MetricUnit::count);
    }
    for (const Objective objective : all_objectives()) {
      const double before = objective_value(objective, explanation_.before, machine.abort_cost);
      const double after = objective_value(objective, explanation_.after, machine.abort_cost);
      row(fmt::format("objective {}", objective_name(objective)), cost_text(before),
          cost_text(after), before, after);
    }
    return rows;
  }

  Json bars(const char* title, const Bars& bars, const char* across, const char* up) const {
    return {{"title", title},
            {"kind", "bars"},
            {"labels", bars.labels},
            {"across", across},
            {"up", up},
            {"unit", "count"},
            {"series", {{{"name", up}, {"values", bars.values}}}}};
  }

  // Two lines over the same range.
  Json lines(const char* title, const char* across, const std::string& last,
             const std::string& first_name, const std::vector<double>& first,
             const std::string& second_name, const std::vector<double>& second) const {
    return {
        {"title", title},
        {"kind", "lines"},
        {"labels", {"0", last}},
        {"across", across},
        {"up", ""},
        {"unit", unit()},
        {"series",
         {{{"name", first_name}, {"values", first}}, {{"name", second_name}, {"values", second}}}}};
  }

  Json charts() const {
    Json list = Json::array();
    if (contents_.machine) {
      list.push_back(distances());
      list.push_back(link_loads());
    }
    list.push_back(
        bars("How many partners ranks have", ranks_by_partners(graph_), "partners", "ranks"));
    list.push_back(bars(bytes_ ? "How much pairs exchange" : "How many messages pairs exchange",
                        pairs_by_amount(graph_, bytes_),
                        bytes_ ? "bytes, from this on to twice as many" : "messages", "pairs"));
    const Traffic* messages = counted_messages();
    if (messages != nullptr && !contents_.sizes) {  // which say it better

      list.push_back(bars("How large messages are", messages_by_size(traffic_, *messages),
                          "mean size of those from one rank to another", "messages"));
    }
    list.push_back(traffic_by_rank());
    if (!contents_.run.facts.run_seconds.empty()) list.push_back(times_by_rank());
    return list;
  }

  // Of the same part of the traffic as the first.
  const Traffic* counted_messages() const {
    for (const TrafficPart& part : contents_.parts) {
      if (bytes_ && part.phase == 0 && part.name == contents_.parts.front().name &&
          counts_messages(part.traffic))
        return &part.traffic;
    }
    return nullptr;
  }

  Json distances() const {
    const PageMachine& machine = *contents_.machine;
    std::vector<double> before = amount_by_hops(graph_, machine.topology, machine.before);
    std::vector<double> after = amount_by_hops(graph_, machine.topology, machine.after);
    const std::size_t most = std::max(before.size(), after.size());
    before.resize(most);
    after.resize(most);
    std::vector<std::string> labels;
    for (std::size_t hops = 0; hops < most; ++hops) labels.push_back(std::to_string(hops));
    return {{"title", "How far traffic travels"},
            {"kind", "bars"},
            {"labels", labels},
            {"across", "hops; 0 is inside a node"},
            {"up", bytes_ ? "bytes" : "messages"},
            {"unit", unit()},
            {"series",
             {{{"name", "before"}, {"values", before}}, {{"name", "after"}, {"values", after}}}}};
  }

  Json link_loads() const {
    const std::size_t used = static_cast<std::size_t>(
        std::max(std::count_if(states_->before.load.begin(), states_->before.load.end(), is_used),
                 std::count_if(states_->after.load.begin(), states_->after.load.end(), is_used)));
    // Links that carry nothing in either would only squeeze the others together.
    const auto busiest = [used](std::vector<double> loads) {
      std::sort(loads.begin(), loads.end(), std::greater<>());
      loads.resize(used);
      return descending_curve(std::move(loads), kCurvePoints);
    };
    return lines("What links carry", "links, the busiest first", std::to_string(used), "before",
                 busiest(states_->before.load), "after", busiest(states_->after.load));
  }

  static bool is_used(double load) { return load > 0; }

  Json traffic_by_rank() const {
    std::vector<double> sent(traffic_.ranks);
    std::vector<double> received(traffic_.ranks);
    for (const TrafficEntry& entry : traffic_.entries) {
      sent[entry.sender] += static_cast<double>(entry.value);
      received[entry.receiver] += static_cast<double>(entry.value);
    }
    return lines("Sent and received by rank", "rank", std::to_string(traffic_.ranks - 1), "sent",
                 envelope(sent, kCurvePoints), "received", envelope(received, kCurvePoints));
  }

  Json times_by_rank() const {
    const RunFacts& facts = contents_.run.facts;
    Json chart = lines("Time by rank", "rank", std::to_string(traffic_.ranks - 1), "run time",
                       envelope(facts.run_seconds, kCurvePoints), "in MPI",
                       envelope(facts.mpi_seconds, kCurvePoints));
    chart["unit"] = "seconds";
    if (facts.mpi_seconds.empty()) chart["series"].erase(1);
    return chart;
  }

  // Where two ranks are with a mapping.
  std::string where(const RankPair& pair, const Mapping& mapping) const {
    const Topology& topology = contents_.machine->topology;
    const Node low = mapping[pair.low];
    const Node high = mapping[pair.high];
    if (topology.host(low) == topology.host(high))
      return "both on " + topology.name(topology.host(low));
    const unsigned hops = topology.hops(low, high);
    return fmt::format("{} – {}, {} {}", topology.name(low), topology.name(high), hops,
                       hops == 1 ? "hop" : "hops");
  }

  // Of one part of the traffic, which may count something else than the first does.
  Json pairs(const Traffic& traffic) const {
    const CommGraph graph(traffic);
    const bool bytes = !counts_messages(traffic);
    Json rows = Json::array();
    for (const RankPair& pair : heaviest_pairs(graph, kListed)) {
      const auto value = static_cast<double>(pair.bytes);
      rows.push_back({{"ranks", fmt::format("{} – {}", pair.low, pair.high)},
                      {"amount", format_amount(value, bytes)},
                      {"share", percent(value / static_cast<double>(graph.total_bytes()))}});
      if (!contents_.machine) continue;
      rows.back()["before"] = where(pair, contents_.machine->before);
      rows.back()["after"] = where(pair, contents_.machine->after);
    }
    return rows;
  }

  Json links() const {
    Json rows = Json::array();
    if (!contents_.machine) return rows;
    const auto text = [this](const std::vector<BusyLink>& links, std::size_t i) -> std::string {
      if (i >= links.size()) return "";
      const Topology& topology = contents_.machine->topology;
      return fmt::format("{}: {} → {}", amount(links[i].bytes),
                         topology.vertex_name(links[i].source),
                         topology.vertex_name(links[i].target));
    };
    const std::size_t most =
        std::max(explanation_.busiest_before.size(), explanation_.busiest_after.size());
    for (std::size_t i = 0; i < most; ++i) {
      rows.push_back({{"before", text(explanation_.busiest_before, i)},
                      {"after", text(explanation_.busiest_after, i)}});
    }
    return rows;
  }

  Json suspects() const {
    Json rows = Json::array();
    if (!contents_.machine) return rows;
    for (const SuspectNode& suspect : explanation_.suspects) {
      if (rows.size() == kListed) break;
      rows.push_back({{"node", contents_.machine->topology.name(suspect.node)},
                      {"probability", percent(suspect.probability)},
                      {"before", role_of(suspect.before)},
                      {"after", role_of(suspect.after)}});
    }
    return rows;
  }

  const PageContents& contents_;
  const CommGraph& graph_;
  const std::optional<MachineStates>& states_;
  const Traffic& traffic_;
  bool bytes_;
  Explanation explanation_;
};

}  // namespace

Json page_data(const PageContents& contents, const CommGraph& graph,
               const std::optional<MachineStates>& states) {
  return PageData(contents, graph, states).write();
}

}  // namespace tofa::cli
