// SPDX-License-Identifier: BSD-3-Clause
// The text of an SVG document that grows as it is written: what all pictures are made with.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

namespace tofa::cli {

class SvgText {
 protected:
  template <typename... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  std::string text() const { return fmt::to_string(out_); }

 private:
  fmt::memory_buffer out_;
};

}  // namespace tofa::cli
