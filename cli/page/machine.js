// SPDX-License-Identifier: BSD-3-Clause
// The machine in space, before and after, seen from the same side: wires in the colour of what they carry, from the
// back to the front. turning.js turns it.
"use strict";

const INKS = {
  light: {ground: "#ffffff", ink: "#1b2430", faint: "#5b6776", idle: "#c9d0d8", node: "#2f5f94", label: "#ffffff", rim: "#16324f"},
  dark: {ground: "#14181e", ink: "#e6eaf0", faint: "#9aa7b6", idle: "#3a4450", node: "#79ace4", label: "#0c1a29", rim: "#d3e5fa"},
};
const LOAD_CLASSES = 6;  // above no load at all
const BANDS = 12;        // from the back to the front
const SLOW = 60;         // milliseconds: a picture that takes longer is drawn without idle links while it moves
const MOST_LABELS = 600;

// The view is what both panels share; what is pointed at is `over`, what was clicked or reached by key is `chosen`.
const space = {scene: null, panels: [], view: null, over: -1, chosen: -1, idle: true, moving: false, took: 0, asked: 0};

function readScene(scene) {
  const points = new Float32Array(bytesOf(scene.points).buffer);
  const wires = new Uint32Array(bytesOf(scene.wires).buffer);
  const loads = scene.panels.map((panel) => new Float32Array(bytesOf(panel.loads).buffer));
  const most = loads.reduce((high, list) => list.reduce((a, b) => Math.max(a, b), high), 0);
  const outage = new Map(scene.outages);
  return {...scene, points, wires, loads, most, outage, count: points.length / 3};
}

const loadClass = (load) => (load > 0 ? Math.min(LOAD_CLASSES, Math.max(1, Math.ceil((load / space.scene.most) * LOAD_CLASSES - 1e-6))) : 0);
const lineWidth = (kind) => (kind ? 1.3 + kind * 0.55 : 1);
const loadColour = (at) => colours()[Math.round(((at - 1) / (LOAD_CLASSES - 1)) * (colours().length - 1))];

// --- From space to the canvas -------------------------------------------------------------------

// A point before it is fitted into the canvas: right, down, and how far away.
function turned(point, middle, far) {
  const {yaw, pitch} = space.view;
  const [x, y, z] = point.map((value, i) => value - middle[i]);
  const right = x * Math.cos(yaw) - y * Math.sin(yaw);
  const back = x * Math.sin(yaw) + y * Math.cos(yaw);
  const away = back * Math.cos(pitch) - z * Math.sin(pitch);
  const up = z * Math.cos(pitch) + back * Math.sin(pitch);
  const size = far / (far + away);
  return [right * size, -up * size, away, size];
}

function limits(lists) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const list of lists) {
    for (let i = 0; i < 3; ++i) {
      low[i] = Math.min(low[i], list[i]);
      high[i] = Math.max(high[i], list[i]);
    }
  }
  return {low, high};
}

