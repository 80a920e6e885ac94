// SPDX-License-Identifier: BSD-3-Clause
// Lists names instead of taking them apart: a wrong answer deletes a stranger's file.
#include "tofa/profile_files.hpp"

#include <algorithm>
#include <filesystem>

#include "tofa/rank_parts.hpp"

namespace tofa {
namespace {

namespace fs = std::filesystem;

std::set<std::string> list_endings() {
  std::set<std::string> endings{".ranks.json", ".other-jobs.txt", ".sizes.txt", ".declared.mtx"};
  const auto add_graphs = [&](const std::string& part) {
    endings.insert(part + ".bytes.mtx");
    endings.insert(part + ".messages.mtx");
  };
  add_graphs("");
  add_graphs(".estimated");
  for (std::uint32_t phase = 0; phase <= kMostPhases; ++phase) {
    for (std::size_t i = 0; i <= kTrafficClasses; ++i) {
      const auto traffic_class = static_cast<TrafficClass>(i);
      if (phase == 0 && traffic_class == TrafficClass::all) continue;
      add_graphs("." + part_name(phase, traffic_class));
    }
  }
  return endings;
}

}  // namespace

const std::set<std::string>& profile_endings() {
  static const std::set<std::string> endings = list_endings();
  return endings;
}

std::vector<std::string> profile_files(const std::string& stem) {
  const fs::path folder = fs::path(stem).parent_path();
  const std::string base = fs::path(stem).filename().string();
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(base)) continue;
    const std::string ending = name.substr(base.size());
    std::error_code ignored;
    if (profile_endings().contains(ending) && !fs::is_directory(at->symlink_status(ignored))) {
      files.push_back(stem + ending);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tofa
