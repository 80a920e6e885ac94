// SPDX-License-Identifier: BSD-3-Clause
// Draws what the data say. What comes from the data is only ever text of the page. The other scripts come before it.
"use strict";

// Whatever goes wrong is said on the page, where whoever looks at it finds it.
function complain(what) {
  const problem = document.getElementById("problem");
  problem.textContent = `Something on this page could not be drawn: ${what}`;
  problem.hidden = false;
}
window.addEventListener("error", (event) => complain(event.message));
window.addEventListener("unhandledrejection", (event) => complain(event.reason));

const byId = (id) => document.getElementById(id);

function make(parent, tag, text = "", className = "") {
  const element = document.createElement(tag);
  if (text !== "") element.textContent = text;
  if (className) element.className = className;
  parent.append(element);
  return element;
}

function draw(parent, tag, attributes, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== "") element.textContent = text;
  parent.append(element);
  return element;
}

const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

// Reads one number after the other.
class Numbers {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  next() {
    let number = 0;
    for (let times = 1; ; times *= 128) {
      const part = this.bytes[this.at++];
      number += (part & 0x7f) * times;
      if (!(part >= 0x80)) return number;
    }
  }
}

// --- Matrices ---------------------------------------------------------------------------------

// The cells with traffic: where, and how much.
function decode(view) {
  const gaps = new Numbers(bytesOf(view.gaps));
  const values = new DataView(bytesOf(view.values).buffer);
  const count = values.byteLength / 4;
  const cells = {where: new Uint32Array(count), value: new Float32Array(count), at: new Map()};
  let at = 0;
  for (let i = 0; i < count; ++i, ++at) {
    at += gaps.next();
    cells.where[i] = at;
    cells.value[i] = values.getFloat32(4 * i, true);
    cells.at.set(at, cells.value[i]);
  }
  return cells;
}

const PIXELS = 1024;  // of a side, about
const darkGround = matchMedia("(prefers-color-scheme: dark)");
let printing = false;  // paper is light
const onDark = () => darkGround.matches && !printing;
const state = {part: 0, scale: "log"};
let data = null;
let plots = [];

const matrix = () => data.matrices[state.part];
const colours = () => (onDark() ? data.colours.dark : data.colours.light);

function position(value) {
  const {low, high} = matrix().scales[state.scale];
  const at = state.scale === "log" ? Math.log2(Math.max(1, value)) : value;
  return Math.min(1, Math.max(0, (at - low) / (high - low)));
}

const level = (value) => Math.min(colours().length - 1, Math.floor(position(value) * colours().length));

// Stronger cells on top of weaker ones, where marks are larger than cells.
function paint(plot) {
  const {canvas, order, index} = plot;
  const {size, views} = matrix();
  const view = views[index];
  view.cells ??= decode(view);
  const {where, value} = view.cells;
  const pixels = Math.max(1, Math.floor(PIXELS / size));
  canvas.width = canvas.height = Math.max(1, size * pixels);
  const context = canvas.getContext("2d", {willReadFrequently: true});
  const levels = colours().map(() => []);
  for (let i = 0; i < where.length; ++i) levels[level(value[i])].push(where[i]);
  const lone = new Set(view.lone);
  levels.forEach((cells, i) => {
    context.fillStyle = colours()[i];
    for (const cell of cells) {
      const side = Math.round(pixels * (lone.has(cell) ? view.loneMark : view.mark));
      const inset = pixels > 12 && side === pixels ? 1 : 0;  // sets large cells apart
      const corner = (at) => Math.min(Math.max(at * pixels + Math.round((pixels - side) / 2), 0), size * pixels - side);
      context.fillRect(corner(cell % size), corner(Math.floor(cell / size)), side - inset, side - inset);
    }
  });
  context.strokeStyle = onDark() ? "rgba(230, 234, 240, .75)" : "rgba(27, 36, 48, .75)";
  context.lineWidth = 2;
  for (const [from, to] of order.blocks) {
    const side = (to - from) * pixels;
    context.strokeRect(from * pixels, from * pixels, side, side);
  }
  report(plot, context);
}

