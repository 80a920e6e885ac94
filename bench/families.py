#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Families of traffic and machines with levels, made from fixed seeds, as the files that tofa reads.

    families.py --list                       names of families and machines
    families.py FAMILY:RANKS FOLDER          writes FOLDER/FAMILY-RANKS.bytes.mtx
    families.py --machine MACHINE FOLDER     writes FOLDER/MACHINE.toml

A machine is a tree, 4:8:6/1:10:100 (four nodes a switch, eight of these a switch above, six in all; the distances between
two nodes that part at each level), a fat tree, fat4x8x6, which counts hops, a torus, torus8x8x8, or a dragonfly,
dragonfly9x4x2 (groups, routers of a group, nodes of a router). Ranks are shuffled in
all families: the order in which a program numbers them must not help.
"""
import itertools
import math
import pathlib
import random
import re
import sys

import cases


def box_of(ranks, dimensions):
    """The extents of a grid of so many ranks, as equal as can be, the longest first."""
    extents = [1] * dimensions
    for prime in prime_factors(ranks):
        extents[extents.index(min(extents))] *= prime
    return tuple(sorted(extents, reverse=True))


def prime_factors(number):
    factors = []
    divisor = 2
    while number > 1:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return factors[::-1]


def halo(ranks, dimensions, weights):
    """A stencil with its corners; `weights` by how many coordinates differ."""
    extents = box_of(ranks, dimensions)
    strides = [math.prod(extents[d + 1:]) for d in range(dimensions)]
    pairs = []
    for rank, at in enumerate(itertools.product(*map(range, extents))):
        for step in itertools.product((-1, 0, 1), repeat=dimensions):
            there = [x + s for x, s in zip(at, step)]
            other = sum(x * stride for x, stride in zip(there, strides))
            if other > rank and all(0 <= x < extent for x, extent in zip(there, extents)):
                pairs.append((rank, other, weights[sum(map(abs, step)) - 1]))
    return pairs


def torus(ranks, dimensions):
    return cases.stencil(box_of(ranks, dimensions), True)


def nearest(ranks, dimensions, partners, source):
    """Points at random, each of which exchanges with those nearest to it."""
    points = [[source.random() for _ in range(dimensions)] for _ in range(ranks)]
    pairs = set()
    for rank, point in enumerate(points):
        order = sorted((math.dist(point, other), i) for i, other in enumerate(points) if i != rank)
        pairs.update((min(rank, i), max(rank, i)) for _, i in order[:partners])
    return [(a, b, source.randint(1, 50)) for a, b in sorted(pairs)]


def mesh(ranks, dimensions, source):
    """A mesh of many cells, each of which belongs to the nearest of random centres; parts exchange what they share of
    their surfaces."""
    side = round((40 * ranks) ** (1 / dimensions))
    cells = list(itertools.product(range(side), repeat=dimensions))
    centres = source.sample(cells, ranks)
    owner = {centre: rank for rank, centre in enumerate(centres)}
    front = list(centres)
    steps = [tuple(sign * (d == e) for e in range(dimensions)) for d in range(dimensions) for sign in (1, -1)]
    while front:
        ahead = []
        for cell in front:
            for step in steps:
                other = tuple(x + s for x, s in zip(cell, step))
                if other not in owner and all(0 <= x < side for x in other):
                    owner[other] = owner[cell]
                    ahead.append(other)
        front = ahead
    return shared_faces(owner, steps[::2])


def shared_faces(owner, steps):
    shared = {}
    for cell, rank in owner.items():
        for step in steps:
            other = owner.get(tuple(x + s for x, s in zip(cell, step)), rank)
            if other != rank:
                pair = (min(rank, other), max(rank, other))
                shared[pair] = shared.get(pair, 0) + 1
    return [(a, b, weight) for (a, b), weight in sorted(shared.items())]


def amr(ranks, source):
    """Squares, some of them cut in four again and again, around a circle mostly; those that touch exchange."""
    finest = 64
    while finest ** 2 <= ranks:  # there have to be squares that are not cut any more
        finest *= 2
    squares = [(x, y, 16) for x in range(0, finest, 16) for y in range(0, finest, 16)]
    while len(squares) < ranks:
        def badness(square):
            x, y, size = square
            middle = math.dist((x + size / 2, y + size / 2), (finest / 2, finest / 2))
            return (size == 1, abs(middle - finest / 3) / size + source.random())
        worst = min(squares, key=badness)
        squares.remove(worst)
        x, y, half = worst[0], worst[1], worst[2] // 2
        squares += [(x, y, half), (x + half, y, half), (x, y + half, half), (x + half, y + half, half)]
    owner = {}
    for rank, (x, y, size) in enumerate(squares[:ranks]):
        owner.update({(x + i, y + j): rank for i in range(size) for j in range(size)})
    return shared_faces(owner, [(1, 0), (0, 1)])


def power_law(ranks, partners, source):
    """Barabasi-Albert: who comes later talks to those who talk to many."""
    ends = list(range(partners))
    pairs = []
    for rank in range(partners, ranks):
        chosen = set()
        while len(chosen) < partners:
            chosen.add(source.choice(ends))
        pairs += [(other, rank, 1) for other in sorted(chosen)]
        ends += list(chosen) + [rank] * partners
    return pairs


def heavy(pairs, source):
    """The same pairs with weights over decades: few carry most of the bytes."""
    return [(a, b, int(100 * source.random() ** -1.0)) for a, b, _ in pairs]


def hpl(ranks):
    """Panels along the rows of a process grid from neighbour to neighbour, swaps of rows by halves in its columns."""
    columns, rows = box_of(ranks, 2)
    pairs = []
    for row, column in itertools.product(range(rows), range(columns)):
        rank = row * columns + column
        pairs.append((rank, row * columns + (column + 1) % columns, 8))
        step = 1
        while step < rows:
            if row ^ step < rows and row < row ^ step:
                pairs.append((rank, (row ^ step) * columns + column, 4))
            step *= 2
    return pairs


def pencils(ranks):
    """Transposes of a 3D FFT: all with all in the rows and in the columns of a process grid."""
    columns, rows = box_of(ranks, 2)
    pairs = []
    for row in range(rows):
        pairs += [(row * columns + a, row * columns + b, 1) for a, b in itertools.combinations(range(columns), 2)]
    for column in range(columns):
        pairs += [(a * columns + column, b * columns + column, 1) for a, b in itertools.combinations(range(rows), 2)]
    return pairs


def butterfly(ranks):
    """Recursive doubling: partners at distances that are powers of two."""
    return [(rank, rank ^ step, 1) for step in (1 << i for i in range(ranks.bit_length()))
            for rank in range(ranks) if rank < rank ^ step < ranks]


def random_regular(ranks, partners, source):
    """Nobody near anybody: several random rings laid over each other."""
    pairs = set()
    for _ in range(partners // 2):
        ring = source.sample(range(ranks), ranks)
        pairs.update((min(a, b), max(a, b)) for a, b in zip(ring, ring[1:] + ring[:1]))
    return [(a, b, 1) for a, b in sorted(pairs)]


def blocks(ranks, size):
    """Groups that talk among themselves, and a ring of them."""
    pairs = []
    for first in range(0, ranks, size):
        group = range(first, min(first + size, ranks))
        pairs += [(a, b, 10) for a, b in itertools.combinations(group, 2)]
        pairs.append((first, (first + size) % ranks, 10))
    return pairs


def collectives(pairs, ranks):
    """The same with an allreduce and a gather, which carry next to nothing, to partners all over the job."""
    heavy_pairs = [(a, b, 1000 * weight) for a, b, weight in pairs]
    allreduce = [(a, b, 8 * weight) for a, b, weight in butterfly(ranks)]
    return added_up(heavy_pairs + allreduce + [(0, rank, 100) for rank in range(1, ranks)])


def with_far_partners(pairs, ranks, source):
    """The same with a partner somewhere, as strong as those around, for every tenth rank."""
    weight = pairs[0][2]
    return added_up(pairs + [(*source.sample(range(ranks), 2), weight) for _ in range(ranks // 20)])


def with_servers(pairs, ranks, size):
    """The same where the first of each so many ranks collects from the others, as servers of files do."""
    weight = pairs[0][2]
    return added_up(pairs + [(rank // size * size, rank, weight) for rank in range(ranks) if rank % size])


def added_up(pairs):
    sums = {}
    for a, b, weight in pairs:
        sums[min(a, b), max(a, b)] = sums.get((min(a, b), max(a, b)), 0) + weight
    return [(a, b, weight) for (a, b), weight in sums.items()]


def side_by_side(*jobs):
    """Jobs, as (ranks, pairs), that have nothing to do with each other."""
    pairs = []
    first = 0
    for ranks, of_job in jobs:
        pairs += [(first + a, first + b, weight) for a, b, weight in of_job]
        first += ranks
    return pairs


def ensemble(ranks, runs, source):
    """Runs of a mesh in space, each with its own; the first has the ranks that are left over."""
    sizes = [ranks // runs + (ranks % runs if run == 0 else 0) for run in range(runs)]
    return side_by_side(*((size, mesh(size, 3, source)) for size in sizes))


def coupled(ranks, source):
    """A model on a grid in space and one on a plane of particles, which exchange little."""
    half = ranks // 2
    rest = ranks - half
    both = side_by_side((half, [(a, b, 1000) for a, b, _ in cases.stencil(box_of(half, 3), False)]),
                        (rest, [(a, b, 100 * weight) for a, b, weight in nearest(rest, 2, 6, source)]))
    return both + [(rank, half + rank, 1) for rank in range(half)]


FAMILIES = {
    "9-point": lambda ranks, source: halo(ranks, 2, (16, 1)),
    "27-point": lambda ranks, source: halo(ranks, 3, (64, 8, 1)),
    "torus2": lambda ranks, source: torus(ranks, 2),
    "torus3": lambda ranks, source: torus(ranks, 3),
    "knn2": lambda ranks, source: nearest(ranks, 2, 6, source),
    "mesh2": lambda ranks, source: mesh(ranks, 2, source),
    "mesh3": lambda ranks, source: mesh(ranks, 3, source),
    "geometric": lambda ranks, source: cases.geometric(ranks, ranks, 12),
    "amr": lambda ranks, source: amr(ranks, source),
    "power-law": lambda ranks, source: power_law(ranks, 4, source),
    "heavy": lambda ranks, source: heavy(power_law(ranks, 4, source), source),
    "heavy-knn": lambda ranks, source: heavy(nearest(ranks, 3, 6, source), source),
    "hpl": lambda ranks, source: hpl(ranks),
    "stencil4": lambda ranks, source: cases.stencil(box_of(ranks, 4), False),
    "butterfly": lambda ranks, source: butterfly(ranks),
    "random": lambda ranks, source: random_regular(ranks, 6, source),
    "pencils": lambda ranks, source: pencils(ranks),
    "blocks": lambda ranks, source: blocks(ranks, 12),
    "sweep": lambda ranks, source: cases.stencil(box_of(ranks, 2), False),
    "collectives": lambda ranks, source: collectives(mesh(ranks, 3, source), ranks),
    "ensemble": lambda ranks, source: ensemble(ranks, 8, source),
    "far": lambda ranks, source: with_far_partners(cases.stencil(box_of(ranks, 3), False), ranks, source),
    "far-mesh": lambda ranks, source: with_far_partners(mesh(ranks, 3, source), ranks, source),
    "far-particles": lambda ranks, source: with_far_partners(cases.geometric(ranks, ranks, 12), ranks, source),
    "servers": lambda ranks, source: with_servers(cases.stencil(box_of(ranks, 3), False), ranks, 32),
    "coupled": lambda ranks, source: coupled(ranks, source),
}


def traffic(name):
    family, ranks = name.split(":")
    ranks = int(ranks)
    pairs = FAMILIES[family](ranks, random.Random(f"{family} {ranks}"))
    return ranks, cases.shuffled([pair for pair in pairs if pair[0] != pair[1]], ranks, ranks)


def traffic_path(name, folder):
    return pathlib.Path(folder) / f"{name.replace(':', '-')}.bytes.mtx"


def write_traffic(name, folder):
    ranks, pairs = traffic(name)
    cases.write_graph(pairs, ranks, traffic_path(name, folder))


def tree_text(fan_out, distances):
    """A network of cables. Hops are twice the distances, since each goes up and down."""
    nodes = math.prod(fan_out)
    lines = ["[topology]", 'kind = "graph"', f'nodes = "n[0-{nodes - 1}]"']
    levels = []
    below = ["n[{}]", 1, nodes]
    switches = []
    for level, fan in enumerate(fan_out):
        count = below[2] // fan
        name = f"s{level}-"
        switches.append(f"{name}[0-{count - 1}]")
        length = distances[level] - (distances[level - 1] if level else 0)
        for switch in range(count):
            under = below[0].format(f"{switch * fan}-{switch * fan + fan - 1}")
            levels.append(f'[[link]]\nends = ["{name}{switch}", "{under}"]\nlength = {length}')
        below = [name + "[{}]", fan, count]
    lines.append(f'switches = "{",".join(switches)}"')
    return "\n".join(lines + [""] + levels) + "\n"


def machine(name):
    """Text of the topology file, nodes, and in how many hops distances are counted."""
    if name.startswith(("fat", "torus", "dragonfly")):
        kind, shape = re.fullmatch(r"(fat|torus|dragonfly)([\dx]+)", name).groups()
        extents = [int(x) for x in shape.split("x")]
        nodes = math.prod(extents)
        dragonfly = zip(("groups", "routers", "nodes_per_router"), extents)
        sizes = {"fat": f'kind = "fat-tree"\ndown = {extents}\nup = {[1] + extents[:-1]}',
                 "torus": f'kind = "torus"\nshape = {extents}',
                 "dragonfly": 'kind = "dragonfly"\n' + "\n".join(f"{key} = {x}" for key, x in dragonfly)}[kind]
        return f'[topology]\n{sizes}\nnodes = "n[0-{nodes - 1}]"\n', nodes, 1
    fan_out, distances = ([int(x) for x in part.split(":")] for part in name.split("/"))
    return tree_text(fan_out, distances), math.prod(fan_out), 2


def write_machine(name, folder):
    text, nodes, unit = machine(name)
    path = pathlib.Path(folder) / f"{name.replace('/', '-').replace(':', '.')}.toml"
    path.write_text(text, "ascii")
    return path, nodes, unit


def main(arguments):
    if arguments == ["--list"]:
        print("\n".join(FAMILIES))
    elif len(arguments) == 3 and arguments[0] == "--machine":
        write_machine(*arguments[1:])
    elif len(arguments) == 2:
        write_traffic(*arguments)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
