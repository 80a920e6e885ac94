// SPDX-License-Identifier: BSD-3-Clause
// Files as the monitor leaves them in NAME.counts, for tests of their readers.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "tofa/rank_counts.hpp"

namespace tofa {

// As pml-monitor/counts_format.h lays it out.
class CountsFile {
 public:
  CountsFile(Rank rank, Rank ranks, bool complete = false) : bytes_(512, '\0') {
    bytes_.replace(0, 8, "tofacnt1");
    put<std::uint32_t>(8, 0x01020304);
    put<std::uint32_t>(12, rank);
    put<std::uint32_t>(16, ranks);
    put<std::uint32_t>(20, complete ? 1 : 0);
    put<std::uint64_t>(24, 1700000000);
    put<std::uint64_t>(32, 3);
    put<std::uint32_t>(44, 5);
    put<std::uint64_t>(184, 50);
    bytes_.replace(48, 5, "4.1.4");
    bytes_.replace(200, 7, "./app x");
  }
  template <typename Number>
  CountsFile& put(std::size_t at, Number value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    return *this;
  }
  CountsFile& add(Rank partner, std::uint64_t user, std::uint64_t collective) {
    constexpr std::size_t block = 4096;
    const std::size_t left = block - bytes_.size() % block;
    const std::size_t at = bytes_.size() + (left < 112 ? left : 0);
    bytes_.resize(at + 112);
    put<std::uint32_t>(at, partner);
    put<std::uint32_t>(at + 4, 1);
    put<std::uint64_t>(at + 8, 10 * user);
    put<std::uint64_t>(at + 16, 10 * collective);
    put<std::uint64_t>(at + 56, user);
    return put<std::uint64_t>(at + 64, collective);
  }
  // One-sided: so many messages of 10 bytes put, and got.
  CountsFile& put_and_got(std::uint64_t sent, std::uint64_t fetched) {
    const std::size_t at = bytes_.size() - 112;
    put<std::uint64_t>(at + 8 + 16, 10 * sent);
    put<std::uint64_t>(at + 56 + 16, sent);
    put<std::uint64_t>(at + 8 + 40, 10 * fetched);
    return put<std::uint64_t>(at + 56 + 40, fetched);
  }
  // The record added last is of a rank in this job.
  CountsFile& of_job(std::uint32_t job) {
    return put<std::uint64_t>(bytes_.size() - 8, std::uint64_t{1} << 32 | job);
  }
  CountsFile& free_records(std::size_t count) {
    bytes_.resize(bytes_.size() + 112 * count);
    return *this;
  }
  // Of a rank that began at 7 s, was in MPI for so many milliseconds, and left it last at so many.
  CountsFile& timed(std::uint64_t in_calls, std::uint64_t calls, std::uint64_t latest) {
    constexpr std::uint64_t million = 1000000;
    put<std::uint64_t>(480, 7000 * million).put<std::uint64_t>(488, in_calls * million);
    return put<std::uint64_t>(496, calls).put<std::uint64_t>(504, latest * million);
  }
  CountsFile& on(const std::string& host) {
    bytes_.replace(80, host.size(), host);
    return *this;
  }
  // The file of the rank's parts, in which a partner's number tells the part as well.
  CountsFile& of_parts(std::uint32_t phase) {
    bytes_.replace(0, 8, "tofaprt1");
    return put<std::uint32_t>(196, phase);
  }
  const std::string& bytes() const { return bytes_; }
  RankCounts parse() const { return parse_rank_counts(bytes_, "0"); }

 private:
  std::string bytes_;
};

}  // namespace tofa
