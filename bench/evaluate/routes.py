# SPDX-License-Identifier: BSD-3-Clause
"""Routes of a torus, by SimGrid's rules, as `tie = "simgrid"` has them in a topology file: dimension by dimension, the shorter
way round; where both are as long, upwards, except to coordinate 0. And what equation 1 makes of them."""
import math

import measure


def route(source, target, shape):
    """The nodes on the way, both ends among them."""
    at = measure.position(source, shape)
    nodes = [source]
    for d, (there, extent) in enumerate(zip(measure.position(target, shape), shape)):
        ahead = (there - at[d]) % extent
        step = 1 if 2 * ahead < extent or (2 * ahead == extent and there != 0) else -1
        while at[d] != there:
            here = at[d]
            at[d] = (here + step) % extent
            nodes.append(nodes[-1] + (at[d] - here) * math.prod(shape[:d]))
    return nodes


def equation_1(nodes, shape, suspects, factor):
    """Costs between the nodes: a link costs 1, or 1 + factor where an end of it is suspect; the mean of both ways, since
    SCOTCH wants one."""
    suspects = set(suspects)

    def one_way(source, target):
        on_way = [node in suspects for node in route(source, target, shape)]
        marked = sum(a or b for a, b in zip(on_way, on_way[1:]))
        return len(on_way) - 1 + factor * marked

    cost = [[0] * len(nodes) for _ in nodes]
    for i, a in enumerate(nodes):
        for j in range(i):
            cost[i][j] = cost[j][i] = max(1, round((one_way(a, nodes[j]) + one_way(nodes[j], a)) / 2))
    return cost


def first_run(suspects, ranks, nodes):
    """The first consecutive nodes without a suspect, as many as there are ranks; else all nodes."""
    length = 0
    for node in range(nodes):
        length = 0 if node in suspects else length + 1
        if length == ranks:
            return list(range(node - ranks + 1, node + 1))
    return list(range(nodes))
