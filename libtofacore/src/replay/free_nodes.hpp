// SPDX-License-Identifier: BSD-3-Clause
// What is free at a time, and what a job asks for: whole nodes, or, where it has fewer ranks than a
// node has cores, so many cores of one that it shares.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tofa/types.hpp"

namespace tofa {

struct NodeRequest {
  unsigned nodes = 1;
  unsigned cores = 0;  // of each; 0: all
  friend bool operator==(const NodeRequest&, const NodeRequest&) = default;
};

// A set of nodes.
class NodeSet {
 public:
  NodeSet() = default;
  NodeSet(Node nodes, bool all) : words_((nodes + 63) / 64, all ? ~std::uint64_t{0} : 0) {}

  bool has(Node node) const { return (words_[node / 64] >> (node % 64) & 1U) != 0; }
  // Of the 64 nodes from `node` on, a multiple of 64.
  std::uint64_t word(Node node) const { return words_[node / 64]; }
  void remove(Node node) { words_[node / 64] &= ~(std::uint64_t{1} << (node % 64)); }
  void keep_only(const NodeSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }

 private:
  std::vector<std::uint64_t> words_;
};

class FreeNodes {
 public:
  FreeNodes(Node nodes, unsigned cores_per_node)
      : cores_per_node_(cores_per_node), free_(nodes, cores_per_node), idle_(nodes) {}

  Node nodes() const { return static_cast<Node>(free_.size()); }
  unsigned cores_per_node() const { return cores_per_node_; }
  unsigned cores(Node node) const { return free_[node]; }
  bool idle(Node node) const { return free_[node] == cores_per_node_; }
  Node idle_nodes() const { return idle_; }
  bool fits(Node node, const NodeRequest& request) const {
    return free_[node] >= cores_of(request);
  }
  // By node, 1 where it is allowed and fits, else 0. Returns how many there are. Schedulers ask for
  // little else.
  Node find_fitting(const NodeSet& allowed, const NodeRequest& request,
                    std::vector<std::uint8_t>& fitting) const {
    fitting.resize(free_.size());
    const unsigned wanted = cores_of(request);
    Node count = 0;
    for (Node first = 0; first < nodes(); first += 64) {
      const std::uint64_t word = allowed.word(first);
      const Node last = std::min<Node>(nodes(), first + 64);
      for (Node node = first; node < last; ++node) {
        const bool fits = free_[node] >= wanted;
        fitting[node] = static_cast<std::uint8_t>((word >> (node - first)) & (fits ? 1U : 0U));
        count += fitting[node];
      }
    }
    return count;
  }
  void take(const std::vector<Node>& nodes, const NodeRequest& request) {
    for (const Node node : nodes) {
      idle_ -= idle(node) ? 1 : 0;
      free_[node] -= cores_of(request);
    }
  }
  void give_back(const std::vector<Node>& nodes, const NodeRequest& request) {
    for (const Node node : nodes) give_back(node, request);
  }
  void give_back(Node node, const NodeRequest& request) {
    free_[node] += cores_of(request);
    idle_ += idle(node) ? 1 : 0;
  }

 private:
  unsigned cores_of(const NodeRequest& request) const {
    return request.cores == 0 ? cores_per_node_ : request.cores;
  }

  unsigned cores_per_node_;
  std::vector<std::uint32_t> free_;
  Node idle_;
};

}  // namespace tofa
