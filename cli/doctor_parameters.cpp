// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's parameter files. Debian's has no end of line after its last line, so that a line which
// is appended to it becomes a part of the value before: Open MPI says nothing, and components that
// are named by that value are not found either.
#include <fmt/format.h>

#include <algorithm>

#include "doctor_facts.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether a value has ` = ` behind a word in it, or the parameter that tofa is set up with; `=`
// alone is common in values.
bool holds_a_setting(std::string_view value) {
  if (value.find("mca_base_component_path") != std::string_view::npos) return true;
  const std::size_t sign = value.find(" = ");
  return sign != std::string_view::npos && sign > 0 && is_name_character(value[sign - 1]);
}

}  // namespace

std::vector<std::size_t> lines_of_two_settings(const std::string& parameters) {
  std::vector<std::size_t> numbers;
  LineReader lines(parameters);
  for (std::string_view line; lines.next(line);) {
    line = line.substr(0, line.find('#'));
    const std::size_t sign = line.find('=');
    if (sign == std::string_view::npos) continue;
    if (holds_a_setting(line.substr(sign + 1))) numbers.push_back(lines.number());
  }
  return numbers;
}

std::vector<std::string> find_merged_parameters(const std::string& files) {
  std::vector<std::string> merged;
  for (std::size_t begin = 0; begin <= files.size();) {
    const std::size_t end = std::min(files.find(',', begin), files.size());
    const std::string file = files.substr(begin, end - begin);
    begin = end + 1;
    if (file.empty() || !path_exists(file)) continue;
    try {
      for (const std::size_t line : lines_of_two_settings(read_file(file)))
        merged.push_back(fmt::format("{}:{}", file, line));
    } catch (const Error&) {
      continue;  // what we cannot read, Open MPI cannot either
    }
  }
  return merged;
}

}  // namespace tofa::cli
