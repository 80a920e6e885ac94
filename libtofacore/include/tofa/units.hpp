// SPDX-License-Identifier: BSD-3-Clause
// Amounts as people read them.
#pragma once

#include <string>

namespace tofa {

// "96 B", "1.5 KiB", "64 MiB": at most one decimal.
std::string human_bytes(double bytes);

}  // namespace tofa
