// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of `tofa`, one file each. A subcommand adds itself to the parser with a callback
// that does the work; it throws tofa::Error for whatever the user can put right, and sets `status`
// when it ends otherwise than well.
#pragma once

#include <CLI/CLI.hpp>

namespace tofa::cli {

void add_map(CLI::App& app, int& status);
void add_explain(CLI::App& app, int& status);
void add_select(CLI::App& app, int& status);
void add_remap(CLI::App& app, int& status);
void add_evaluate(CLI::App& app, int& status);
void add_graph(CLI::App& app, int& status);
void add_heatmap(CLI::App& app, int& status);
void add_topology(CLI::App& app, int& status);
void add_health(CLI::App& app, int& status);

void add_all_subcommands(CLI::App& app, int& status);

}  // namespace tofa::cli
