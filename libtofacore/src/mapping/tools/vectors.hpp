// SPDX-License-Identifier: BSD-3-Clause
// Several numbers at once, for inner loops. Vectors are those of the compiler (GCC and Clang),
// which turns them into what there is; the loops that matter are compiled a second time for AVX2
// on x86. All that works on a vector must be inlined into what is compiled for it.
#pragma once

#include <cstdint>
#include <cstring>

namespace tofa {

template <unsigned kBytes>
struct Wide {
  static constexpr std::uint32_t kCount = kBytes / sizeof(std::int32_t);
  using Ints [[gnu::vector_size(kBytes)]] = std::int32_t;
  using Floats [[gnu::vector_size(kBytes)]] = float;
};

// From and to addresses of any alignment. (Vectors are not returned by value: how that is done
// depends on the processor.)
template <typename Vector, typename Number>
[[gnu::always_inline]] inline void load(const Number* from, Vector& to) {
  std::memcpy(&to, from, sizeof to);
}
template <typename Vector, typename Number>
[[gnu::always_inline]] inline void store(const Vector& from, Number* to) {
  std::memcpy(to, &from, sizeof from);
}

inline bool has_avx2() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
#else
  return false;
#endif
}

}  // namespace tofa
