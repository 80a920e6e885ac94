// SPDX-License-Identifier: BSD-3-Clause
// An explanation as text: see explain_report.hpp. Tables that speak for themselves, each under a
// headline, left out where there is nothing to say.
#include <fmt/core.h>

#include <algorithm>

#include "explain_report.hpp"
#include "report.hpp"
#include "tofa/gain.hpp"
#include "tofa/units.hpp"

namespace tofa::cli {
namespace {

// More rows than this help nobody; JSON has them all.
constexpr std::size_t kMostSuspects = 20;

std::string change(double before, double after) {
  if (before == after) return "same";
  if (before == 0) return "";
  return fmt::format("{:+.1f} %", 100 * (after / before - 1));
}

class Text {
 public:
  explicit Text(const ExplainReport& report)
      : report_(report), topology_(report.topology), explanation_(report.explanation) {}

  std::string write() {
    headline();
    costs();
    if (report_.placement != nullptr) {
      candidates(*report_.placement);
      improvements(*report_.placement);
    }
    pairs();
    links();
    suspects();
    return std::move(text_);
  }

 private:
  template <typename... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    std::string written = fmt::format(format, std::forward<Parts>(parts)...);
    written.erase(written.find_last_not_of(' ') + 1);
    text_ += written + "\n";
  }

  void headline() {
    const Metrics& after = explanation_.after;
    line("{} ranks on {} nodes of {}, {} between them", after.ranks, after.nodes_used,
         topology_.describe(), human_bytes(static_cast<double>(after.bytes)));
    line("communication {} (predicted), abort probability {:.4g} instead of {:.4g}",
         speedup_text(explanation_.before, after), after.abort_probability,
         explanation_.before.abort_probability);
    if (report_.placement == nullptr) return;
    const Placement& placement = *report_.placement;
    const bool portfolio = placement.origin != report_.options.mapper;
    line("mapper {}{}, {:.3f} s{}", report_.options.mapper,
         portfolio ? " (from " + placement.origin + ")" : "", placement.elapsed_seconds,
         placement.out_of_time ? ", out of time" : "");
  }

  void row(std::string_view name, double before, double after, bool aim = false) {
    line("{:<24}{:>12.6g} {:>12.6g} {:>10}{}", name, before, after, change(before, after),
         aim ? "  < objective" : "");
  }

  double value(Objective objective, const Metrics& metrics) const {
    return objective_value(objective, metrics, report_.options.abort_cost);
  }

  void costs() {
    const Metrics& before = explanation_.before;
    const Metrics& after = explanation_.after;
    line("\n{:<24}{:>12} {:>12} {:>10}", "Cost", "default", "chosen", "change");
    for (const Objective objective : all_objectives()) {
      row(objective_name(objective), value(objective, before), value(objective, after),
          objective == report_.options.objective);
    }
    line("\n{:<24}{:>12} {:>12} {:>10}", "Measured", "default", "chosen", "change");
    const auto table = metric_registry();
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (!table[i]->compared) continue;
      row(table[i]->title, as_double(before.values[i]), as_double(after.values[i]));
    }
  }

  void candidates(const Placement& placement) {
    line("\n{:<24}{:>12} {:>12}", "Candidates", "cost", "seconds");
    for (const CandidateReport& candidate : placement.candidates) {
      line("{:<24}{:>12.6g} {:>12.3f}{}", candidate.mapper, candidate.cost, candidate.seconds,
           candidate.mapper == placement.origin ? "  < chosen" : "");
    }
  }

  void improvements(const Placement& placement) {
    line("\n{:<24}{:>12} {:>12}", "What time bought", "cost", "after s");
    for (const Improvement& improvement : placement.improvements) {
      line("{:<24}{:>12.6g} {:>12.3f}", improvement.source, improvement.cost, improvement.seconds);
    }
  }

  std::string where(const PairPlaces& places) const {
    return fmt::format("{} - {}, {} {}", topology_.name(places.low), topology_.name(places.high),
                       places.hops, places.hops == 1 ? "hop" : "hops");
  }

  void pairs() {
    if (explanation_.heaviest_pairs.empty()) return;
    const std::size_t width = column([this](const auto& add) {
      for (const PairChange& pair : explanation_.heaviest_pairs) add(where(pair.before));
    });
    line("\n{:<20}{:>10}  {:<{}}  {}", "Heaviest pairs", "bytes", "default", width, "chosen");
    for (const PairChange& pair : explanation_.heaviest_pairs) {
      line("{:<20}{:>10}  {:<{}}  {}", fmt::format("{} - {}", pair.pair.low, pair.pair.high),
           human_bytes(static_cast<double>(pair.pair.bytes)), where(pair.before), width,
           where(pair.after));
    }
  }

  std::string what(const std::vector<BusyLink>& links, std::size_t index) const {
    if (index >= links.size()) return "";
    const BusyLink& link = links[index];
    return fmt::format("{:>10}  {} > {}", human_bytes(link.bytes),
                       topology_.vertex_name(link.source), topology_.vertex_name(link.target));
  }

  void links() {
    const auto& before = explanation_.busiest_before;
    const auto& after = explanation_.busiest_after;
    const std::size_t count = std::max(before.size(), after.size());
    if (count == 0) return;
    const std::size_t width = column([&](const auto& add) {
      for (std::size_t i = 0; i < count; ++i) add(what(before, i));
    });
    line("\n{:<18}  {:<{}}  {}", "Busiest links", "   default", width, "    chosen");
    for (std::size_t i = 0; i < count; ++i) {
      line("{:<18}  {:<{}}  {}", "", what(before, i), width, what(after, i));
    }
  }

  void suspects() {
    const auto& suspects = explanation_.suspects;
    if (suspects.empty()) return;
    line("\n{:<24}{:>12}  {:<12}{}", "Suspect nodes", "probability", "default", "chosen");
    for (std::size_t i = 0; i < std::min(kMostSuspects, suspects.size()); ++i) {
      const SuspectNode& suspect = suspects[i];
      line("{:<24}{:>12.4g}  {:<12}{}", topology_.name(suspect.node), suspect.probability,
           role_of(suspect.before), role_of(suspect.after));
    }
    if (suspects.size() > kMostSuspects) {
      line("and {} more, less likely to fail", suspects.size() - kMostSuspects);
    }
  }

  // The width of the widest word that `visit` adds, and of a headline at least.
  template <typename Visit>
  static std::size_t column(Visit visit) {
    std::size_t width = 10;
    visit([&width](const std::string& word) { width = std::max(width, word.size()); });
    return width;
  }

  const ExplainReport& report_;
  const Topology& topology_;
  const Explanation& explanation_;
  std::string text_;
};

}  // namespace

std::string explain_text(const ExplainReport& report) {
  return Text(report).write();
}

}  // namespace tofa::cli
