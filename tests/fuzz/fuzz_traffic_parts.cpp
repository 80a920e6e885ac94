// SPDX-License-Identifier: BSD-3-Clause
// A Matrix Market file that several processes read a part of each: whatever the bytes are and
// wherever parts begin, all parts together are what one reader of all lines finds, and where it
// refuses the file, so does one of them.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "fuzz_target.hpp"
#include "tofa/file_descriptor.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/traffic_source.hpp"

namespace {

using tofa::TrafficEntry;

// A regular file without a name on any disk.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    tofa::fuzz::require(fd_ && ::write(fd_.get(), text.data(), text.size()) ==
                                   static_cast<ssize_t>(text.size()));
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

 private:
  tofa::FileDescriptor fd_;
};

// What the parts have, one behind the other; none where the file is refused.
std::optional<std::vector<TrafficEntry>> read_in(unsigned parts, const MemoryFile& file) {
  std::optional<std::vector<TrafficEntry>> all;
  tofa::fuzz::parse_or_refuse([&] {
    std::vector<TrafficEntry> entries;
    std::uint64_t read = 0;
    for (unsigned part = 0; part < parts; ++part) {
      const auto source = tofa::open_matrix_part(file.path(), {part, parts});
      while (source->next(entries)) {
      }
      read += source->read();
      if (part + 1 == parts) source->check_total(read);
      for (const TrafficEntry& entry : entries)
        tofa::fuzz::require(entry.sender < source->ranks() && entry.receiver < source->ranks());
    }
    all = std::move(entries);
  });
  return all;
}

// Whether such a line is refused hangs on where the parts begin.
bool has_long_line(std::string_view text) {
  constexpr std::size_t longest = 4000;
  while (text.size() > longest) {
    const std::size_t end = text.find('\n');
    if (std::min(end, text.size()) > longest) return true;
    text.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = tofa::fuzz::as_text(data, size);
  if (has_long_line(text)) return 0;
  const MemoryFile file(text);
  auto whole = read_in(1, file);
  const auto parts = static_cast<unsigned>(2 + size % 6);
  tofa::fuzz::require(read_in(parts, file) == whole);
  if (!whole) return 0;
  // The reader of whole files agrees, unless it refuses what is no text even in comments, or sums
  // of more than 64 bits.
  tofa::fuzz::parse_or_refuse([&] {
    tofa::Traffic traffic = tofa::parse_traffic(text, "input");
    tofa::Traffic same;
    same.ranks = traffic.ranks;
    same.entries = std::move(*whole);
    traffic.normalise();
    same.normalise();
    tofa::fuzz::require(same.entries == traffic.entries);
  });
  return 0;
}
