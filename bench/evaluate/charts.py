# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of an evaluation: bars and lines with named axes, as SVG."""
import math

import plot

# Okabe and Ito's; told apart by place and title, too.
COLOURS = ("#7a7a7a", "#cc79a7", "#009e73", "#0072b2", "#e69f00", "#d55e00")
HEIGHT = 260
LEFT = 70


def legend(picture, names):
    for i, name in enumerate(names):
        x = LEFT + 140 * (i % 5)
        y = 18 + 18 * (i // 5)
        picture.box(x, y - 9, 10, 10, COLOURS[i % len(COLOURS)])
        picture.text(x + 15, y, name, size=11)


def ticks(highest, wanted=5):
    """Round numbers from 0 to a little above the highest."""
    rough = (highest or 1) / wanted
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    return [step * i for i in range(math.ceil((highest or 1) / step) + 1)]


def bars(groups, series, across, up):
    """Groups of bars: series is {name: values in the order of the groups}, None where there is none; the axes' names."""
    top = 30 + 18 * math.ceil(len(series) / 5)
    wide = max(14 * len(series) + 16, 90)
    picture = plot.Picture(max(LEFT + wide * len(groups) + 20, LEFT + 140 * min(5, len(series)) + 20), top + HEIGHT + 60)
    bottom = top + HEIGHT
    legend(picture, series)
    marks = ticks(max([value for values in series.values() for value in values if value is not None], default=1))
    for mark in marks:
        y = bottom - HEIGHT * mark / marks[-1]
        picture.line(LEFT, y, LEFT + wide * len(groups), y)
        picture.text(LEFT - 6, y + 4, f"{mark:g}", "end", 10)
    for g, group in enumerate(groups):
        picture.text(LEFT + wide * (g + 0.5), bottom + 16, group, "middle", 10)
        for s, values in enumerate(series.values()):
            if values[g] is not None:
                height = HEIGHT * values[g] / marks[-1]
                x = LEFT + wide * g + (wide - 14 * len(series)) / 2 + 14 * s
                picture.box(x, bottom - height, 12, height, COLOURS[s % len(COLOURS)])
    axis_names(picture, across, up, bottom, wide * len(groups), top)
    return picture.document()


def lines(series, across, up):
    """Points joined, both axes logarithmic: series is {name: [(x, y)]}."""
    top, width = 30 + 18 * math.ceil(len(series) / 5), 560
    picture = plot.Picture(LEFT + 720, top + HEIGHT + 60)
    bottom = top + HEIGHT
    legend(picture, series)
    points = [point for line in series.values() for point in line if point[1]]
    if not points:
        return picture.document()
    xs, ys = sorted({x for x, _ in points}), [y for _, y in points]
    to_x = plot.Scale(xs[0] / 1.2, xs[-1] * 1.2, LEFT, LEFT + width)
    low, high = 10 ** math.floor(math.log10(min(ys))), 10 ** math.ceil(math.log10(max(ys)) + 1e-9)
    to_y = plot.Scale(low, max(high, 10 * low), bottom, top)
    decade = low
    while decade <= max(high, 10 * low) * 1.001:
        picture.line(LEFT, to_y(decade), LEFT + width, to_y(decade))
        picture.text(LEFT - 6, to_y(decade) + 4, f"{decade:g}", "end", 10)
        decade *= 10
    for x in xs:
        picture.text(to_x(x), bottom + 16, f"{x:g}", "middle", 10)
    for s, (name, line) in enumerate(series.items()):
        line = [point for point in line if point[1]]
        for (x1, y1), (x2, y2) in zip(line, line[1:]):
            picture.line(to_x(x1), to_y(y1), to_x(x2), to_y(y2), COLOURS[s % len(COLOURS)], 2)
        for x, y in line:
            picture.mark(to_x(x), to_y(y), (COLOURS[s % len(COLOURS)], plot.SHAPES[s % len(plot.SHAPES)]), f"{name}, {x:g}: {y:.3g}")
    axis_names(picture, across, up, bottom, width, top)
    return picture.document()


def axis_names(picture, across, up, bottom, width, top):
    picture.line(LEFT, bottom, LEFT + width, bottom, "#444")
    picture.line(LEFT, top, LEFT, bottom, "#444")
    picture.text(LEFT + width / 2, bottom + 40, across, "middle", 12)
    picture.text(4, top - 8, up, size=12)
