// SPDX-License-Identifier: BSD-3-Clause
// PNG files are made by the program rsvg-convert: see picture_file.hpp.
#include "picture_file.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>

#include "tofa/child_process.hpp"
#include "tofa/error.hpp"
#include "tofa/file_descriptor.hpp"
#include "tofa/file_io.hpp"

namespace tofa::cli {
namespace {

constexpr const char* kConverter = "rsvg-convert";
constexpr const char* kZoom = "2";       // pixels per unit of the SVG
constexpr double kDeadlineSeconds = 60;  // a picture of thousands of nodes takes seconds
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

}  // namespace

std::string svg_to_png(const std::string& svg) {
  const FileDescriptor file = file_in_memory("tofa-picture", svg);
  try {
    return run_and_check(kConverter,
                         {"--format=png", "--zoom", kZoom, "--background-color=white",
                          fmt::format("/proc/{}/fd/{}", ::getpid(), file.get())},
                         {.deadline_seconds = kDeadlineSeconds, .max_output = kMostBytes},
                         kConverter);
  } catch (const Error& error) {
    throw Error(ErrorKind::unavailable,
                fmt::format("cannot draw the PNG: {}; PNG needs rsvg-convert (on Debian: apt-get "
                            "install librsvg2-bin); or write .svg instead",
                            error.what()));
  }
}

bool wants_png(const std::string& output) {
  const std::string extension = std::filesystem::path(output).extension().string();
  if (extension == ".png") return true;
  if (extension == ".svg" || output == "-") return false;
  throw Error(ErrorKind::bad_input, output, 0, "the name of a picture must end in .svg or .png");
}

}  // namespace tofa::cli
