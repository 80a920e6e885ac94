// SPDX-License-Identifier: BSD-3-Clause
// How large messages are: of all ranks, and of a cell of the matrices, which is chosen by a click or by keys.
"use strict";

// The cell, and in which of the matrices.
const chosen = {index: 0, row: 0, column: 0};

// Where the numbers of each cell start.
function findSizes(view) {
  const bytes = bytesOf(view);
  const at = new Map();
  const numbers = new Numbers(bytes);
  for (let cell = 0; numbers.at < bytes.length; ++cell) {
    cell += numbers.next();
    at.set(cell, numbers.at);
    for (let left = 2 * numbers.next(); left > 0; --left) numbers.next();
  }
  return {bytes, at};
}

function sizesOf(cell) {
  const {labels, views} = data.sizes;
  const counts = labels.map(() => 0);
  if (typeof views[chosen.index] === "string") views[chosen.index] = findSizes(views[chosen.index]);
  const {bytes, at} = views[chosen.index];
  if (!at.has(cell)) return counts;
  const numbers = new Numbers(bytes, at.get(cell));
  for (let left = numbers.next(), range = 0; left > 0; --left, ++range) {
    range += numbers.next();
    counts[range] = numbers.next();
  }
  return counts;
}

function chooseCell(plot, row, column) {
  if (!data.sizes) return;
  [chosen.index, chosen.row, chosen.column] = [plot.index, row, column];
  drawSizes();
}

// The first choice is the cell with the most traffic, as one would place ranks.
function startSizes() {
  byId("sizes").hidden = !data.sizes;
  if (!data.sizes) return;
  chosen.index = plots.length - 1;
  const view = matrix().views[chosen.index];
  view.cells ??= decode(view);
  const {where, value} = view.cells;
  let most = 0;
  for (let i = 0; i < where.length; ++i) if (value[i] > value[most]) most = i;
  [chosen.row, chosen.column] = [Math.floor((where[most] || 0) / matrix().size), (where[most] || 0) % matrix().size];
}

function sizesChart(title, values) {
  const total = values.reduce((sum, value) => sum + value, 0);
  const count = `${amount(total)} message${total === 1 ? "" : "s"}`;
  drawChart(byId("sizes"), {
    title, more: count, kind: "bars", labels: data.sizes.labels, across: "size of a message, from the label to the next",
    up: "messages", unit: "count", log: state.scale === "log", empty: "no message", series: [{name: "messages", values}],
  });
}

// Sizes are counted of all traffic in the whole run.
function drawSizes() {
  for (const plot of plots) plot.mark.hidden = !data.sizes || !data.sizes.views.length || plot.index !== chosen.index;
  if (!data.sizes) return;
  byId("sizes").replaceChildren();
  sizesChart("Sizes of all messages", data.sizes.all);
  if (!data.sizes.views.length) {
    make(byId("sizes"), "p", "There are too many pairs for the sizes of each to be on this page; tofa graph info and NAME.sizes.txt have them.", "note");
    return;
  }
  const {index, row, column} = chosen;
  const {rows} = plots[index].order;
  put(plots[index].mark, row, column);
  sizesChart(`${rows[row]} → ${rows[column]}`, sizesOf(row * matrix().size + column));
}
