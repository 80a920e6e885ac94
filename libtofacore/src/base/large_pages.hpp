// SPDX-License-Identifier: BSD-3-Clause
// Memory that is about to be filled for the first time, page by page: of what traffic of thousands
// of ranks takes, that is a third of the time to read it, and on some virtual machines most of it.
#pragma once

#include <cstddef>
#include <vector>

namespace tofa {

// Asks for large pages where so many bytes are enough for one and the system has any.
void prefer_large_pages(void* memory, std::size_t bytes);

// Makes room for so many values, in large pages if they are that many.
template <typename T>
void reserve_large(std::vector<T>& values, std::size_t count) {
  if (values.capacity() >= count) return;
  values.reserve(count);
  prefer_large_pages(values.data(), count * sizeof(T));
}

// So many values, of which those behind the ones there were are new; in large pages if they are
// that many.
template <typename T>
void resize_large(std::vector<T>& values, std::size_t count) {
  reserve_large(values, count);
  values.resize(count);
}

}  // namespace tofa
