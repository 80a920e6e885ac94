// SPDX-License-Identifier: BSD-3-Clause
// Figures of replays as text, JSON and CSV: see whatif_report.hpp.
#include "whatif_report.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "report.hpp"
#include "tofa/hostlist.hpp"

namespace tofa::cli {
namespace {

// A line of the table and a key of the JSON.
struct WhatifFigure {
  const char* key;
  const char* title;
  double (*value)(const ReplayMetrics& metrics);
  int decimals;
};

constexpr double kPercent = 100;

const std::array kWhatifFigures{
    WhatifFigure{"makespan_seconds", "makespan, s", [](const auto& m) { return m.makespan; }, 0},
    WhatifFigure{"utilisation", "utilisation, %",
                 [](const auto& m) { return kPercent * m.utilisation; }, 1},
    WhatifFigure{"mean_flow_seconds", "mean flow time, s",
                 [](const auto& m) { return m.mean_flow; }, 1},
    WhatifFigure{"mean_wait_seconds", "mean wait, s", [](const auto& m) { return m.mean_wait; }, 1},
    WhatifFigure{"mean_run_seconds", "mean run time, s", [](const auto& m) { return m.mean_run; },
                 1},
    WhatifFigure{"mean_stretch", "mean stretch", [](const auto& m) { return m.mean_stretch; }, 3},
    WhatifFigure{"weighted_stretch", "weighted stretch",
                 [](const auto& m) { return m.weighted_stretch; }, 3},
    WhatifFigure{"bounded_stretch", "bounded stretch",
                 [](const auto& m) { return m.bounded_stretch; }, 3},
    WhatifFigure{"hop_bytes_ratio", "hop-bytes, of Slurm's",
                 [](const auto& m) { return m.mean_ratio; }, 3},
    WhatifFigure{"run_time_gain", "run time saved, %",
                 [](const auto& m) { return kPercent * m.mean_gain; }, 1},
    WhatifFigure{"switches_over_least", "switches, of the least",
                 [](const auto& m) { return m.leaves_per_job; }, 3},
    WhatifFigure{"fragmentation", "fragmentation, %",
                 [](const auto& m) { return kPercent * m.fragmentation; }, 1},
    WhatifFigure{"aborts", "aborted runs",
                 [](const auto& m) { return static_cast<double>(m.aborts); }, 0},
    WhatifFigure{"lost_core_hours", "core hours lost in them",
                 [](const auto& m) { return m.lost_core_hours; }, 0},
};

// Percentages are shares in JSON.
nlohmann::ordered_json figures_json(const ReplayMetrics& metrics) {
  nlohmann::ordered_json json{{"jobs", metrics.jobs}, {"backfilled", metrics.backfilled}};
  for (const WhatifFigure& figure : kWhatifFigures) {
    const bool percent = std::string_view(figure.title).ends_with('%');
    json[figure.key] = percent ? figure.value(metrics) / kPercent : figure.value(metrics);
  }
  return json;
}

nlohmann::ordered_json comparison_json(const PairedComparison& comparison) {
  return {{"mean_seconds", comparison.mean_difference},
          {"low", comparison.low},
          {"high", comparison.high},
          {"ratio", comparison.ratio}};
}

std::vector<const WhatifRun*> runs_with(const WhatifResult& result, double communication) {
  std::vector<const WhatifRun*> runs;
  for (const WhatifRun& run : result.runs)
    if (run.communication == communication) runs.push_back(&run);
  return runs;
}

nlohmann::ordered_json pairs_json(const WhatifResult& result, double communication) {
  auto pairs = nlohmann::ordered_json::array();
  const auto runs = runs_with(result, communication);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t j = i + 1; j < runs.size(); ++j) {
      const Replay& base = *runs[i]->replay;
      const Replay& other = *runs[j]->replay;
      pairs.push_back({{"base", base.policy},
                       {"other", other.policy},
                       {"flow_saved", comparison_json(compare_flow(result.workload, base, other))},
                       {"run_saved", comparison_json(compare_run(base, other))}});
    }
  }
  return pairs;
}

nlohmann::ordered_json choice_times_json(const std::vector<ChoiceTimes>& all) {
  auto list = nlohmann::ordered_json::array();
  for (const ChoiceTimes& times : all) {
    list.push_back({{"ranks", times.ranks},
                    {"jobs", times.jobs},
                    {"mean_seconds", times.mean_seconds},
                    {"most_seconds", times.most_seconds}});
  }
  return list;
}

