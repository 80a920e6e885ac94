// SPDX-License-Identifier: BSD-3-Clause
// Turns the machine by mouse and keys, tells what is at a node, and puts buttons and a legend around it.
"use strict";

// --- Pointing and turning -----------------------------------------------------------------------

// What is in front goes that way.
function turn(right, down) {
  space.view.yaw += right;
  space.view.pitch = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, space.view.pitch + down));
  repaint(true);
}

function zoom(factor) {
  space.view.zoom = Math.min(20, Math.max(0.5, space.view.zoom * factor));
  repaint(true);
}

function look(yaw, pitch) {
  space.view = {yaw: (yaw * Math.PI) / 180, pitch: (pitch * Math.PI) / 180, zoom: 1};
}

function busiestAt(point, loads) {
  const {wires} = space.scene;
  let most = 0;
  loads.forEach((load, i) => { if (wires[2 * i] === point || wires[2 * i + 1] === point) most = Math.max(most, load); });
  return most;
}

function tellNode(i) {
  const readout = byId("node");
  const {scene, panels} = space;
  readout.className = i < 0 ? "empty" : "";
  if (i < 0) {
    readout.textContent = "Drag or use the arrow keys to turn, + and − to come nearer, Page Down and Page Up to go from node to node";
    return;
  }
  const place = scene.locations[i] ? ` ${scene.locations[i]}` : "";
  const ranks = (text) => (!text ? "no rank" : text.startsWith("×") ? `${text.slice(1)} ranks` : /[-,]/.test(text) ? `ranks ${text}` : `rank ${text}`);
  const parts = ["before", "after"].map((name, k) => {
    const busiest = busiestAt(i, scene.loads[k]);
    const load = busiest ? `busiest link ${amount(busiest, scene.bytes)}${scene.bytes ? "" : " messages"}` : "idle links";
    return `${name} ${i < scene.nodes ? `${ranks(panels[k].ranks[i])}, ` : ""}${load}`;
  });
  const outage = scene.outage.get(i);
  if (outage) parts.push(outage < 1 ? `outage probability ${outage.toPrecision(2)}` : "certain to fail");
  readout.textContent = `${scene.names[i]}${place}: ${parts.join("; ")}`;
}

// The node that is hit, or else the nearest in reach of a finger; -1: none.
function nodeAt(panel, event) {
  const box = panel.canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  let best = -1;
  let least = Infinity;
  for (let i = 0; i < space.scene.names.length; ++i) {
    const point = space.at.points[i];
    const away = Math.hypot(point.x - x, point.y - y);
    if (away > Math.max(9, point.size)) continue;
    const cost = away < point.size ? point.away - 1e6 : away;  // of those that are hit, the one in front
    if (cost < least) [least, best] = [cost, i];
  }
  return best;
}

// A node is pointed at, or chosen; -1: none.
function pointAt(i, chosen) {
  if (chosen) space.chosen = i;
  else if (space.over === i) return;
  else space.over = i;
  tellNode(i >= 0 ? i : space.chosen);
  repaint();
}

function followPointer(panel) {
  const {canvas} = panel;
  let from = null;
  let dragged = false;
  canvas.addEventListener("pointerdown", (event) => {
    from = [event.clientX, event.clientY];
    dragged = false;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!from) return pointAt(nodeAt(panel, event), false);
    const [right, down] = [event.clientX - from[0], event.clientY - from[1]];
    if (!dragged && Math.hypot(right, down) < 4) return undefined;
    dragged = true;
    from = [event.clientX, event.clientY];
    return turn(right * 0.008, down * 0.008);
  });
  const end = () => { from = null; };
  canvas.addEventListener("pointerup", (event) => {
    if (from && !dragged) pointAt(nodeAt(panel, event), true);
    end();
  });
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", () => from || pointAt(-1, false));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;  // the page scrolls
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15);
  }, {passive: false});
}

