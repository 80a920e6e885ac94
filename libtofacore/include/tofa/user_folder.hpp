// SPDX-License-Identifier: BSD-3-Clause
// A folder of the user's own for what was found out once and can be found out again. Whatever is
// wrong with it or a file in it, such as another owner, leave for others to write, or no room: it
// is as if nothing had been kept. Nothing here throws because of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tofa {

// tofa in $XDG_CACHE_HOME, else in ~/.cache; empty where there is neither.
std::string user_cache_folder();

class UserFolder {
 public:
  struct Limits {
    std::uint64_t bytes = std::uint64_t{64} << 20;
    std::size_t files = 512;
  };

  // The folder is made when something is kept. None: nothing is ever found or kept.
  UserFolder(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}
  explicit UserFolder(std::string folder) : UserFolder(std::move(folder), Limits()) {}

  // The text of a file that nobody else can have written.
  std::optional<std::string> find(const std::string& name) const;
  // So that it is not among those that were not used for longest.
  void touch(const std::string& name) const;
  // Others see the whole file or none. Files that were not used for longest go when there are too
  // many.
  void keep(const std::string& name, std::string_view text) const;

 private:
  std::string folder_;
  Limits limits_;
};

}  // namespace tofa
