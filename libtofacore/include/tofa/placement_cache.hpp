// SPDX-License-Identifier: BSD-3-Clause
// Choices of nodes that were made before, kept in files of the user, so that the same step, started
// again, costs no search. What is kept is an answer of select_nodes() under a fingerprint of all
// that it depends on; the same search would give the same answer, because the amount of work does
// not follow from the clock, and one that the clock cut short is not kept.
//
// Whatever is wrong with the folder or a file in it, such as another owner, leave for others to
// write, damage, or no room: it is as if nothing had been kept. Nothing here throws because of it.
#pragma once

#include <optional>
#include <string>

#include "tofa/place.hpp"
#include "tofa/user_folder.hpp"

namespace tofa {

// What select_nodes() is asked.
struct Selection {
  const CommGraph& graph;
  const Topology& topology;
  const std::string& network;  // a fingerprint of the text that the topology was made of
  const OutageMap& outages;
  const Allocation& candidates;
  unsigned node_count = 0;
  const PlaceOptions& options;
};

// `program` says which build of tofa would answer.
std::string selection_key(const Selection& selection, const std::string& program);

// Of the program that runs: another one after every build.
std::string program_identity();

// What of a placement is kept; the rest is worked out again.
struct KeptPlacement {
  Mapping mapping;
  Mapping by_default;
  std::string origin;
  friend bool operator==(const KeptPlacement&, const KeptPlacement&) = default;
};

class PlacementCache {
 public:
  using Limits = UserFolder::Limits;

  // The folder is made when something is kept. None: nothing is ever found or kept.
  explicit PlacementCache(std::string folder) : folder_(std::move(folder)) {}
  PlacementCache(std::string folder, Limits limits) : folder_(std::move(folder), limits) {}

  std::optional<KeptPlacement> find(const std::string& key) const;
  // Files that were not used for longest go when there are too many.
  void keep(const std::string& key, const KeptPlacement& placement) const;

 private:
  UserFolder folder_;
};

// What select_nodes() answers, remembered where it can be. Throws as it does.
Placement select_nodes(const Selection& selection, const PlacementCache& cache);

}  // namespace tofa
