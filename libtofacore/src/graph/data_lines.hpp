// SPDX-License-Identifier: BSD-3-Clause
// The lines of our text files: comments start with %, and one of them may carry metadata as
// `%tofa {json}`.
#pragma once

#include <string>
#include <string_view>

#include "tofa/text.hpp"

namespace tofa {

class DataLines {
 public:
  // `name` is for messages, and must stay; so many lines of the file came before `text`.
  DataLines(std::string_view text, const std::string& name, std::size_t before = 0)
      : lines_(text), name_(name), before_(before) {}

  // Throws Error, naming file and line.
  [[noreturn]] void fail(const std::string& message) const;

  // Goes on with what comes after the next lines, which somebody has read from rest().
  void pass_lines(std::string_view rest, std::size_t lines) { lines_.pass_lines(rest, lines); }
  // Any line.
  bool next(std::string_view& line) { return lines_.next(line); }
  // The next one that is neither blank nor a comment.
  bool next_data(std::string_view& line);

  std::size_t number() const { return before_ + lines_.number(); }
  std::string_view rest() const { return lines_.rest(); }
  const std::string& name() const { return name_; }
  // Of the comments that next_data has passed; empty when there was none.
  const std::string& metadata() const { return metadata_; }

 private:
  void read_comment(std::string_view line);

  LineReader lines_;
  const std::string& name_;
  std::size_t before_;
  std::string metadata_;
};

}  // namespace tofa
