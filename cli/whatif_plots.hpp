// SPDX-License-Identifier: BSD-3-Clause
// The plots of `tofa whatif`: figures by share of communication and by hours, and what the jobs of
// the log are like.
#pragma once

#include <string>

#include "whatif_report.hpp"

namespace tofa::cli {

// Throws Error (bad_input) where the file is none of .html, .svg and .png. To be asked before
// anything is replayed.
void check_plot_name(const std::string& file);
void write_plots(const std::string& file, const WhatifResult& result);

}  // namespace tofa::cli
