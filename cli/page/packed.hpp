// SPDX-License-Identifier: BSD-3-Clause
// Lists of numbers as a page's script reads them fast: as their bytes, the lowest first, in base64.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tofa::cli {

// As RFC 4648 has it.
std::string base64(std::string_view bytes);

// Seven bits a byte, the lowest first; all bytes but the last have the highest bit set.
void add_number(std::string& bytes, std::size_t number);
// Four bytes, as IEEE 754 has it.
void add_float(std::string& bytes, double value);

// Of each value eight bytes, in base64.
std::string packed_doubles(const std::vector<double>& values);
// Of each value four bytes, in base64.
std::string packed_floats(const std::vector<double>& values);
std::string packed_numbers(const std::vector<std::uint32_t>& values);

}  // namespace tofa::cli
