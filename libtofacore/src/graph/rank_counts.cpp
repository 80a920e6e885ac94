// SPDX-License-Identifier: BSD-3-Clause
// Reads the monitor's counters and makes graphs of them. A file is a head of 512 bytes and
// records of 112 bytes, none of which crosses the border of a block of 4,096, in the byte order of
// the machine that wrote it, as pml-monitor/counts_format.h says.
#include "graph/counts_files.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "tofa/error.hpp"
#include "tofa/file_descriptor.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadSize = 512, kRecordSize = 112, kBlockSize = 4096;
constexpr std::size_t kMagicSize = 8;
constexpr std::uint32_t kByteOrder = 0x01020304, kVersion = 5;
constexpr std::int64_t kLatestStart = std::int64_t{1} << 36;  // year 4147

// Takes numbers and texts from fixed places.
struct Fields {
  std::string_view bytes;

  template <typename Number>
  Number number(std::size_t at) const {
    Number value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }
  // Up to the first zero; what is not printable ASCII becomes '?'.
  std::string text(std::size_t at, std::size_t size) const {
    std::string_view field = bytes.substr(at, size);
    std::string result(field.substr(0, field.find('\0')));
    std::replace_if(
        result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return result;
  }
};

[[noreturn]] void fail(const std::string& name, const std::string& reason) {
  throw Error(ErrorKind::bad_input, name, 0, reason);
}

bool has_messages(const PartnerCounts& partner) {
  return std::any_of(partner.messages.begin(), partner.messages.end(),
                     [](std::uint64_t messages) { return messages > 0; });
}

PartnerCounts parse_record(const Fields& record) {
  PartnerCounts partner{record.number<std::uint32_t>(0), {}, {}};
  for (std::size_t kind = 0; kind < kTrafficKinds; ++kind) {
    partner.bytes[kind] = record.number<std::uint64_t>(8 + 8 * kind);
    partner.messages[kind] = record.number<std::uint64_t>(8 + 8 * kTrafficKinds + 8 * kind);
  }
  return partner;
}

// Whose rank a partner is: this job's, this job's in an estimate or in what was declared, or, with
// the bit, that of the job in the bits below.
constexpr std::uint64_t kEstimated = 1;
constexpr std::uint64_t kDeclared = 2;
constexpr std::uint64_t kOtherJob = std::uint64_t{1} << 32;

std::uint64_t set_of(const Fields& record) {
  return record.number<std::uint64_t>(8 + 16 * kTrafficKinds);
}

// Nothing where none were counted, or the file is damaged. A rank's clock starts with its machine.
std::optional<CallTimes> parse_times(const Fields& head) {
  constexpr double second = 1e9;
  const auto began = head.number<std::uint64_t>(480), latest = head.number<std::uint64_t>(504);
  const auto in_calls = head.number<std::uint64_t>(488), calls = head.number<std::uint64_t>(496);
  if (began == 0 || latest < began || calls == 0) return std::nullopt;
  return CallTimes{static_cast<double>(latest - began) / second,
                   static_cast<double>(in_calls) / second, calls};
}

std::vector<PartnerCounts>& partners_in(RankCounts& counts, std::uint64_t set) {
  if (set == kEstimated) return counts.estimated;
  return set == kDeclared ? counts.declared : counts.partners;
}

std::size_t next_record(std::size_t at) {
  at += kRecordSize;
  const std::size_t left = kBlockSize - at % kBlockSize;
  return left < kRecordSize ? at + left : at;
}

std::string folder_of(const std::string& stem) {
  return stem + ".counts";
}

// Files have the rank's number as name, before this suffix; others are not ours.
bool is_counts_file(const fs::directory_entry& entry, std::string_view suffix) {
  const std::string name = entry.path().filename().string();
  return name.size() > suffix.size() && name.ends_with(suffix) &&
         name.find_first_not_of("0123456789") >= name.size() - suffix.size() &&
         entry.is_regular_file();
}

// A rank holds a lock on its file as long as it lives.
bool is_in_use(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file && flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

struct Gaps {
  std::vector<Rank> missing, partial;
};

Gaps find_gaps(const std::vector<RankCounts>& counts) {
  Gaps gaps;
  Rank next = 0;
  for (const RankCounts& one : counts) {
    for (; next < one.rank; ++next) gaps.missing.push_back(next);
    next = one.rank + 1;
    if (!one.complete) gaps.partial.push_back(one.rank);
  }
  for (; next < counts.front().ranks; ++next) gaps.missing.push_back(next);
  return gaps;
}

constexpr std::size_t kFetched = kTrafficKinds - 1;

using Kinds = std::array<std::uint64_t, kTrafficKinds>;

// What was sent to the partner.
std::uint64_t sent_value(const Kinds& kinds, TrafficClass traffic_class) {
  if (traffic_class != TrafficClass::all) return kinds[static_cast<std::size_t>(traffic_class)];
  std::uint64_t sum = 0;
  for (std::size_t kind = 0; kind < kTrafficClasses; ++kind) {
    if (kinds[kind] > std::numeric_limits<std::uint64_t>::max() - sum) {
      throw Error(ErrorKind::bad_input, "the counts of a rank do not fit 64 bits");
    }
    sum += kinds[kind];
  }
  return sum;
}

// What the partner sent because it was asked to.
std::uint64_t fetched_value(const Kinds& kinds, TrafficClass traffic_class) {
  const bool counts =
      traffic_class == TrafficClass::all || traffic_class == TrafficClass::one_sided;
  return counts ? kinds[kFetched] : 0;
}

std::string not_counted_names(const std::vector<RankCounts>& counts) {
  constexpr std::array names{"one-sided", "shared-memory windows", "coll/sm",
                             "network collectives"};
  std::uint32_t bits = 0;
  for (const RankCounts& one : counts) bits |= one.not_counted;
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((bits >> i & 1U) == 0) continue;
    list += list.empty() ? "" : ",";
    list += names[i];
  }
  return list;
}

}  // namespace

