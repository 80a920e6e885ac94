// SPDX-License-Identifier: BSD-3-Clause
// Whether a file is the one that was read before, by what stat() tells: whoever replaces a file as
// a whole makes a new one.
#pragma once

#include <sys/stat.h>

namespace tofa::health {

inline bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace tofa::health
