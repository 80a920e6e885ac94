// SPDX-License-Identifier: BSD-3-Clause
// The list of subcommands, in the order --help shows them.
#include "subcommands.hpp"

namespace tofa::cli {

void add_all_subcommands(CLI::App& app, int& status) {
  add_map(app, status);
  add_explain(app, status);
  add_select(app, status);
  add_remap(app, status);
  add_evaluate(app, status);
  add_heatmap(app, status);
  add_graph(app, status);
  add_topology(app, status);
  add_health(app, status);
}

}  // namespace tofa::cli
