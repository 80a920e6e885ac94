# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of an evaluation: bars and lines with named axes, as SVG."""
import itertools
import math

import plot
from item import WAYS

# Okabe and Ito's; told apart by place and title, too. A placement has the same one in all pictures.
COLOURS = ("#7a7a7a", "#cc79a7", "#009e73", "#0072b2", "#e69f00", "#d55e00")
OF_PLACEMENT = dict(zip(WAYS.values(), COLOURS))
HEIGHT = 260
LEFT = 70
LETTER = 6.5  # about as wide in the small sizes used here


def colours_of(names):
    """The placements' own, and what is left for others."""
    taken = {OF_PLACEMENT.get(name) for name in names}
    rest = itertools.cycle([colour for colour in COLOURS if colour not in taken] or COLOURS)
    return {name: OF_PLACEMENT.get(name) or next(rest) for name in names}


class Legend:
    """Colours and names, in as many lines as they need."""

    def __init__(self, names, width):
        self.colours = colours_of(names)
        self.places = {}
        x, y = LEFT, 18
        for name in names:
            wide = 15 + LETTER * len(name) + 16
            if x + wide > width and x > LEFT:
                x, y = LEFT, y + 18
            self.places[name] = x, y
            x += wide
        self.bottom = y + 30

    def draw(self, picture):
        for name, (x, y) in self.places.items():
            picture.box(x, y - 9, 10, 10, self.colours[name])
            picture.text(x + 15, y, name, size=11)


def ticks(highest, wanted=5):
    """Round numbers from 0 to a little above the highest."""
    rough = (highest or 1) / wanted
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    return [step * i for i in range(math.ceil((highest or 1) / step) + 1)]


def bars(groups, series, across, up):
    """Groups of bars: series is {name: values in the order of the groups}, None where there is none; the axes' names."""
    wide = max(14 * len(series) + 16, LETTER * max(map(len, groups)), 60)
    width = LEFT + max(wide * len(groups), 500) + 20
    legend = Legend(series, width)
    bottom = legend.bottom + HEIGHT
    picture = plot.Picture(width, bottom + 60)
    legend.draw(picture)
    marks = ticks(max([value for values in series.values() for value in values if value is not None], default=1))
    for mark in marks:
        y = bottom - HEIGHT * mark / marks[-1]
        picture.line(LEFT, y, LEFT + wide * len(groups), y)
        picture.text(LEFT - 6, y + 4, f"{mark:g}", "end", 10)
    for g, group in enumerate(groups):
        picture.text(LEFT + wide * (g + 0.5), bottom + 16, group, "middle", 10)
        for s, (name, values) in enumerate(series.items()):
            if values[g] is not None:
                height = HEIGHT * values[g] / marks[-1]
                x = LEFT + wide * g + (wide - 14 * len(series)) / 2 + 14 * s
                picture.box(x, bottom - height, 12, height, legend.colours[name])
    axis_names(picture, across, up, (bottom, legend.bottom), wide * len(groups))
    return picture.document()


def lines(series, across, up):
    """Points joined, both axes logarithmic: series is {name: [(x, y)]}."""
    width = 640
    legend = Legend(series, LEFT + width)
    bottom = legend.bottom + HEIGHT
    picture = plot.Picture(LEFT + width + 30, bottom + 60)
    legend.draw(picture)
    points = [point for line in series.values() for point in line if point[1]]
    if not points:
        return picture.document()
    xs, ys = sorted({x for x, _ in points}), [y for _, y in points]
    to_x = plot.Scale(xs[0] / 1.2, xs[-1] * 1.2, LEFT, LEFT + width)
    low = 10 ** math.floor(math.log10(min(ys)))
    high = max(10 ** math.ceil(math.log10(max(ys))), 10 * low)
    to_y = plot.Scale(low, high, bottom, legend.bottom)
    decade = low
    while decade <= high * 1.001:
        picture.line(LEFT, to_y(decade), LEFT + width, to_y(decade))
        picture.text(LEFT - 6, to_y(decade) + 4, f"{decade:g}", "end", 10)
        decade *= 10
    for x in xs:
        picture.text(to_x(x), bottom + 16, f"{x:g}", "middle", 10)
    for s, (name, line) in enumerate(series.items()):
        mark = legend.colours[name], plot.SHAPES[s % len(plot.SHAPES)]
        line = [point for point in line if point[1]]
        for (x1, y1), (x2, y2) in zip(line, line[1:]):
            picture.line(to_x(x1), to_y(y1), to_x(x2), to_y(y2), mark[0], 2)
        for x, y in line:
            picture.mark(to_x(x), to_y(y), mark, f"{name}, {x:g}: {y:.3g}")
    axis_names(picture, across, up, (bottom, legend.bottom), width)
    return picture.document()


def axis_names(picture, across, up, ends, width):
    bottom, top = ends
    picture.line(LEFT, bottom, LEFT + width, bottom, "#444")
    picture.line(LEFT, top, LEFT, bottom, "#444")
    picture.text(LEFT + width / 2, bottom + 40, across, "middle", 12)
    picture.text(4, top - 8, up, size=12)
