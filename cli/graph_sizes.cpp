// SPDX-License-Identifier: BSD-3-Clause
// Sizes of messages for people and programs, and which parts of the traffic a profile tells apart.
#include "graph_sizes.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tofa/file_io.hpp"
#include "tofa/rank_parts.hpp"

namespace tofa::cli {
namespace {

constexpr std::size_t kBannerSize = 64;

bool has_graph(const std::string& stem) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(stem + ".bytes.mtx", ignored);
}

// Of one phase, or of all.
void add_classes(const std::string& stem, std::uint32_t phase, std::vector<std::string>& parts) {
  for (std::size_t i = 0; i < kTrafficClasses; ++i) {
    const std::string part = part_name(phase, static_cast<TrafficClass>(i));
    if (has_graph(fmt::format("{}.{}", stem, part))) parts.push_back(part);
  }
}

}  // namespace

bool names_message_sizes(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream stream(path, std::ios::binary);
  std::string start(kBannerSize, '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  return is_message_sizes(start);
}

std::optional<MessageSizes> find_message_sizes(const std::string& path) {
  const bool itself = names_message_sizes(path);
  const std::string file = itself ? path : message_sizes_path(path);
  if (!itself && !names_message_sizes(file)) return std::nullopt;
  return parse_message_sizes(read_file(file), file);
}

std::vector<std::string> parts_of_profile(const std::string& stem) {
  std::vector<std::string> parts;
  add_classes(stem, 0, parts);
  for (std::uint32_t phase = 1; phase <= kMostPhases; ++phase) {
    const std::string part = part_name(phase, TrafficClass::all);
    if (!has_graph(fmt::format("{}.{}", stem, part))) continue;
    parts.push_back(part);
    add_classes(stem, phase, parts);
  }
  return parts;
}

std::string sizes_text(const MessageSizes& sizes) {
  std::string text;
  const char* label = "message sizes";
  for (const SizeTotal& total : total_sizes(sizes)) {
    const std::string range = total.least == total.most
                                  ? fmt::format("{}", total.least)
                                  : fmt::format("{} to {}", total.least, total.most);
    text += fmt::format("{:<20}{} B: {} messages\n", label, range, total.messages);
    label = "";
  }
  return text;
}

nlohmann::ordered_json sizes_json(const MessageSizes& sizes) {
  auto list = nlohmann::ordered_json::array();
  for (const SizeTotal& total : total_sizes(sizes)) {
    list.push_back({{"least", total.least}, {"most", total.most}, {"messages", total.messages}});
  }
  return list;
}

}  // namespace tofa::cli
