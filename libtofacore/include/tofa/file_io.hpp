// SPDX-License-Identifier: BSD-3-Clause
// Reading a whole file and replacing a whole file, with errors that name the file and the cause.
// Reading never waits for ever and never fills the memory; writing never leaves half a file behind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tofa/file_descriptor.hpp"

namespace tofa {

struct ReadLimits {
  std::uint64_t max_bytes = std::uint64_t{2} << 30;  // of a regular file
  // Of a pipe, a terminal or another device.
  std::uint64_t max_stream_bytes = std::uint64_t{256} << 20;
  // Until a pipe, a terminal or another device must have reached its end.
  double stream_seconds = 60;
};

// /dev/stdin is read also where it belongs to another user.
// Throws Error: bad_input when the file cannot be opened or read, is a directory, or is larger than
// the limit; unavailable when a stream does not end in time.
std::string read_file(const std::string& path, const ReadLimits& limits = {});

// Whether `path` names anything at all; a dangling symbolic link does not count.
bool path_exists(const std::string& path);

// Writes a temporary file beside `path`, syncs it and renames it over `path`, so that a reader sees
// the old contents or the new, never a mixture. Devices and pipes, such as /dev/stdout, are written
// to directly. Throws Error (unavailable).
void write_file_atomically(const std::string& path, std::string_view text);

// A file in memory with that text. While it is open, /proc/PID/fd/N is a path to it for other
// programs, too; afterwards nothing is left of it. Throws Error (unavailable).
FileDescriptor file_in_memory(const char* name, std::string_view text);

}  // namespace tofa
