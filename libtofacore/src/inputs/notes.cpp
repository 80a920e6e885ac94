// SPDX-License-Identifier: BSD-3-Clause
// What becomes of a source that fails: see inputs.hpp.
#include "tofa/error.hpp"
#include "tofa/inputs.hpp"

namespace tofa {

void InputNotes::degraded(const std::string& problem, const std::string& instead) {
  if (leniency_ == Leniency::strict) {
    throw Error(ErrorKind::unmet,
                problem + " (with `strict`, a job that cannot be placed as asked does not start)");
  }
  warnings_.push_back(problem + "; " + instead);
}

void InputNotes::failed(bool asked, const std::string& problem, const std::string& instead) {
  if (asked && leniency_ == Leniency::command) throw;
  degraded(problem, instead);
}

}  // namespace tofa
