// SPDX-License-Identifier: BSD-3-Clause
// Which files are of one profile, by their names; as pml-monitor/result_names.h has them, which
// knows nothing of this library.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace tofa {

// What may follow NAME: ".bytes.mtx", ".phase3.user.messages.mtx", ".sizes.txt" and so on.
const std::set<std::string>& profile_endings();

// The files of this profile that are there; none where the folder cannot be read.
std::vector<std::string> profile_files(const std::string& stem);

}  // namespace tofa
