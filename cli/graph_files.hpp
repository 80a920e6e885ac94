// SPDX-License-Identifier: BSD-3-Clause
// The files of a profile beside each other: NAME.bytes.mtx, NAME.messages.mtx, and, of a part of
// the traffic, NAME.user.bytes.mtx and the like.
#pragma once

#include <string>

namespace tofa::cli {

// What people call a graph: its file's name, without folder and endings.
std::string graph_name(const std::string& graph);

// The file that counts `quantity` ("bytes" or "messages") beside the one that `graph` names or is
// the stem of; of part of the traffic, such as "user", where one is named. Empty when there is
// none.
std::string graph_file(const std::string& graph, const std::string& quantity,
                       const std::string& part = "");

// NAME.ranks.json beside it, which says where the ranks were when the profile was taken; empty when
// there is none.
std::string run_file(const std::string& graph);

// NAME.sizes.txt beside it: how large messages were; empty when there is none.
std::string sizes_file(const std::string& graph);

// NAME.other-jobs.txt beside it: what went to other jobs; empty when there is none.
std::string other_jobs_file(const std::string& graph);

}  // namespace tofa::cli