std::string_view class_name(TrafficClass traffic_class) {
  constexpr std::array<std::string_view, kTrafficClasses + 1> names{
      "user", "collective", "one-sided", "io", "library", "all"};
  return names[static_cast<std::size_t>(traffic_class)];
}

std::vector<std::string> list_counts_files(const std::string& stem, std::string_view suffix) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator at(folder_of(stem), error), end; !error && at != end;
       at.increment(error)) {
    if (is_counts_file(*at, suffix)) files.push_back(at->path().string());
  }
  if (error) {
    throw Error(
        ErrorKind::bad_input, folder_of(stem), 0,
        fmt::format("cannot be read: {}; a monitored job that died leaves this folder beside "
                    "where {}.bytes.mtx would be",
                    error.message(), stem));
  }
  return files;
}

void require_one_job(const std::vector<RankCounts>& counts, const std::string& stem) {
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if (counts[i].ranks != counts[0].ranks) {
      fail(folder_of(stem),
           fmt::format("rank {} belongs to a job of {} ranks, rank {} to one of {}", counts[0].rank,
                       counts[0].ranks, counts[i].rank, counts[i].ranks));
    }
    if (counts[i].rank == counts[i - 1].rank) {
      fail(folder_of(stem), fmt::format("two files are of rank {}", counts[i].rank));
    }
  }
}

std::string counts_metadata(const std::vector<RankCounts>& counts, const std::string& phase,
                            std::string_view quantity) {
  const RankCounts& first = counts.front();
  const Gaps gaps = find_gaps(counts);
  std::uint64_t untracked = 0, untracked_bytes = 0;
  for (const RankCounts& one : counts) {  // may wrap if damaged
    untracked += one.untracked_messages;
    untracked_bytes += one.untracked_bytes;
    for (const OtherJobPartner& other : one.other_jobs) {
      for (const std::uint64_t messages : other.counts.messages) untracked += messages;
      for (const std::uint64_t bytes : other.counts.bytes) untracked_bytes += bytes;
    }
  }
  nlohmann::ordered_json metadata{
      {"version", 1},
      {"ranks", first.ranks},
      {"quantity", quantity},
      {"phase", phase},
      {"command", first.command},
      {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(first.started))},
      {"open_mpi", first.open_mpi},
      {"untracked_messages", untracked},
      {"untracked_bytes", untracked_bytes},
      {"missing_ranks", gaps.missing.size()}};
  const std::string not_counted = not_counted_names(counts);
  if (!not_counted.empty()) metadata["not_counted"] = not_counted;
  if (!gaps.missing.empty()) metadata["missing"] = rank_list(gaps.missing);
  if (!gaps.partial.empty()) metadata["partial"] = rank_list(gaps.partial);
  metadata["recovered"] = true;
  return metadata.dump();
}