function turnByKey(event) {
  const step = (event.shiftKey ? 30 : 6) * (Math.PI / 180);
  const {scene} = space;
  const next = (by) => pointAt((space.chosen + by + scene.names.length) % scene.names.length, true);
  const actions = {
    ArrowLeft: () => turn(-step, 0), ArrowRight: () => turn(step, 0), ArrowUp: () => turn(0, -step), ArrowDown: () => turn(0, step),
    "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8),
    PageDown: () => next(1), PageUp: () => next(space.chosen < 0 ? 0 : -1), Home: startView, Escape: () => pointAt(-1, true),
  };
  const action = event.ctrlKey || event.metaKey || event.altKey ? null : actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

function startView() {
  look(space.scene.yaw, space.scene.pitch);
  repaint();
}

// --- What stands around it ----------------------------------------------------------------------

function button(parent, text, label, act) {
  const element = make(parent, "button", text);
  element.type = "button";
  if (label) element.setAttribute("aria-label", label);
  element.addEventListener("click", () => act(element));
}

function drawMachineControls() {
  const view = make(byId("machine-controls"), "fieldset");
  make(view, "legend", "View");
  const from = (yaw, pitch) => () => { look(yaw, pitch); repaint(); };
  button(view, "start", "", startView);
  button(view, "front", "", from(0, 0));
  button(view, "side", "", from(90, 0));
  button(view, "above", "", from(0, 90));
  const near = make(byId("machine-controls"), "fieldset");
  make(near, "legend", "Zoom");
  button(near, "−", "further away", () => zoom(0.8));
  button(near, "+", "nearer", () => zoom(1.25));
  const links = make(byId("machine-controls"), "fieldset");
  make(links, "legend", "Links");
  button(links, "idle ones, too", "", (element) => {
    space.idle = !space.idle;
    element.setAttribute("aria-pressed", String(space.idle));
    repaint();
  });
  links.lastChild.setAttribute("aria-pressed", "true");
}

function drawMachineLegend() {
  const legend = byId("loads");
  legend.replaceChildren();
  const ink = INKS[onDark() ? "dark" : "light"];
  const entry = (text, paint) => {
    const box = make(legend, "span");
    const canvas = make(box, "canvas");
    [canvas.width, canvas.height] = [48, 32];
    const context = canvas.getContext("2d");
    context.scale(2, 2);
    paint(context);
    box.append(text);
  };
  const disc = (fill, stroke) => (context) => {
    context.beginPath();
    context.arc(12, 8, 5.5, 0, 2 * Math.PI);
    [context.fillStyle, context.strokeStyle] = [fill, stroke];
    context.fill();
    context.stroke();
  };
  entry("node with ranks", disc(ink.node, ink.rim));
  entry("idle node", disc(ink.ground, ink.faint));
  if (space.scene.outages.some(([, p]) => p < 1)) entry("may fail", (context) => markOutage(context, {x: 18, y: 14, size: 7.5}, 0.5));
  if (space.scene.outages.some(([, p]) => p >= 1)) entry("certain to fail", (context) => markOutage(context, {x: 18, y: 14, size: 7.5}, 1));
  const line = (colour, width) => (context) => {
    [context.strokeStyle, context.lineWidth] = [colour, width];
    context.beginPath();
    context.moveTo(2, 8);
    context.lineTo(22, 8);
    context.stroke();
  };
  entry("idle link", line(ink.idle, lineWidth(0)));
  for (let kind = 1; space.scene.most > 0 && kind <= LOAD_CLASSES; ++kind) {
    const most = amount((space.scene.most * kind) / LOAD_CLASSES, space.scene.bytes);
    entry(`≤ ${most}${space.scene.bytes ? "" : " messages"}`, line(loadColour(kind), lineWidth(kind)));
  }
  for (const note of space.scene.notes) make(legend, "span", note);
}

// The ground may have become another: everything anew.
function recolourMachine() {
  if (!space.scene) return;
  drawMachineLegend();
  paintMachine();
}

function makePanel(panel, index) {
  const figure = make(byId("turn"), "figure");
  const caption = make(figure, "figcaption");
  make(caption, "b", panel.title);
  make(caption, "span", ` · ${panel.figures}`);
  const canvas = make(figure, "canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${space.scene.title}, ${panel.title}: ${panel.figures}`);
  const made = {index, canvas, ranks: panel.ranks};
  followPointer(made);
  return made;
}

function drawMachine() {
  const {machine} = data;
  byId("machine").hidden = !machine;
  if (!machine) return;
  byId("flat").hidden = !byId("picture").childElementCount;
  if (machine.problem) {
    make(byId("turn"), "p", machine.problem, "note");
    byId("flat").open = true;
    return;
  }
  space.scene = readScene(machine);
  look(machine.yaw, machine.pitch);
  byId("turn").setAttribute("aria-label", `The ${machine.title} in space, before and after; arrow keys turn it, plus and minus zoom, ` +
    "Page Down and Page Up read node after node");
  space.panels = machine.panels.map(makePanel);
  byId("turn").addEventListener("keydown", turnByKey);
  drawMachineControls();
  drawMachineLegend();
  tellNode(-1);
  paintMachine();
  new ResizeObserver(() => repaint()).observe(byId("turn"));
}
