// SPDX-License-Identifier: BSD-3-Clause
// Reading keys: see key_file.hpp.
#include "common/key_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "common/munge_signature.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"

namespace tofa::health {
namespace {

constexpr std::uint64_t kLargestKeyFile = 4096;
constexpr mode_t kTooMuch = S_IWGRP | S_IRWXO;

std::string read(const std::string& path) {
  return read_file(path, {.max_bytes = kLargestKeyFile, .max_stream_bytes = kLargestKeyFile});
}

std::string read_secret(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & kTooMuch) != 0) {
    throw Error(ErrorKind::bad_input, path, 0,
                fmt::format("has mode {:04o}, so others can read or change the secret key: make a "
                            "new one, and chmod 0600",
                            info.st_mode & 07777U));
  }
  return read(path);
}

template <typename Parse>
auto parse(const std::string& text, const std::string& path, Parse read_as) {
  try {
    return read_as(text);
  } catch (const Error& error) {
    throw Error(ErrorKind::bad_input, path, 0, error.what());
  }
}

bool is_no_key(const std::string& text) {
  return text == "none" || text == "none\n";
}

}  // namespace

std::optional<KeyBytes> read_secret_key(const std::string& path) {
  const std::string text = read_secret(path);
  if (is_no_key(text)) return std::nullopt;
  return parse(text, path, parse_secret_key);
}

KeyBytes read_public_key(const std::string& path) {
  return parse(read(path), path, parse_public_key);
}

SigningKey read_signing_key(const std::string& name) {
  if (auto socket = munge_socket_in(name)) return MungeSocket{*std::move(socket)};
  const std::string text = read_secret(name);
  if (is_no_key(text)) return std::monostate();
  const std::string word = text.substr(0, text.find('\n'));
  if (auto socket = parse(word, name, munge_socket_in)) return MungeSocket{*std::move(socket)};
  return parse(text, name, parse_secret_key);
}

}  // namespace tofa::health
