// SPDX-License-Identifier: BSD-3-Clause
// What is known of each rank, for a page's script: where it ran, whom it talked to, how long it ran
// and how much of that in MPI, and what it sent to other jobs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "page/page.hpp"

namespace tofa::cli {

// More ranks than this nobody reads one by one.
inline constexpr Rank kMostListedRanks = 65'536;

// Columns of a table: names, or numbers with a unit. Null above kMostListedRanks.
nlohmann::ordered_json ranks_json(const PageContents& contents, const CommGraph& graph);

// A row for each job that something went to or came from.
nlohmann::ordered_json other_jobs_rows(const PageRun& run);

// "./app, 2026-11-22T21:42:33Z, Open MPI 4.1.4, on 2 hosts"; empty where nothing is known.
std::string run_text(const PageRun& run);

}  // namespace tofa::cli
