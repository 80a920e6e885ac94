// SPDX-License-Identifier: BSD-3-Clause
// Prints the table of srun's options as it is for a release, such as 2205: a line `name value
// letter` for each, with `-` where there is no letter.
#include "srun_options.hpp"

#include <cstdio>
#include <cstdlib>

int main(int argc, char* argv[]) {
  if (argc != 2) return 2;
  const auto release = static_cast<tofa::spank::Release>(std::atoi(argv[1]));
  for (const tofa::spank::SrunOption& option : tofa::spank::srun_options()) {
    if (!option.is_in(release)) continue;
    constexpr const char* values[] = {"none", "optional", "required"};
    std::printf("%.*s %s %c\n", static_cast<int>(option.name.size()), option.name.data(),
                values[static_cast<int>(option.value)], option.letter == 0 ? '-' : option.letter);
  }
}