// Where all points are on a canvas of that size, and how large a node is at each.
function project(width, height) {
  const {scene, view} = space;
  const all = [];
  for (let i = 0; i < scene.count; ++i) all.push([scene.points[3 * i], scene.points[3 * i + 1], scene.points[3 * i + 2]]);
  const box = limits(all);
  const middle = box.low.map((low, i) => (low + box.high[i]) / 2);
  const reach = Math.max(1, Math.hypot(...box.high.map((high, i) => high - box.low[i])));
  const far = 2.2 * reach;
  const seen = all.map((point) => turned(point, middle, far));
  const captions = scene.captions.map(({at}) => turned(at, middle, far));
  const {low, high} = limits([...seen, ...captions]);
  const room = 30;
  const fit = Math.min((width - 2 * room) / Math.max(1e-6, high[0] - low[0]), (height - 2 * room) / Math.max(1e-6, high[1] - low[1]));
  // A machine of few nodes is not blown up.
  const scale = Math.min(fit, 130) * view.zoom;
  const centre = view.zoom > 1 && space.chosen >= 0 ? seen[space.chosen] : [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
  const put = ([x, y, away, size]) => ({
    x: width / 2 + (x - centre[0]) * scale, y: height / 2 + (y - centre[1]) * scale, size: scene.radius * scale * size, away,
  });
  const depth = high[2] - low[2];
  const band = (away) => (depth < 0.15 * reach ? BANDS - 1 : Math.min(BANDS - 1, Math.floor(((high[2] - away) / depth) * BANDS)));
  return {points: seen.map(put), captions: captions.map(put), band, width, height};
}

// --- Drawing ------------------------------------------------------------------------------------

// Indices of wires and of nodes by band; wires by class, too.
function sort(panel, at) {
  const {scene} = space;
  const wires = Array.from({length: BANDS * (LOAD_CLASSES + 1)}, () => []);
  const idle = space.idle && !(space.moving && space.took > SLOW);
  for (let i = 0; i < scene.wires.length / 2; ++i) {
    const kind = loadClass(scene.loads[panel.index][i]);
    if (!kind && !idle) continue;
    const away = (at.points[scene.wires[2 * i]].away + at.points[scene.wires[2 * i + 1]].away) / 2;
    wires[at.band(away) * (LOAD_CLASSES + 1) + kind].push(i);
  }
  const nodes = Array.from({length: BANDS}, () => []);
  for (let i = 0; i < scene.names.length; ++i) nodes[at.band(at.points[i].away)].push(i);
  return {wires, nodes};
}

function strokeWires(context, at, list, kind, ink) {
  const {wires, nodes} = space.scene;
  context.beginPath();
  for (const i of list) {
    const from = at.points[wires[2 * i]];
    const to = at.points[wires[2 * i + 1]];
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    const [first, last] = [wires[2 * i], wires[2 * i + 1]].map((end, k) => {
      const rim = end < nodes && length > 0 ? Math.min(0.45, at.points[end].size / length) : 0;  // wires end at nodes' rims
      return k ? 1 - rim : rim;
    });
    context.moveTo(from.x + first * (to.x - from.x), from.y + first * (to.y - from.y));
    context.lineTo(from.x + last * (to.x - from.x), from.y + last * (to.y - from.y));
  }
  // Where there are many, they are thinner.
  const thin = Math.min(1, Math.sqrt((at.width * at.height * space.view.zoom) / (125 * wires.length)));
  context.strokeStyle = kind ? loadColour(kind) : ink.idle;
  context.lineWidth = thin * lineWidth(kind);
  context.stroke();
}

// Nodes are discs, full where ranks are; what only forwards is a small square.
function fillNodes(context, at, list, fill, stroke) {
  context.beginPath();
  for (const i of list) {
    const {x, y, size} = at.points[i];
    const radius = Math.max(1.2, size);
    if (i < space.scene.nodes) {
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, 2 * Math.PI);
    } else {
      const side = Math.max(2, 1.1 * size);
      context.rect(x - side / 2, y - side / 2, side, side);
    }
  }
  context.fillStyle = fill;
  context.fill();
  if (!stroke) return;
  context.strokeStyle = stroke;
  context.lineWidth = 1;
  context.stroke();
}

// A colour between two; nothing shines through it.
function mixed(from, to, part) {
  const channel = (colour, i) => parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16);
  return `rgb(${[0, 1, 2].map((i) => Math.round(channel(from, i) * (1 - part) + channel(to, i) * part)).join(" ")})`;
}

function paintPanel(panel, at) {
  const {canvas, ranks} = panel;
  const {scene} = space;
  const sharp = canvas.width / at.width;
  const context = canvas.getContext("2d");
  const ink = INKS[onDark() ? "dark" : "light"];
  context.setTransform(sharp, 0, 0, sharp, 0, 0);
  context.clearRect(0, 0, at.width, at.height);
  context.lineCap = "round";
  const {wires, nodes} = sort(panel, at);
  for (let band = 0; band < BANDS; ++band) {
    const near = band / (BANDS - 1);
    for (let kind = 0; kind <= LOAD_CLASSES; ++kind) {
      const list = wires[band * (LOAD_CLASSES + 1) + kind];
      context.globalAlpha = kind ? 0.55 + 0.45 * near : 0.35 + 0.65 * near;
      if (list.length) strokeWires(context, at, list, kind, ink);
    }
    context.globalAlpha = 1;
    const here = nodes[band];
    const pale = (colour) => mixed(ink.ground, colour, 0.5 + 0.5 * near);
    fillNodes(context, at, here.filter((i) => i >= scene.nodes), pale(ink.faint));
    fillNodes(context, at, here.filter((i) => i < scene.nodes && !ranks[i]), ink.ground, pale(ink.faint));
    fillNodes(context, at, here.filter((i) => i < scene.nodes && ranks[i]), pale(ink.node), pale(ink.rim));
    if (scene.nodes <= MOST_LABELS) here.forEach((i) => writeRanks(context, at.points[i], ranks[i], ink));
  }
  for (const [node, probability] of scene.outages) markOutage(context, at.points[node], probability);
  writeNames(context, at, ink);
  for (const node of new Set([space.chosen, space.over])) if (node >= 0) ring(context, at.points[node]);
  canvas.dataset.nodes = nodes.reduce((sum, list) => sum + list.length, 0);
  canvas.dataset.wires = wires.reduce((sum, list) => sum + list.length, 0);
  canvas.dataset.frame = Number(canvas.dataset.frame || 0) + 1;
}

