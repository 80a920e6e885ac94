// SPDX-License-Identifier: BSD-3-Clause
// A part of the lines of a Matrix Market file. A line is in the part in whose bytes it begins; what
// number it has in the file is only counted when there is something wrong with it.
#include "tofa/traffic_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "graph/matrix_market.hpp"
#include "tofa/error.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa {
namespace {

constexpr std::uint64_t kChunk = 4U << 20U;     // bytes of text at a time
constexpr std::uint64_t kMostHead = 1U << 20U;  // bytes of comments and the size line
constexpr std::uint64_t kLongestLine = 4096;

class InputFile {
 public:
  explicit InputFile(const std::string& path)
      : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) {
    struct stat info {};
    if (!fd_ || ::fstat(fd_.get(), &info) != 0) fail(errno);
    if (!S_ISREG(info.st_mode)) {
      throw Error(ErrorKind::bad_input, path_, 0,
                  "is no regular file; parts of it can only be read from one");
    }
    size_ = static_cast<std::uint64_t>(info.st_size);
  }

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }

  // As much as there is of so many bytes.
  std::string read(std::uint64_t from, std::uint64_t bytes) const {
    std::string text(std::min(bytes, size_ - std::min(from, size_)), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t got = ::pread(fd_.get(), text.data() + done, text.size() - done,
                                  static_cast<off_t>(from + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(errno);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
  }

  std::size_t lines_before(std::uint64_t end) const {
    std::size_t lines = 0;
    for (std::uint64_t at = 0; at < end; at += kChunk) {
      const std::string text = read(at, std::min(kChunk, end - at));
      lines += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }
    return lines;
  }

 private:
  [[noreturn]] void fail(int error) const {
    throw Error(ErrorKind::bad_input, path_, 0,
                fmt::format("cannot read: {}{}", std::strerror(error),
                            error == ENOENT ? "; name a file that exists" : ""));
  }

  std::string path_;
  FileDescriptor fd_;
  std::uint64_t size_ = 0;
};

class MatrixPart final : public TrafficSource {
 public:
  MatrixPart(const std::string& path, PartOf part) : file_(path) {
    const std::uint64_t first = read_head();
    const std::uint64_t bytes = file_.size() - first;
    at_ = first + bytes * part.part / part.parts;
    end_ = first + bytes * (part.part + 1) / part.parts;
    // The line that is on at the begin is another part's.
    if (at_ > first) at_ = line_end(at_ - 1);
  }

  Rank ranks() const override { return head_.ranks; }
  std::uint64_t read() const override { return read_; }

  bool next(std::vector<TrafficEntry>& entries) override {
    if (at_ >= end_) return false;
    const std::uint64_t wanted = std::min(kChunk, end_ - at_);
    std::string text = file_.read(at_, wanted + kLongestLine);
    const std::size_t newline = text.find('\n', wanted - 1);
    if (newline == std::string::npos && at_ + text.size() < file_.size())
      fail_long_line(at_ + text.rfind('\n') + 1);  // npos + 1 is 0
    if (newline != std::string::npos) text.resize(newline + 1);
    try {
      parse(text, 0, entries);
    } catch (const Error&) {
      parse(text, file_.lines_before(at_), entries);  // throws with the line's number
    }
    at_ += text.size();
    if (text.empty()) at_ = end_;  // somebody cut the file meanwhile
    return true;
  }

  void check_total(std::uint64_t read_by_all) const override {
    if (read_by_all < head_.entries) {
      throw Error(ErrorKind::bad_input, file_.path(), 0,
                  fmt::format("ends after {} of {} entries; was the file cut short?", read_by_all,
                              head_.entries));
    }
    if (read_by_all > head_.entries) {
      throw Error(ErrorKind::bad_input, file_.path(), 0,
                  fmt::format("has {} entries, more than the {} the size line declares",
                              read_by_all, head_.entries));
    }
  }

 private:
  // Where the entries begin.
  std::uint64_t read_head() {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    const std::string whole = file_.read(0, kMostHead);
    std::string_view text = whole;
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    if (!is_matrix_market(text)) {
      throw Error(ErrorKind::bad_input, file_.path(), 1,
                  "is no Matrix Market file; `tofa graph convert` makes one");
    }
    DataLines lines(text, file_.path());
    head_ = read_matrix_head(lines);
    return whole.size() - lines.rest().size();
  }

  // Behind the line that `at` is in.
  std::uint64_t line_end(std::uint64_t at) const {
    const std::string text = file_.read(at, kLongestLine);
    const std::size_t newline = text.find('\n');
    if (newline != std::string::npos) return at + newline + 1;
    if (at + text.size() < file_.size()) fail_long_line(at);
    return file_.size();
  }

  [[noreturn]] void fail_long_line(std::uint64_t at) const {
    throw Error(ErrorKind::bad_input, file_.path(), file_.lines_before(at) + 1,
                fmt::format("a line of more than {} bytes is no entry", kLongestLine));
  }

  void parse(std::string_view text, std::size_t before, std::vector<TrafficEntry>& entries) {
    DataLines lines(text, file_.path(), before);
    std::uint64_t count = 0;
    std::string_view line;
    while (lines.next_data(line)) {
      read_matrix_entry(line, head_, lines, entries);
      ++count;
    }
    read_ += count;
  }

  InputFile file_;
  MatrixHead head_;
  std::uint64_t at_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t read_ = 0;
};

}  // namespace

std::unique_ptr<TrafficSource> open_matrix_part(const std::string& path, PartOf part) {
  return std::make_unique<MatrixPart>(path, part);
}

}  // namespace tofa