// What was drawn, for whoever checks: how many pixels are not empty, and the colour of the fullest cell.
function report(plot, context) {
  const {canvas, index} = plot;
  const {cells} = matrix().views[index];
  const {size} = matrix();
  const image = context.getImageData(0, 0, canvas.width, canvas.height).data;
  let ink = 0;
  for (let i = 3; i < image.length; i += 4) ink += image[i] > 0;
  canvas.dataset.ink = ink;
  if (!cells.where.length) return;
  let most = 0;
  for (let i = 0; i < cells.where.length; ++i) if (cells.value[i] > cells.value[most]) most = i;
  const pixels = canvas.width / size;
  const middle = (at) => Math.floor((at + 0.5) * pixels);
  const at = 4 * (middle(Math.floor(cells.where[most] / size)) * canvas.width + middle(cells.where[most] % size));
  canvas.dataset.fullest = "#" + [0, 1, 2].map((i) => image[at + i].toString(16).padStart(2, "0")).join("");
}

// A frame around a cell.
function put(frame, row, column) {
  const {size} = matrix();
  const percent = (cell) => `${(100 * (cell + 0.5)) / size}%`;
  frame.style.left = percent(column);
  frame.style.top = percent(row);
  frame.style.width = frame.style.height = `${100 / size}%`;
}

function placeCursor(plot) {
  plot.cursor.hidden = !plot.at;
  if (plot.at) put(plot.cursor, ...plot.at);
}

function showCell(plot, row, column) {
  const {size, views, bytes} = matrix();
  if (!size) return;
  const inside = (cell) => Math.min(size - 1, Math.max(0, cell));
  plot.at = [inside(row), inside(column)];
  plots.forEach((other) => { if (other !== plot) other.at = null; });
  plots.forEach(placeCursor);
  const value = views[plot.index].cells.at.get(plot.at[0] * size + plot.at[1]) || 0;
  // Of a cell's value seven digits are known.
  const what = value ? amount(Number(value.toPrecision(7)), bytes) + (bytes ? "" : " messages") : "nothing";
  byId("readout").className = "";
  byId("readout").textContent = `${plot.order.rows[plot.at[0]]} → ${plot.order.rows[plot.at[1]]}: ${what}`;
}

const STEPS = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};

function onKey(plot, event) {
  const step = STEPS[event.key];
  if (!step) return;
  event.preventDefault();
  const far = event.shiftKey ? 16 : 1;
  const [row, column] = plot.at || [0, 0];
  if (plot.at) showCell(plot, row + far * step[0], column + far * step[1]);
  else showCell(plot, row, column);
  chooseCell(plot, ...plot.at);
}

function makePlot(order, index) {
  const figure = make(byId("plots"), "figure");
  const caption = make(figure, "figcaption");
  make(caption, "b", order.title);
  const share = make(caption, "span");
  const grid = make(figure, "div", "", "plot");
  const down = make(grid, "div", "", "axis down");
  const cells = make(grid, "div", "", "cells");
  cells.tabIndex = 0;
  cells.setAttribute("role", "application");
  cells.setAttribute("aria-label", `Heatmap, ${order.title}; arrow keys read cells, with shift in large steps`);
  const canvas = make(cells, "canvas");
  const cursor = make(cells, "div", "", "cursor");
  cursor.hidden = true;
  const mark = make(cells, "div", "", "cursor mark");
  mark.hidden = true;
  const across = make(grid, "div", "", "axis across");
  make(grid, "div", order.sorted ? "receiver, ranks sorted by node" : "receiver rank", "what");
  make(down, "span", order.sorted ? "sender, ranks sorted by node" : "sender rank", "what");
  for (const label of order.labels) {
    make(down, "span", label.text).style.top = `${(100 * label.at) / matrix().size}%`;
    make(across, "span", label.text).style.left = `${(100 * label.at) / matrix().size}%`;
  }
  const plot = {order, index, canvas, cursor, mark, share, at: null};
  cells.addEventListener("keydown", (event) => onKey(plot, event));
  cells.addEventListener("focus", () => plot.at || showCell(plot, 0, 0));
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    showCell(plot, Math.floor(((event.clientY - box.top) / box.height) * matrix().size),
             Math.floor(((event.clientX - box.left) / box.width) * matrix().size));
  };
  cells.addEventListener("pointermove", point);
  cells.addEventListener("pointerdown", (event) => { point(event); chooseCell(plot, ...plot.at); });
  return plot;
}