// "0-3,7" are five; "×12" are twelve.
function countRanks(text) {
  if (text.startsWith("×")) return Number(text.slice(1));
  return text.split(",").map((part) => part.split("-").map(Number)).reduce((sum, [first, last = first]) => sum + last - first + 1, 0);
}

function writeRanks(context, {x, y, size}, text, ink) {
  if (!text || size < 7) return;
  const font = Math.min(13, size);
  context.font = `600 ${font}px system-ui, sans-serif`;
  const fits = (label) => context.measureText(label).width <= 1.9 * size;
  const label = [text, `×${countRanks(text)}`].find(fits);
  if (!label) return;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = ink.label;
  context.fillText(label, x, y + 0.5);
}

// On a ground of its own, so that it is legible over wires.
function write(context, text, x, y, ink) {
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeStyle = ink.ground;
  context.strokeText(text, x, y);
  context.fillStyle = ink.faint;
  context.fillText(text, x, y);
}

function writeNames(context, at, ink) {
  const {scene} = space;
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  scene.captions.forEach(({text}, i) => write(context, text, at.captions[i].x, at.captions[i].y, ink));
  if (scene.shape === "grid" || scene.names.length - scene.nodes > 24) return;
  context.textAlign = "left";
  for (let i = scene.nodes; i < scene.names.length; ++i) write(context, scene.names[i], at.points[i].x + 8, at.points[i].y, ink);
}

// The marks of tofa picture: a cross in a disc on dead nodes, a triangle on suspect ones.
function markOutage(context, {x, y, size}, probability) {
  const r = Math.min(8, Math.max(4.5, size * 0.7));
  const [left, top] = [x - size * 0.8, y - size * 0.8];
  context.beginPath();
  context.lineWidth = 1.2;
  context.strokeStyle = probability < 1 ? "#111" : "#fff";
  context.fillStyle = probability < 1 ? "#ffd84d" : "#111";
  if (probability < 1) {
    context.moveTo(left, top - r);
    context.lineTo(left + r, top + 0.8 * r);
    context.lineTo(left - r, top + 0.8 * r);
    context.closePath();
  } else {
    context.arc(left, top, r, 0, 2 * Math.PI);
  }
  context.fill();
  context.stroke();
  if (probability < 1) return;
  context.beginPath();
  for (const way of [-1, 1]) {
    context.moveTo(left - 0.45 * r, top - way * 0.45 * r);
    context.lineTo(left + 0.45 * r, top + way * 0.45 * r);
  }
  context.lineWidth = 1.6;
  context.stroke();
}

function ring(context, {x, y, size}) {
  context.beginPath();
  context.arc(x, y, Math.max(6, size + 3), 0, 2 * Math.PI);
  context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--focus");
  context.lineWidth = 3;
  context.stroke();
}

// Draws both panels now.
function paintMachine() {
  if (!space.scene) return;
  const begin = performance.now();
  const {canvas} = space.panels[0];
  const width = Math.max(200, canvas.clientWidth);
  const height = Math.max(150, canvas.clientHeight);
  const sharp = Math.max(2, window.devicePixelRatio || 1);  // printers are
  space.at = project(width, height);
  for (const panel of space.panels) {
    panel.canvas.width = Math.round(width * sharp);
    panel.canvas.height = Math.round(height * sharp);
    paintPanel(panel, space.at);
  }
  if (!space.moving) space.took = performance.now() - begin;
}

// Draws once for all that happens until the next picture is due, and in full once it has come to rest.
function repaint(moving = false) {
  space.moving = moving;
  clearTimeout(space.rest);
  if (moving) space.rest = setTimeout(repaint, 200);
  if (space.asked) return;
  space.asked = requestAnimationFrame(() => {
    space.asked = 0;
    paintMachine();
  });
}
