// SPDX-License-Identifier: BSD-3-Clause
// A short text that stands for a long one: the same for the same values in the same order, and
// another one for others, but for chances that do not matter. Not meant against forgers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tofa {

class Fingerprint {
 public:
  Fingerprint();
  ~Fingerprint();
  Fingerprint(const Fingerprint&) = delete;
  Fingerprint& operator=(const Fingerprint&) = delete;

  // Texts are told apart however they follow one another. Numbers are taken by their bits.
  Fingerprint& add(std::string_view text);
  Fingerprint& add(std::uint64_t number);
  Fingerprint& add(double number);

  // 32 hexadecimal digits.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Of one text.
std::string fingerprint_of(std::string_view text);

}  // namespace tofa