std::string part_name(std::uint32_t phase, TrafficClass traffic_class) {
  if (phase == 0) return std::string(class_name(traffic_class));
  return fmt::format("phase{}{}{}", phase, traffic_class == TrafficClass::all ? "" : ".",
                     traffic_class == TrafficClass::all ? "" : class_name(traffic_class));
}

RankCounts parse_rank_counts(std::string_view bytes, const std::string& name) {
  return parse_counts_file(bytes, name, "tofacnt1", 1);
}

RankCounts parse_counts_file(std::string_view bytes, const std::string& name,
                             std::string_view magic, std::uint32_t parts) {
  const Fields head{bytes};
  if (bytes.size() < kHeadSize || bytes.substr(0, kMagicSize) != magic) {
    fail(name, "no counts of a rank: the monitor's files start otherwise");
  }
  if (head.number<std::uint32_t>(8) != kByteOrder) {
    fail(name, "written on a machine of another byte order; read it on one of its kind");
  }
  if (head.number<std::uint32_t>(44) != kVersion) {
    fail(name, fmt::format("version {} of the counts, known is {}; use the tofa that recorded them",
                           head.number<std::uint32_t>(44), kVersion));
  }
  RankCounts counts;
  counts.rank = head.number<std::uint32_t>(12);
  counts.ranks = head.number<std::uint32_t>(16);
  counts.complete = head.number<std::uint32_t>(20) == 1;
  counts.cut = head.number<std::uint32_t>(20) == 2;
  counts.started = head.number<std::int64_t>(24);
  counts.untracked_messages = head.number<std::uint64_t>(32);
  counts.apart = head.number<std::uint32_t>(40) != 0;
  counts.open_mpi = head.text(48, 32);
  counts.host = head.text(80, 104);
  counts.untracked_bytes = head.number<std::uint64_t>(184);
  counts.not_counted = head.number<std::uint32_t>(192);
  counts.command = head.text(200, 280);
  counts.times = parse_times(head);
  if (counts.ranks > kMaxRanks || counts.rank >= counts.ranks) {
    fail(name, fmt::format("says to be of rank {} of {}", counts.rank, counts.ranks));
  }
  if (counts.started < 0 || counts.started > kLatestStart) fail(name, "says an impossible date");
  for (std::size_t at = kHeadSize; at + kRecordSize <= bytes.size(); at = next_record(at)) {
    const Fields record{bytes.substr(at, kRecordSize)};
    if (record.number<std::uint32_t>(4) == 0) continue;
    const PartnerCounts partner = parse_record(record);
    const std::uint64_t set = set_of(record);
    if (set >> 32 == kOtherJob >> 32) {
      if (has_messages(partner)) {
        counts.other_jobs.push_back({static_cast<std::uint32_t>(set), partner});
      }
      continue;
    }
    if (set > kDeclared) {
      fail(name, fmt::format("counts messages to ranks of an unknown kind, {}", set));
    }
    if (partner.partner / parts >= counts.ranks) {
      fail(name, fmt::format("counts messages to rank {} of {}", partner.partner, counts.ranks));
    }
    if (has_messages(partner)) partners_in(counts, set).push_back(partner);
  }
  const auto by_partner = [](const PartnerCounts& a, const PartnerCounts& b) {
    return a.partner < b.partner;
  };
  std::sort(counts.partners.begin(), counts.partners.end(), by_partner);
  std::sort(counts.other_jobs.begin(), counts.other_jobs.end(),
            [](const OtherJobPartner& a, const OtherJobPartner& b) {
              return std::pair(a.job, a.counts.partner) < std::pair(b.job, b.counts.partner);
            });
  return counts;
}

