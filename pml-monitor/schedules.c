// SPDX-License-Identifier: BSD-3-Clause
// See schedules.h. In a tree, ranks count from the root.
#include "schedules.h"

#include <stdbool.h>

const char schedule_names[] =
    "barrier: recursive doubling, bcast: binomial tree, reduce: in-order binomial tree, "
    "allreduce: recursive doubling";

struct sends {
  schedule_send_fn to;
  void* context;
  uint32_t rank, size, root;
};

static void send(const struct sends* all, uint32_t receiver) {
  all->to(all->context, receiver);
}

static uint32_t largest_power_of_two(uint32_t most) {
  uint32_t power = 1;
  while (power <= most / 2) power *= 2;
  return power;
}

static uint32_t from_root(const struct sends* all) {
  return all->rank >= all->root ? all->rank - all->root : all->rank + (all->size - all->root);
}

static void send_in_tree(const struct sends* all, uint32_t receiver) {
  uint64_t rank = (uint64_t)receiver + all->root;
  send(all, (uint32_t)(rank % all->size));
}

// Beyond the largest power of two, ranks have a partner below, who tells them when all are there.
static void barrier(const struct sends* all) {
  uint32_t power = largest_power_of_two(all->size), rank = all->rank;
  if (rank >= power) {
    send(all, rank - power);
    return;
  }
  for (uint32_t distance = 1; distance < power; distance *= 2) send(all, rank ^ distance);
  if (rank + power < all->size) send(all, rank + power);
}

// The children of a rank are those that have one more bit, above its highest.
static void bcast(const struct sends* all) {
  uint64_t rank = from_root(all);
  for (uint64_t bit = 1; rank + bit < all->size; bit *= 2) {
    if (bit > rank) send_in_tree(all, (uint32_t)(rank + bit));
  }
}

// The parent of a rank has not its lowest bit, so that subtrees are ranks in order.
static void reduce(const struct sends* all) {
  uint32_t rank = from_root(all);
  if (rank > 0) send_in_tree(all, rank & (rank - 1));
}

// What is above the largest power of two takes part in pairs: the even rank lets the odd one act.
static void allreduce(const struct sends* all) {
  uint32_t power = largest_power_of_two(all->size), extra = all->size - power, rank = all->rank;
  bool paired = rank < 2 * extra;
  if (paired && rank % 2 == 0) {
    send(all, rank + 1);
    return;
  }
  uint32_t own = paired ? rank / 2 : rank - extra;
  for (uint32_t distance = 1; distance < power; distance *= 2) {
    uint32_t other = own ^ distance;
    send(all, other < extra ? 2 * other + 1 : other + extra);
  }
  if (paired) send(all, rank - 1);
}

void schedule_sends(enum schedule schedule, uint32_t rank, uint32_t size, uint32_t root,
                    schedule_send_fn to, void* context) {
  static void (*const schedules[SCHEDULES])(const struct sends*) = {
      [SCHEDULE_BARRIER] = barrier,
      [SCHEDULE_BCAST] = bcast,
      [SCHEDULE_REDUCE] = reduce,
      [SCHEDULE_ALLREDUCE] = allreduce,
  };
  if (size < 2) return;
  schedules[schedule](&(struct sends){to, context, rank, size, root});
}
