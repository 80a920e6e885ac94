// SPDX-License-Identifier: BSD-3-Clause
// A log as that of the machine in the paper looks: many short jobs on few cores, a few very large
// ones, a rush in the first hour, and daytimes. docs/whatif.md says which figures are published and
// which are ours.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "mapping/tools/random_source.hpp"
#include "tofa/comm_graph.hpp"
#include "tofa/error.hpp"
#include "tofa/workload.hpp"

namespace tofa {
namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kLongestRun = 86'400;

double normal(RandomSource& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
  return radius * std::cos(2 * std::numbers::pi * random.unit());
}

// Cores of a job: most ask for a power of two.
struct SizeShare {
  Rank cores;
  double share;
};
constexpr std::array kSizes{
    SizeShare{1, 0.24},      SizeShare{2, 0.04},     SizeShare{4, 0.05},
    SizeShare{8, 0.06},      SizeShare{16, 0.11},    SizeShare{32, 0.12},
    SizeShare{64, 0.11},     SizeShare{128, 0.09},   SizeShare{256, 0.07},
    SizeShare{512, 0.05},    SizeShare{1024, 0.034}, SizeShare{2048, 0.016},
    SizeShare{4096, 0.007},  SizeShare{8192, 0.002}, SizeShare{16384, 0.0008},
    SizeShare{32768, 0.0002}};

Rank draw_size(const GeneratedWorkload& wanted, RandomSource& random) {
  double at = random.unit();
  std::size_t i = 0;
  while (i + 1 < kSizes.size() && at >= kSizes[i].share) at -= kSizes[i++].share;
  Rank cores = kSizes[i].cores;
  // One in four is a multiple of a node and no power of two.
  constexpr double odd_share = 0.25;
  if (cores > wanted.cores_per_node && random.unit() < odd_share) {
    const Rank nodes = cores / wanted.cores_per_node;
    cores = wanted.cores_per_node * (nodes + random.below(nodes + 1));
  }
  return std::min(cores, wanted.cores);
}

// Large jobs run longer; half of all run for less than the median that is wanted.
double draw_run(const GeneratedWorkload& wanted, Rank cores, RandomSource& random) {
  constexpr double spread = 1.9;       // of the logarithm
  constexpr double median_cores = 21;  // about the median size
  constexpr double growth_with_size = 0.5;
  const double middle =
      std::log(wanted.median_run_seconds) + growth_with_size * std::log(cores / median_cores);
  return std::clamp(std::exp(middle + spread * normal(random)), 1.0, kLongestRun);
}

// Users ask for round times, and for more than they need.
double draw_limit(double run, RandomSource& random) {
  static constexpr std::array limits{600.0,    1800.0,   3600.0,   7200.0,
                                     14'400.0, 28'800.0, 43'200.0, 86'400.0};
  constexpr double most_overestimate = 12;
  const double asked = run * (1 + (most_overestimate - 1) * random.unit());
  const auto limit = std::lower_bound(limits.begin(), limits.end(), asked);
  return limit == limits.end() ? kLongestRun : *limit;
}

// Jobs come as by chance, twice as many by day as by night; in the first hour there are more.
std::vector<double> draw_arrivals(const GeneratedWorkload& wanted, RandomSource& random) {
  constexpr double day_hours = 24;
  constexpr double swing = 0.33;
  std::vector<double> arrivals;
  double hour = 0;
  while (arrivals.size() < wanted.jobs) {
    const double rate = hour < 1
                            ? wanted.first_hour_jobs
                            : wanted.jobs_per_hour *
                                  (1 + swing * std::cos(2 * std::numbers::pi * hour / day_hours));
    hour -= std::log(1 - random.unit()) / rate;
    arrivals.push_back(std::round(hour * kSecondsPerHour));
  }
  return arrivals;
}

// The paper names one job: 32768 cores, submitted at 8461 s. It takes the place of the one that
// comes next to that.
void add_large_job(const GeneratedWorkload& wanted, Workload& workload) {
  constexpr double submitted = 8461;
  constexpr Rank cores = 32'768;
  constexpr double run = 5400;
  if (wanted.cores < cores || workload.jobs.back().submit < submitted) return;
  const auto job = std::find_if(workload.jobs.begin(), workload.jobs.end(),
                                [](const LoggedJob& other) { return other.submit >= submitted; });
  job->submit = submitted;
  job->ranks = cores;
  job->run_seconds = run;
  job->limit_seconds = 2 * run;
}

void check_generated(const GeneratedWorkload& wanted) {
  const auto require = [](bool good, const char* what) {
    if (!good) throw Error(ErrorKind::bad_input, fmt::format("cannot generate a log: {}", what));
  };
  require(wanted.jobs >= 1 && wanted.jobs <= 10'000'000, "1 to 10000000 jobs are possible");
  require(wanted.cores >= 1 && wanted.cores <= kMaxRanks,
          "the machine has no such number of cores");
  require(wanted.cores_per_node >= 1 && wanted.cores_per_node <= wanted.cores,
          "a node cannot have so many cores");
  require(wanted.programs >= 1, "there is one program at least");
  require(wanted.first_hour_jobs > 0 && wanted.jobs_per_hour > 0, "jobs must come");
  require(wanted.median_run_seconds >= 1 && wanted.median_run_seconds <= kLongestRun,
          "runs last a second to a day");
}

}  // namespace

Workload generate_workload(const GeneratedWorkload& wanted) {
  check_generated(wanted);
  RandomSource random(wanted.seed);
  Workload workload;
  workload.cores_per_node = wanted.cores_per_node;
  workload.format = "generated";
  for (const double arrival : draw_arrivals(wanted, random)) {
    LoggedJob job;
    job.id = std::to_string(workload.jobs.size() + 1);
    job.name = fmt::format("app{}", 1 + random.below(wanted.programs));
    job.submit = arrival;
    job.ranks = draw_size(wanted, random);
    job.run_seconds = std::round(draw_run(wanted, job.ranks, random));
    job.limit_seconds = draw_limit(job.run_seconds, random);
    workload.jobs.push_back(std::move(job));
  }
  add_large_job(wanted, workload);
  return workload;
}

}  // namespace tofa