function drawLegend() {
  const legend = byId("legend");
  legend.replaceChildren();
  make(legend, "span", `${matrix().bytes ? "bytes" : "messages"} sent`);
  const ramp = make(legend, "div", "", "ramp");
  const steps = make(ramp, "div", "", "colours");
  for (const colour of colours()) make(steps, "i").style.background = colour;
  for (const tick of matrix().scales[state.scale].ticks) make(ramp, "span", tick.text).style.left = `${100 * tick.at}%`;
}

function hint() {
  const {ranksPerCell, total, views} = matrix();
  const parts = [`${total} in total`];
  if (ranksPerCell > 1) parts.push(`a cell sums ${ranksPerCell} × ${ranksPerCell} ranks`);
  if (views.some((view) => view.mark > 1 || view.lone.length)) parts.push("cells that stand alone or far above all others are drawn larger");
  if (plots.some((plot) => plot.order.blocks.length)) parts.push("squares are nodes");
  parts.push("point at a cell, or use the arrow keys");
  byId("readout").className = "empty";
  byId("readout").textContent = parts.join("; ");
}

function drawMatrix() {
  for (const plot of plots) {
    paint(plot);
    placeCursor(plot);
    const between = matrix().views[plot.index].between;
    plot.share.textContent = between ? ` · ${between}` : "";
  }
  drawLegend();
  drawPairs();
  drawSizes();
  const focused = plots.find((plot) => plot.at);
  if (focused) showCell(focused, ...focused.at);
  else hint();
}

// Buttons of which one is pressed. A choice of one is none.
function choice(name, entries, chosen, choose) {
  if (entries.length < 2) return [];
  const set = make(byId("controls"), "fieldset");
  make(set, "legend", name);
  const buttons = entries.map(([value, text]) => {
    const button = make(set, "button", text);
    button.type = "button";
    button.value = value;
    button.setAttribute("aria-pressed", String(value === chosen));
    button.addEventListener("click", () => {
      press(buttons, value);
      choose(value);
    });
    return button;
  });
  return buttons;
}

function press(buttons, value) {
  for (const button of buttons) button.setAttribute("aria-pressed", String(button.value === value));
}

const CLASSES = {
  "all": "all", "user": "user", "collective": "collective", "one-sided": "one-sided", "io": "MPI-IO", "library": "library",
  "estimated": "estimated (not in all)",
};

function drawControls() {
  const {matrices} = data;
  const distinct = (list) => [...new Set(list)];
  const unit = (bytes) => (bytes ? "bytes" : "messages");
  const wish = {part: matrix().part, phase: 0, bytes: matrix().bytes};
  const find = (part, phase, bytes) =>
    matrices.findIndex((entry) => entry.part === part && (entry.phase || 0) === phase && entry.bytes === bytes);
  // What is nearest to all that was chosen; a phase need not have every class.
  const show = () => {
    const {part, phase, bytes} = wish;
    const whole = matrices[0].part;
    const tries = [find(part, phase, bytes), find(part, phase, !bytes), find(whole, phase, bytes), find(whole, phase, !bytes), 0];
    state.part = tries.find((index) => index >= 0);
    for (const button of parts) button.disabled = find(button.value, phase, true) < 0 && find(button.value, phase, false) < 0;
    press(parts, matrix().part);
    press(units, unit(matrix().bytes));
    drawMatrix();
  };
  const set = (name) => (value) => { wish[name] = value; show(); };
  const names = distinct(matrices.map((entry) => entry.part));
  const parts = choice("Traffic", names.map((name) => [name, CLASSES[name] || name]), wish.part, set("part"));
  choosePhase(distinct(matrices.map((entry) => entry.phase).filter(Boolean)), set("phase"));
  const units = choice("Count", distinct(matrices.map((entry) => unit(entry.bytes))).map((name) => [name, name]), unit(wish.bytes),
                       (name) => set("bytes")(name === "bytes"));
  choice("Scale", [["log", "log"], ["linear", "linear"]], state.scale, (scale) => { state.scale = scale; drawMatrix(); });
}

