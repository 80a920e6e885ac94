// SPDX-License-Identifier: BSD-3-Clause
// The registry of graph formats, recognition by content, and the public functions of graph_io.hpp.
#include "graph/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/text.hpp"

namespace tofa {

namespace {

// In the order they are tried; the dense matrix, recognised by numbers alone, comes last.
constexpr std::array<const TrafficFormat*, 4> kFormats = {&kMatrixMarketFormat, &kOmpiProfFormat,
                                                          &kScotchGraphFormat, &kDenseFormat};

const TrafficFormat& recognise(std::string_view text, const std::string& name) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw Error(ErrorKind::bad_input, name, 0, "the file is empty; expected a communication graph");
  }
  std::string known;
  for (const TrafficFormat* format : kFormats) {
    if (format->recognise(text)) return *format;
    known += (known.empty() ? "" : ", ") + std::string(format->title);
  }
  throw Error(ErrorKind::bad_input, name, 1,
              "not a communication graph in a known format: " + known);
}

const TrafficFormat& writer_of(const std::string& name) {
  for (const TrafficFormat* format : kFormats) {
    if (format->name == name && format->format != nullptr) return *format;
  }
  throw Error(ErrorKind::bad_input, fmt::format("unknown graph format {}; known are {}",
                                                excerpt(name), fmt::join(traffic_formats(), ", ")));
}

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

}  // namespace

std::string_view first_line_of_data(std::string_view text, char comment) {
  LineReader lines(text);
  std::string_view line;
  while (lines.next(line)) {
    line = trim(line);
    if (!line.empty() && line.front() != comment) return line;
  }
  return {};
}

Bytes parse_bytes(std::string_view word, bool reals, const std::string& name, std::size_t line) {
  if (const auto value = parse_number<Bytes>(word)) return *value;
  const auto fail = [&](std::string_view reason) {
    throw Error(ErrorKind::bad_input, name, line,
                fmt::format("byte count {} {}", excerpt(word), reason));
  };
  const auto real = parse_number<double>(word);
  if (!real || !std::isfinite(*real)) fail("is not a number");
  if (*real < 0) fail("is negative");
  if (*real >= 18446744073709551616.0) fail("does not fit 64 bits");
  if (!reals) fail("is not a whole number");
  return static_cast<Bytes>(std::round(*real));
}

Traffic parse_traffic(std::string_view text, const std::string& name) {
  text = require_text(text, name);
  Traffic traffic = recognise(text, name).parse(text, name);
  if (traffic.ranks == 0) throw Error(ErrorKind::bad_input, name, 0, "the graph has no ranks");
  try {
    traffic.normalise();
  } catch (const Error& error) {
    throw Error(error.kind(), name, 0, error.what());
  }
  return traffic;
}

Traffic read_traffic(const std::string& path) {
  const bool directory = is_directory(path);
  if (!directory) {
    if (path_exists(path)) return parse_traffic(read_file(path), path);
    if (const std::string file = path + ".bytes.mtx"; path_exists(file)) {
      return parse_traffic(read_file(file), file);
    }
  }
  Traffic traffic;
  if (read_ompi_prof_files(path, traffic)) return traffic;
  throw Error(
      ErrorKind::bad_input, path, 0,
      directory ? "no Open MPI .prof files in this directory; name the graph file itself"
                : fmt::format("no such graph; looked for {0}, {0}.bytes.mtx and {0}.0.prof", path));
}

std::vector<std::string> traffic_formats() {
  std::vector<std::string> names;
  for (const TrafficFormat* format : kFormats) {
    if (format->format != nullptr) names.emplace_back(format->name);
  }
  return names;
}

std::string traffic_format_for(const std::string& path) {
  for (const TrafficFormat* format : kFormats) {
    if (format->format != nullptr && path.size() > format->extension.size() &&
        std::string_view(path).substr(path.size() - format->extension.size()) ==
            format->extension) {
      return std::string(format->name);
    }
  }
  return "";
}

std::string format_traffic(const Traffic& traffic, const std::string& format) {
  return writer_of(format).format(traffic);
}

void write_traffic(const Traffic& traffic, const std::string& path, const std::string& format) {
  write_file_atomically(path, format_traffic(traffic, format));
}

}  // namespace tofa
