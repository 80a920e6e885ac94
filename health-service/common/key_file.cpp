// SPDX-License-Identifier: BSD-3-Clause
// Reading keys: see key_file.hpp.
#include "common/key_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"

namespace tofa::health {
namespace {

constexpr std::uint64_t kLargestKeyFile = 4096;
constexpr mode_t kTooMuch = S_IWGRP | S_IRWXO;

std::string read(const std::string& path) {
  return read_file(path, {.max_bytes = kLargestKeyFile, .max_stream_bytes = kLargestKeyFile});
}

KeyBytes parse(const std::string& text, const std::string& path,
               KeyBytes (*read_as)(std::string_view)) {
  try {
    return read_as(text);
  } catch (const Error& error) {
    throw Error(ErrorKind::bad_input, path, 0, error.what());
  }
}

}  // namespace

std::optional<KeyBytes> read_secret_key(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & kTooMuch) != 0) {
    throw Error(ErrorKind::bad_input, path, 0,
                fmt::format("has mode {:04o}, so others can read or change the secret key: make a "
                            "new one, and chmod 0600",
                            info.st_mode & 07777U));
  }
  const std::string text = read(path);
  if (text == "none" || text == "none\n") return std::nullopt;
  return parse(text, path, parse_secret_key);
}

KeyBytes read_public_key(const std::string& path) {
  return parse(read(path), path, parse_public_key);
}

}  // namespace tofa::health
