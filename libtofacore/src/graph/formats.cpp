// SPDX-License-Identifier: BSD-3-Clause
// The registry of graph formats, recognition by content, and the public functions of graph_io.hpp.
#include "graph/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/grid_traffic.hpp"
#include "tofa/message_sizes.hpp"
#include "tofa/text.hpp"

namespace tofa {

extern const TrafficFormat kMatrixMarketFormat, kOmpiProfFormat, kScotchGraphFormat, kDenseFormat;

namespace {

// In the order they are tried; the dense matrix, recognised by numbers alone, comes last.
constexpr std::array kFormats{&kMatrixMarketFormat, &kOmpiProfFormat, &kScotchGraphFormat,
                              &kDenseFormat};

const TrafficFormat& recognise(std::string_view text, const std::string& name) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw Error(ErrorKind::bad_input, name, 0, "the file is empty; expected a communication graph");
  }
  if (is_message_sizes(text)) {
    throw Error(ErrorKind::bad_input, name, 1,
                "holds sizes of messages, and no graph; tofa graph info prints them");
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

// Of every pair, half of the value in each direction; of an odd one, the sender of lower rank has
// the byte more.
void take_as_totals(Traffic& traffic) {
  for (TrafficEntry& entry : traffic.entries) {
    if (entry.sender == entry.receiver) continue;
    const Bytes odd = entry.sender < entry.receiver ? entry.value % 2 : 0;
    entry.value = entry.value / 2 + odd;
  }
}

// The first pair whose two values differ.
const TrafficEntry* find_asymmetry(const Traffic& traffic) {
  const auto value = [&traffic](Rank sender, Rank receiver) -> Bytes {
    const TrafficEntry wanted{sender, receiver, 0};
    const auto before = [](const TrafficEntry& a, const TrafficEntry& b) {
      return std::tie(a.sender, a.receiver) < std::tie(b.sender, b.receiver);
    };
    const auto found =
        std::lower_bound(traffic.entries.begin(), traffic.entries.end(), wanted, before);
    const bool here = found != traffic.entries.end() && !before(wanted, *found);
    return here ? found->value : 0;
  };
  const auto differs = [&](const TrafficEntry& entry) {
    return entry.value != value(entry.receiver, entry.sender);
  };
  const auto found = std::find_if(traffic.entries.begin(), traffic.entries.end(), differs);
  return found == traffic.entries.end() ? nullptr : &*found;
}

void apply(SymmetricMatrix symmetric, bool is_open, const std::string& name, Traffic& traffic) {
  if (symmetric == SymmetricMatrix::totals) {
    if (const TrafficEntry* entry = find_asymmetry(traffic)) {
      throw Error(ErrorKind::bad_input, name, 0,
                  fmt::format("not a symmetric matrix: what {} sends to {} differs from the way "
                              "back; read it without --symmetric",
                              entry->sender, entry->receiver));
    }
    traffic.note =
        "a pair's two values are the total that it exchanged, counted once (--symmetric)";
    take_as_totals(traffic);
  } else if (is_open && is_symmetric(traffic)) {
    if (symmetric == SymmetricMatrix::directed) {
      traffic.note = "the matrix is symmetric; both directions count (--directed)";
      return;
    }
    traffic.note =
        "the matrix is symmetric: a pair's two values are taken as the total that it exchanged, "
        "counted once; --directed counts both directions";
    take_as_totals(traffic);
  }
}

// The entries of a text in its own order, and whether a symmetric matrix in its format may list
// totals.
struct Listed {
  Traffic traffic;
  bool is_open;
};

Listed parse_as_listed(std::string_view text, const std::string& name) {
  text = require_text(text, name);
  const TrafficFormat& format = recognise(text, name);
  Listed listed{format.parse(text, name), false};
  if (listed.traffic.ranks == 0)
    throw Error(ErrorKind::bad_input, name, 0, "the graph has no ranks");
  listed.is_open = format.is_directed != nullptr && !format.is_directed(text);
  return listed;
}

Traffic put_in_order(Listed listed, const std::string& name, SymmetricMatrix symmetric) {
  try {
    listed.traffic.normalise();
  } catch (const Error& error) {
    throw Error(error.kind(), name, 0, error.what());
  }
  apply(symmetric, listed.is_open, name, listed.traffic);
  return std::move(listed.traffic);
}

// Entries take as much memory as their text, and putting them in order as much again: the text is
// gone by then.
Traffic read_one_file(const std::string& path, SymmetricMatrix symmetric) {
  Listed listed = parse_as_listed(read_file(path), path);
  return put_in_order(std::move(listed), path, symmetric);
}

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

}  // namespace

bool is_symmetric(const Traffic& traffic) {
  return std::any_of(traffic.entries.begin(), traffic.entries.end(),
                     [](const TrafficEntry& entry) {
                       return entry.sender != entry.receiver && entry.value > 0;
                     }) &&
         find_asymmetry(traffic) == nullptr;
}

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
  if (*real > 0 && *real < 0.5)
    fail("would be rounded to nothing; multiply all values, by 1e9 say");
  return static_cast<Bytes>(std::round(*real));
}

Traffic parse_traffic(std::string_view text, const std::string& name, SymmetricMatrix symmetric) {
  return put_in_order(parse_as_listed(text, name), name, symmetric);
}

std::string traffic_file(const std::string& path) {
  if (std::string file = path + ".bytes.mtx"; path_exists(file)) return file;
  return path_exists(path) && !is_directory(path) ? path : "";
}

Traffic read_traffic(const std::string& path, SymmetricMatrix symmetric) {
  if (names_grid(path)) return grid_traffic(parse_grid_traffic(path, path), path);
  if (const std::string file = traffic_file(path); !file.empty())
    return read_one_file(file, symmetric);
  Traffic traffic;
  if (read_ompi_prof_files(path, traffic)) {
    apply(symmetric, false, path, traffic);
    return traffic;
  }
  throw Error(
      ErrorKind::bad_input, path, 0,
      is_directory(path)
          ? "no Open MPI .prof files in this directory; name the graph file itself"
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
