// SPDX-License-Identifier: BSD-3-Clause
// One sheet of panels: see whatif_plots.hpp. A page is the sheet and the table below it.
#include "whatif_plots.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "common_options.hpp"
#include "picture/chart_panels.hpp"
#include "picture_file.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {
namespace {

struct PlottedFigure {
  const char* title;
  double (*value)(const ReplayMetrics& metrics);
};

constexpr double kHourSeconds = 3600;
constexpr double kMilliseconds = 1e3;

const std::array kPlottedFigures{
    PlottedFigure{"Mean flow time, s", [](const ReplayMetrics& m) { return m.mean_flow; }},
    PlottedFigure{"Mean stretch", [](const ReplayMetrics& m) { return m.mean_stretch; }},
    PlottedFigure{"Makespan, h", [](const ReplayMetrics& m) { return m.makespan / kHourSeconds; }},
    PlottedFigure{"Utilisation", [](const ReplayMetrics& m) { return m.utilisation; }},
    PlottedFigure{"Run time saved", [](const ReplayMetrics& m) { return m.mean_gain; }},
    PlottedFigure{"Fragmentation", [](const ReplayMetrics& m) { return m.fragmentation; }},
};

bool is_page(const std::string& file) {
  return file.ends_with(".html");
}

std::vector<const WhatifRun*> runs_of_policy(const WhatifResult& result, std::size_t policy) {
  const std::size_t policies = result.runs.size() / result.communications.size();
  std::vector<const WhatifRun*> runs;
  for (std::size_t i = policy; i < result.runs.size(); i += policies)
    runs.push_back(&result.runs[i]);
  return runs;
}

// The share of jobs that are no larger.
ChartPanel distribution(const char* title, const char* x_title, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  ChartLine line{0, {}};
  const std::size_t step = std::max<std::size_t>(1, values.size() / 200);
  for (std::size_t i = 0; i < values.size(); i += step) {
    line.points.emplace_back(values[i],
                             static_cast<double>(i + 1) / static_cast<double>(values.size()));
  }
  return {title, x_title, {std::move(line)}, true, true};
}

ChartPanel by_communication(const WhatifResult& result, const PlottedFigure& figure) {
  ChartPanel panel{figure.title, "share of communication", {}};
  for (std::size_t policy = 0; policy < result.runs.size() / result.communications.size();
       ++policy) {
    ChartLine line{policy, {}};
    for (const WhatifRun* run : runs_of_policy(result, policy))
      line.points.emplace_back(run->communication, figure.value(run->all));
    panel.lines.push_back(std::move(line));
  }
  return panel;
}

ChartPanel by_hours(const WhatifResult& result, const PlottedFigure& figure, double communication) {
  ChartPanel panel{fmt::format("{}, communication {:g}", figure.title, communication),
                   "jobs of the first hours",
                   {}};
  std::size_t policy = 0;
  for (const WhatifRun& run : result.runs) {
    if (run.communication != communication) continue;
    ChartLine line{policy++, {}};
    for (std::size_t i = 0; i < result.hours.size(); ++i)
      line.points.emplace_back(result.hours[i], figure.value(run.by_hours[i]));
    panel.lines.push_back(std::move(line));
  }
  return panel;
}

// By the size of jobs, which double from one point to the next.
void add_choice_times(ChartSheet& sheet, const WhatifResult& result) {
  ChartPanel panel{"Time to choose nodes, ms", "ranks", {}, true, true};
  const std::size_t policies = result.runs.size() / result.communications.size();
  for (std::size_t policy = 0; policy < policies; ++policy) {
    ChartLine line{policy, {}};
    for (const ChoiceTimes& times : result.runs[policy].choice_times)
      line.points.emplace_back(times.ranks, kMilliseconds * times.mean_seconds);
    if (!line.points.empty()) panel.lines.push_back(std::move(line));
  }
  if (!panel.lines.empty()) sheet.panels.push_back(std::move(panel));
}

ChartSheet sheet_of(const WhatifResult& result) {
  ChartSheet sheet;
  sheet.title =
      fmt::format("{} jobs on {}", result.workload.jobs.size(), result.topology->describe());
  for (std::size_t i = 0; i < result.runs.size() / result.communications.size(); ++i)
    sheet.legend.push_back(result.runs[i].title);
  for (const PlottedFigure& figure : kPlottedFigures)
    sheet.panels.push_back(by_communication(result, figure));
  constexpr std::size_t with_hours = 4;  // the others say nothing of some of the jobs
  for (std::size_t i = 0; i < with_hours && !result.hours.empty(); ++i) {
    for (const double communication : result.communications)
      sheet.panels.push_back(by_hours(result, kPlottedFigures[i], communication));
  }
  add_choice_times(sheet, result);
  std::vector<double> runs;
  std::vector<double> sizes;
  for (const LoggedJob& job : result.workload.jobs) {
    runs.push_back(job.run_seconds);
    sizes.push_back(job.ranks);
  }
  sheet.panels.push_back(distribution("Share of jobs, by run time", "seconds", std::move(runs)));
  sheet.panels.push_back(distribution("Share of jobs, by size", "ranks", std::move(sizes)));
  return sheet;
}

// escape_xml() makes spaces of ends of lines.
std::string escape_lines(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    escaped += escape_xml(text.substr(0, size)) + "\n";
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return escaped;
}

}  // namespace

void check_plot_name(const std::string& file) {
  if (!file.empty() && !is_page(file)) wants_png(file);
}

void write_plots(const std::string& file, const WhatifResult& result) {
  const std::string svg = chart_svg(sheet_of(result));
  if (is_page(file)) {
    write_output(file,
                 fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                             "<title>What would it have brought?</title></head>\n<body>\n{}"
                             "<pre>{}</pre>\n</body></html>\n",
                             svg, escape_lines(whatif_text(result))));
    return;
  }
  write_output(file, wants_png(file) ? svg_to_png(svg) : svg);
}

}  // namespace tofa::cli
