// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a job had counted when it died. While the monitor is at work, each rank's
// counters live in a file STEM.counts/RANK; a job that ends well takes them away, any other leaves
// them. From what is left comes the graph, as the job would have written it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/comm_graph.hpp"
#include "tofa/other_jobs.hpp"

namespace tofa {

// What a rank sends, by class, and last what it fetches from others: that is one-sided traffic,
// too, sent by the partner.
inline constexpr std::size_t kTrafficKinds = 6;

struct PartnerCounts {
  Rank partner;
  std::array<std::uint64_t, kTrafficKinds> bytes;
  std::array<std::uint64_t, kTrafficKinds> messages;
};

// A partner in another job.
struct OtherJobPartner {
  std::uint32_t job;
  PartnerCounts counts;
};

// How long a rank had run when its last MPI call returned, and how much of it in MPI.
struct CallTimes {
  double run_seconds, mpi_seconds;
  std::uint64_t calls;
};

// One rank's file.
struct RankCounts {
  Rank rank = 0;
  Rank ranks = 0;         // of the job
  bool complete = false;  // the rank had arrived in MPI_Finalize, and all of its counters are there
  bool cut = false;       // the disk was full, and some counters are not in the file
  bool apart = false;     // the classes of traffic were asked for apart
  std::int64_t started = 0;
  std::uint64_t untracked_messages = 0, untracked_bytes = 0;
  std::uint32_t not_counted = 0;  // bits, as pml-monitor/not_counted.h has them
  std::uint32_t phase = 0;        // these are the counts of this one; 0: of all
  std::string open_mpi, host, command;
  std::optional<CallTimes> times;       // where they were asked for
  std::vector<PartnerCounts> partners;  // those with any traffic, ascending
  std::vector<OtherJobPartner> other_jobs;
  std::vector<PartnerCounts> estimated;  // what was not sent, but would have been by messages
  std::vector<PartnerCounts> declared;   // neighbours that the program has told MPI: weights, edges
};

// Throws Error when the bytes are no such file.
RankCounts parse_rank_counts(std::string_view bytes, const std::string& name);

// Every file in the folder STEM.counts, by rank. Throws Error when there is none, one is damaged,
// they are of different jobs, or a rank still runs; without `running`, that is.
std::vector<RankCounts> read_rank_counts(const std::string& stem, bool running = false);

enum class TrafficClass { user, collective, one_sided, io, library, all };
inline constexpr std::size_t kTrafficClasses = 5;  // without `all`

// As it is in names of files and in metadata.
std::string_view class_name(TrafficClass traffic_class);

// The same of a phase, as "phase3" or "phase3.user"; 0: of no phase.
std::string part_name(std::uint32_t phase, TrafficClass traffic_class);

// The graph of bytes or messages that these ranks sent. Its metadata tells which ranks are missing
// and which had not arrived in MPI_Finalize: of these, there is what they sent until they died.
Traffic recover_traffic(const std::vector<RankCounts>& counts, TrafficClass traffic_class,
                        bool messages);

// The graph of what these ranks would have sent if collectives that were made by other means had
// gone by messages; without entries where there were none.
Traffic recover_estimated(const std::vector<RankCounts>& counts, bool messages);

// The graph that these ranks have declared to MPI; without entries where there is none.
Traffic recover_declared(const std::vector<RankCounts>& counts);

// NAME.other-jobs.txt of these ranks; empty when they sent nothing to other jobs.
std::string recover_other_jobs(const std::vector<RankCounts>& counts);

// NAME.ranks.json of these ranks: where they were if that is known of all, and their times.
std::string recover_run(const std::vector<RankCounts>& counts);

// Whether a NAME.ranks.json was made so, and not by the run itself.
bool is_recovered_run(std::string_view text);

// Removes the files, and the folder if it is empty then.
void remove_rank_counts(const std::string& stem);

// "3,7-9", for ascending ranks.
std::string rank_list(const std::vector<Rank>& ranks);

}  // namespace tofa