function choosePhase(phases, choose) {
  if (!phases.length) return;
  const set = make(byId("controls"), "fieldset");
  const label = make(set, "label", "Phase");
  const select = make(label, "select");
  for (const number of [0, ...phases]) make(select, "option", number ? String(number) : "whole run").value = number;
  select.addEventListener("change", () => choose(Number(select.value)));
}

// --- Tables -----------------------------------------------------------------------------------

function fillTable(table, columns, rows) {
  const head = make(make(table, "thead"), "tr");
  for (const [title, , kind] of columns) make(head, "th", title, kind).scope = "col";
  const body = make(table, "tbody");
  for (const row of rows) {
    const line = make(body, "tr");
    columns.forEach(([, key, kind], i) => {
      const cell = make(line, i ? "td" : "th", row[key] ?? "", kind);
      if (!i) cell.scope = "row";
    });
  }
  return body;
}

function listTable(parent, title, columns, rows) {
  if (!rows.length) return;
  make(parent, "h2", title);
  const scroll = make(parent, "div", "", "scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", title);
  fillTable(make(scroll, "table"), columns, rows);
}

const PLACES = [["before", "before"], ["after", "after"]];
const FIGURES = ["before", "after", "change"].map((name) => [name, name, "number"]);

// Of the part of the traffic that the matrices show.
function drawPairs() {
  byId("pairs").replaceChildren();
  const {part, phase, bytes, pairs} = matrix();
  const of = [part === "all" ? "" : CLASSES[part], phase ? `phase ${phase}` : ""].filter(Boolean);
  const title = ["Pairs that exchange most", of.join(", ")].filter(Boolean).join(": ");
  const counted = [bytes ? "bytes" : "messages", "amount", "number"];
  listTable(byId("pairs"), title, [["ranks", "ranks"], counted, ["of all", "share", "number"], ...(data.gain.length ? PLACES : [])], pairs);
}

function drawTables() {
  byId("gain").hidden = !data.gain.length;
  const body = fillTable(byId("gain-table"), [["", "name"], ...FIGURES], data.gain);
  data.gain.forEach((row, i) => { body.rows[i].lastChild.className = `number ${row.verdict}`; });
  const lists = byId("lists");
  listTable(lists, "Links that carry most", PLACES, data.links);
  listTable(lists, "Traffic with other jobs", [["job", "job"], ["", "way"], ["bytes", "bytes", "number"], ["messages", "messages", "number"],
                                               ["ranks here", "ranks", "number"], ["ranks there", "peers", "number"]], data.otherJobs);
  listTable(lists, "Nodes that may fail", [["node", "node"], ["outage probability", "probability", "number"], ...PLACES], data.suspects);
}

function recolour() {
  drawMatrix();
  recolourMachine();
}

function start() {
  data = JSON.parse(byId("data").textContent);
  byId("title").textContent = data.title;
  byId("run").textContent = data.run;
  byId("run").hidden = !data.run;
  for (const card of data.cards) {
    const box = make(byId("cards"), "div", "", "card");
    make(box, "div", card.name, "name");
    make(box, "div", card.value, "value");
    make(box, "div", card.more, "more");
  }
  drawControls();
  plots = data.orders.map(makePlot);
  startSizes();
  drawMatrix();
  data.charts.forEach((chart) => drawChart(byId("charts"), chart));
  drawMachine();
  drawTables();
  startRanks();
  darkGround.addEventListener("change", recolour);
  for (const [name, on] of [["beforeprint", true], ["afterprint", false]]) {
    window.addEventListener(name, () => {
      printing = on;
      if (darkGround.matches) recolour();
    });
  }
  document.documentElement.dataset.drawn = "yes";
}

start();
