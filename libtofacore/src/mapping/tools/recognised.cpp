// SPDX-License-Identifier: BSD-3-Clause
// Looked for once: see recognised.hpp.
#include "mapping/tools/recognised.hpp"

#include "mapping/tools/strong_pairs.hpp"

namespace tofa {

const GuestGrid* Recognised::exact_grid() const {
  std::call_once(looked_for_exact_, [this] { exact_ = recognise_grid(graph_); });
  return exact_ ? &*exact_ : nullptr;
}

const GuestGrid& Recognised::grid() const {
  if (const GuestGrid* exact = exact_grid()) return *exact;
  std::call_once(looked_for_any_, [this] { near_ = grid_or_line(graph_); });
  return *near_;
}

const CommGraph* Recognised::backbone() const {
  std::call_once(looked_for_backbone_, [this] { backbone_ = tofa::backbone(graph_); });
  return backbone_ ? &*backbone_ : nullptr;
}

double Recognised::share_of_strongest() const {
  std::call_once(looked_for_strongest_,
                 [this] { share_of_strongest_ = tofa::share_of_strongest(graph_); });
  return share_of_strongest_;
}

double Recognised::partners_of_a_draw() const {
  std::call_once(looked_for_draws_,
                 [this] { partners_of_a_draw_ = tofa::partners_of_a_draw(graph_); });
  return partners_of_a_draw_;
}

}  // namespace tofa
