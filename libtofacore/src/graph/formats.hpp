// SPDX-License-Identifier: BSD-3-Clause
// What a graph format provides. A new one is one file that defines a `TrafficFormat`, plus its line
// in the registry (formats.cpp).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tofa/comm_graph.hpp"

namespace tofa {

struct TrafficFormat {
  std::string_view name;
  std::string_view extension;  // with its dot
  std::string_view title;      // for messages
  bool (*recognise)(std::string_view text);
  // The text is valid UTF-8. The entries need not be sorted. Throws Error with file and line.
  Traffic (*parse)(std::string_view text, const std::string& name);
  std::string (*format)(const Traffic& traffic);  // null when the format is only read
  // Whether the text says that its values are directed, where the format leaves that open; null
  // where it does not.
  bool (*is_directed)(std::string_view text);
};

// The first line of `text` that is neither blank nor a comment starting with `comment`, trimmed.
std::string_view first_line_of_data(std::string_view text, char comment);

// Whether both directions of every pair have the same value, and any pair has one. The entries are
// sorted.
bool is_symmetric(const Traffic& traffic);

// A byte count. Reals, where `reals` allows them, are rounded. Throws Error naming file and line.
Bytes parse_bytes(std::string_view word, bool reals, const std::string& name, std::size_t line);

// Reads the files STEM.RANK.prof or STEM_RANK.prof, in the directory `path` or with the stem
// `path`. Returns false when there are none.
bool read_ompi_prof_files(const std::string& path, Traffic& traffic);

}  // namespace tofa
