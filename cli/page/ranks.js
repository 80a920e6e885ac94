// SPDX-License-Identifier: BSD-3-Clause
// A table of what is known of each rank, a part of it at a time, sorted by any of its columns.
"use strict";

const RANKS_SHOWN = 20;
const table = {columns: [], order: [], by: 0, down: false, first: 0, found: -1};

const rankText = (column, rank) => {
  if (column.names) return column.names[rank];
  const value = column.values[rank];
  if (column.unit === "rank") return String(value);
  return column.unit === "percent" ? `${value.toFixed(1)} %` : quantity(value, column.unit);
};

function compareRanks(a, b) {
  const {names, values} = table.columns[table.by];
  const order = names ? names[a].localeCompare(names[b], "en", {numeric: true}) : values[a] - values[b];
  return (table.down ? -order : order) || a - b;
}

// Numbers begin with the largest, names with the first; the same column again is the other way round.
function sortRanks(by) {
  table.down = table.by === by ? !table.down : by > 0 && !table.columns[by].names;
  table.by = by;
  table.order.sort(compareRanks);
  table.first = 0;
  drawRanks();
  byId("rank-rows").querySelectorAll("th button")[by].focus();
}

function moveRanks(first) {
  const last = Math.floor((table.order.length - 1) / RANKS_SHOWN) * RANKS_SHOWN;
  table.first = Math.min(last, Math.max(0, first));
  drawRanks();
}

function findRank(rank) {
  const at = table.order.indexOf(rank);
  table.found = at < 0 ? -1 : rank;
  moveRanks(at < 0 ? table.first : Math.floor(at / RANKS_SHOWN) * RANKS_SHOWN);
}

function drawRanks() {
  const {columns, order, first} = table;
  const rows = byId("rank-rows");
  rows.replaceChildren();
  const element = make(rows, "table");
  const head = make(make(element, "thead"), "tr");
  columns.forEach((column, i) => {
    const cell = make(head, "th", "", column.names ? "" : "number");
    cell.scope = "col";
    if (i === table.by) cell.setAttribute("aria-sort", table.down ? "descending" : "ascending");
    button(cell, column.title, "", () => sortRanks(i));
  });
  const body = make(element, "tbody");
  const shown = order.slice(first, first + RANKS_SHOWN);
  for (const rank of shown) {
    const row = make(body, "tr", "", rank === table.found ? "found" : "");
    columns.forEach((column, i) => {
      const cell = make(row, i ? "td" : "th", rankText(column, rank), column.names ? "" : "number");
      if (!i) cell.scope = "row";
    });
  }
  byId("rank-part").textContent = `${first + 1} to ${first + shown.length} of ${order.length}`;
  byId("rank-back").disabled = first === 0;
  byId("rank-on").disabled = first + RANKS_SHOWN >= order.length;
}

function drawRankControls() {
  const set = make(byId("rank-controls"), "fieldset");
  button(set, "‹", "ranks before these", () => moveRanks(table.first - RANKS_SHOWN));
  set.lastChild.id = "rank-back";
  button(set, "›", "ranks after these", () => moveRanks(table.first + RANKS_SHOWN));
  set.lastChild.id = "rank-on";
  const part = make(byId("rank-controls"), "span", "", "note");
  part.id = "rank-part";
  part.setAttribute("role", "status");
  const label = make(byId("rank-controls"), "label", "Find rank");
  const input = make(label, "input");
  [input.type, input.min, input.max] = ["number", 0, table.order.length - 1];
  input.addEventListener("input", () => findRank(input.value === "" ? -1 : Number(input.value)));
}

function startRanks() {
  byId("ranks").hidden = !data.ranks;
  if (!data.ranks) return;
  const {ranks, columns} = data.ranks;
  table.order = Array.from({length: ranks}, (_, rank) => rank);
  const decoded = columns.map((column) => (column.names ? column : {...column, values: new Float64Array(bytesOf(column.values).buffer)}));
  table.columns = [{title: "rank", unit: "rank", values: table.order.slice()}, ...decoded];
  drawRankControls();
  byId("rank-controls").hidden = ranks <= RANKS_SHOWN;
  drawRanks();
}