// Of the first share of communication: how much is communicated does not matter.
std::string choice_table(const std::vector<const WhatifRun*>& runs) {
  constexpr int first = 24;
  constexpr int column = 18;
  constexpr double milliseconds = 1e3;
  std::map<std::uint64_t, std::string> rows;
  std::string head;
  int columns = 0;
  for (const WhatifRun* run : runs) {
    if (run->choice_times.empty()) continue;
    head += fmt::format("{:>{}}", run->title, column);
    for (const ChoiceTimes& times : run->choice_times) {
      std::string& row = rows[times.ranks];
      row.resize(static_cast<std::size_t>(columns) * column, ' ');
      row += fmt::format("{:>{}}",
                         fmt::format("{:.2f} ({:.1f})", milliseconds * times.mean_seconds,
                                     milliseconds * times.most_seconds),
                         column);
    }
    ++columns;
  }
  if (rows.empty()) return "";
  std::string text = fmt::format(
      "\nTo choose nodes and put ranks on them, in ms of a processor: mean (longest)\n{:<{}}{}\n",
      "ranks, at most", first, head);
  for (const auto& [ranks, row] : rows) text += fmt::format("{:<{}}{}\n", ranks, first, row);
  return text;
}

std::string table_of(const std::vector<const WhatifRun*>& runs) {
  constexpr int first = 24;
  constexpr int column = 14;
  const bool fails = runs.front()->all.aborts > 0;
  std::string text = fmt::format("{:<{}}", "", first);
  for (const WhatifRun* run : runs) text += fmt::format("{:>{}}", run->title, column);
  text += "\n";
  for (const WhatifFigure& figure : kWhatifFigures) {
    const std::string_view key = figure.key;
    if (!fails && (key == "aborts" || key == "lost_core_hours")) continue;
    text += fmt::format("{:<{}}", figure.title, first);
    for (const WhatifRun* run : runs)
      text += fmt::format("{:>{}.{}f}", figure.value(run->all), column, figure.decimals);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string whatif_text(const WhatifResult& result) {
  const ReplayMetrics& first = result.runs.front().all;
  std::string text =
      fmt::format("{} jobs on {}, {} nodes of {} cores", first.jobs, result.topology->describe(),
                  machine_nodes(*result.topology), result.cores_per_node);
  if (result.warm_up_seconds > 0)
    text += fmt::format("; {} more filled it", result.workload.jobs.size() - first.jobs);
  if (result.workload.left_out > 0)
    text += fmt::format("; {} jobs of the log are left out", result.workload.left_out);
  text += "\n";
  for (const double communication : result.communications) {
    text += fmt::format("\nCommunication {:.0f} % of the run time\n", kPercent * communication);
    text += table_of(runs_with(result, communication));
  }
  text += choice_table(runs_with(result, result.communications.front()));
  return text;
}

std::string whatif_json(const WhatifResult& result) {
  auto cases = nlohmann::ordered_json::array();
  for (const double communication : result.communications) {
    auto policies = nlohmann::ordered_json::array();
    for (const WhatifRun* run : runs_with(result, communication)) {
      nlohmann::ordered_json entry{{"policy", run->replay->policy}};
      entry.update(figures_json(run->all));
      if (!run->choice_times.empty()) entry["choice_times"] = choice_times_json(run->choice_times);
      entry["by_hours"] = nlohmann::ordered_json::array();
      for (std::size_t i = 0; i < result.hours.size(); ++i) {
        nlohmann::ordered_json part{{"hours", result.hours[i]}};
        part.update(figures_json(run->by_hours[i]));
        entry["by_hours"].push_back(std::move(part));
      }
      policies.push_back(std::move(entry));
    }
    cases.push_back({{"communication", communication},
                     {"policies", std::move(policies)},
                     {"pairs", pairs_json(result, communication)}});
  }
  const nlohmann::ordered_json json{{"version", 1},
                                    {"topology", result.topology->describe()},
                                    {"nodes", machine_nodes(*result.topology)},
                                    {"cores_per_node", result.cores_per_node},
                                    {"jobs", result.workload.jobs.size()},
                                    {"left_out", result.workload.left_out},
                                    {"warm_up_seconds", result.warm_up_seconds},
                                    {"cases", std::move(cases)}};
  return json_text(json);
}

std::string whatif_schedule(const WhatifResult& result) {
  std::string text =
      "communication,policy,order,job,ranks,submit,start,end,run,hop_bytes_ratio,aborted,nodes\n";
  for (const WhatifRun& run : result.runs) {
    std::size_t order = 0;
    for (const JobRun& of_job : run.replay->runs) {
      const LoggedJob& logged = result.workload.jobs[of_job.job];
      std::vector<std::string> hosts;
      for (const Node node : of_job.nodes) hosts.push_back(result.topology->name(node));
      text += fmt::format("{:g},{},{},{},{},{:.0f},{:.3f},{:.3f},{:.3f},{:.4f},{},\"{}\"\n",
                          run.communication, run.replay->policy, ++order, logged.id, logged.ranks,
                          logged.submit, of_job.start, of_job.end, of_job.run_seconds, of_job.ratio,
                          of_job.aborted ? 1 : 0, slurm_hostlist(hosts));
    }
  }
  return text;
}

}  // namespace tofa::cli