std::vector<RankCounts> read_rank_counts(const std::string& stem, bool running) {
  std::vector<RankCounts> counts;
  const std::vector<std::string> files = list_counts_files(stem, "");
  if (files.empty()) fail(folder_of(stem), "no rank has left its counts here");
  for (const std::string& path : files) {
    if (!running && is_in_use(path)) {
      throw Error(ErrorKind::unmet, path, 0,
                  "this rank still runs; wait for the end of the job, or add --running for what it "
                  "has sent up to now");
    }
    counts.push_back(parse_rank_counts(read_file(path), path));
  }
  std::sort(counts.begin(), counts.end(),
            [](const RankCounts& a, const RankCounts& b) { return a.rank < b.rank; });
  require_one_job(counts, stem);
  return counts;
}

Traffic recover_traffic(const std::vector<RankCounts>& counts, TrafficClass traffic_class,
                        bool messages) {
  if (counts.empty()) throw Error(ErrorKind::bad_input, "no counts of any rank");
  Traffic traffic;
  traffic.ranks = counts.front().ranks;
  for (const RankCounts& one : counts) {
    for (const PartnerCounts& partner : one.partners) {
      const Kinds& amounts = messages ? partner.messages : partner.bytes;
      if (sent_value(partner.messages, traffic_class) > 0) {
        traffic.entries.push_back({one.rank, partner.partner, sent_value(amounts, traffic_class)});
      }
      if (fetched_value(partner.messages, traffic_class) > 0) {
        traffic.entries.push_back(
            {partner.partner, one.rank, fetched_value(amounts, traffic_class)});
      }
    }
  }
  traffic.normalise();
  traffic.metadata = counts_metadata(counts, part_name(counts.front().phase, traffic_class),
                                     messages ? "messages" : "bytes");
  return traffic;
}

// As schedules.c of the monitor names them.
constexpr const char* kSchedules =
    "barrier: recursive doubling, bcast: binomial tree, reduce: in-order binomial tree, "
    "allreduce: recursive doubling";

Traffic recover_estimated(const std::vector<RankCounts>& counts, bool messages) {
  std::vector<RankCounts> estimates = counts;
  for (RankCounts& one : estimates) one.partners = std::move(one.estimated);
  Traffic traffic = recover_traffic(estimates, TrafficClass::all, messages);
  nlohmann::ordered_json metadata = nlohmann::ordered_json::parse(traffic.metadata);
  metadata["phase"] = "estimated";
  metadata["estimated"] = kSchedules;
  traffic.metadata = metadata.dump();
  return traffic;
}

Traffic recover_declared(const std::vector<RankCounts>& counts) {
  std::vector<RankCounts> declared = counts;
  for (RankCounts& one : declared) {
    one.partners = std::move(one.declared);
    one.untracked_messages = one.untracked_bytes = 0;  // this is no traffic
    one.not_counted = 0;
  }
  Traffic traffic = recover_traffic(declared, TrafficClass::all, false);
  nlohmann::ordered_json metadata = nlohmann::ordered_json::parse(traffic.metadata);
  metadata["quantity"] = "weight";
  metadata["phase"] = "declared";
  traffic.metadata = metadata.dump();
  return traffic;
}

std::string recover_other_jobs(const std::vector<RankCounts>& counts) {
  std::vector<OtherJobTraffic> rows;
  for (const RankCounts& one : counts) {
    for (const OtherJobPartner& other : one.other_jobs) {
      for (std::size_t kind = 0; kind < kTrafficKinds; ++kind) {
        if (other.counts.messages[kind] == 0) continue;
        const auto name =
            kind == kFetched ? kFetchedClass : class_name(static_cast<TrafficClass>(kind));
        rows.push_back({one.rank, std::to_string(other.job), other.counts.partner,
                        std::string(name), other.counts.messages[kind], other.counts.bytes[kind]});
      }
    }
  }
  if (rows.empty()) return "";
  return format_other_jobs(rows, counts_metadata(counts, "all", "other-jobs"));
}

void remove_rank_counts(const std::string& stem) {
  std::error_code ignored;
  for (const char* suffix : {".parts", ""}) {
    for (const std::string& path : list_counts_files(stem, suffix)) fs::remove(path, ignored);
  }
  fs::remove(folder_of(stem), ignored);
}

std::string rank_list(const std::vector<Rank>& ranks) {
  std::string list;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!list.empty()) list += ',';
    list += last == i ? fmt::format("{}", ranks[i]) : fmt::format("{}-{}", ranks[i], ranks[last]);
    i = last + 1;
  }
  return list;
}

}  // namespace tofa
