// SPDX-License-Identifier: BSD-3-Clause
// Draws what /layout.json and /snapshot.json say, again with every round of observations. What comes
// from the service is only ever text of the page.
"use strict";

const DAY = 86400;
const SHOWN_DAYS = 30;
let cells = new Map();  // by host
let snapshot = null;
let selected = decodeURIComponent(location.hash.slice(1));
let drawn = "";

const byId = (id) => document.getElementById(id);

function make(tag, text, parent) {
  const element = document.createElement(tag);
  element.textContent = text;
  parent.append(element);
  return element;
}

const HORIZONS = [["an hour", 3600], ["a day", DAY], ["a week", 7 * DAY]];

// How likely a host fails within the i-th horizon: from its hazard, or from its rate of outages per hour.
function within(host, i) {
  if (host.state === "down") return 1;
  if (host.within) return -Math.expm1(-host.within[i]);
  return 1 - (1 - host.probability) * Math.exp(-(host.rate || 0) * HORIZONS[i][1] / 3600);
}

const withinADay = (host) => within(host, 1);
const LIKELY = 0.1;

// Four shades of being likely to fail within a day.
function shade(host) {
  const probability = withinADay(host);
  if (probability < 0.02) return "p0";
  if (probability < LIKELY) return "p1";
  return probability < 0.3 ? "p2" : "p3";
}

function drawMachine(layout) {
  const text = JSON.stringify(layout);
  if (text === drawn) return;
  drawn = text;
  cells = new Map();
  byId("machine").replaceChildren();
  for (const group of layout) {
    const box = make("div", "", byId("machine"));
    box.className = "group";
    if (group.name) make("h2", group.name, box);
    const grid = make("div", "", box);
    grid.className = group.columns ? "cells" : "flow";
    if (group.columns) grid.style.gridTemplateColumns = `repeat(${group.columns}, 1rem)`;
    for (const host of group.hosts) {
      if (!host) {
        make("span", "", grid).className = "gap";
        continue;
      }
      const cell = make("button", "", grid);
      cell.type = "button";
      cell.addEventListener("click", () => select(host));
      cells.set(host, cell);
    }
  }
}

const percent = (probability) => `${(100 * probability).toPrecision(2)} %`;

const when = (time) => new Date(time * 1000).toISOString().replace(/\.\d+Z/, "Z");

// Who excluded a host, until when, and why.
function exclusion(host) {
  const {by, since, until, reason} = host.excluded;
  return `by ${by} since ${when(since)}${until ? ` until ${when(until)}` : ""}: ${reason}`;
}

function describe(host) {
  if (host.excluded) return `${host.host}: ${host.state}, excluded ${exclusion(host)}`;
  return `${host.host}: ${host.state}, ${percent(withinADay(host))} likely to fail within a day`;
}

function colour() {
  for (const host of snapshot.hosts) {
    const cell = cells.get(host.host);
    if (!cell) continue;
    cell.className = host.excluded ? "excluded" : `${host.state} ${shade(host)}`;
    cell.title = describe(host);
    cell.setAttribute("aria-label", cell.title);
    cell.setAttribute("aria-pressed", String(host.host === selected));
  }
}

function summarize() {
  const count = (state) => snapshot.hosts.filter((host) => host.state === state).length;
  const inUse = (host) => host.state !== "down" && !host.excluded;
  const likely = snapshot.hosts.filter((host) => inUse(host) && withinADay(host) >= LIKELY).length;
  const excluded = snapshot.hosts.filter((host) => host.excluded).length;
  const newest = snapshot.hosts.reduce((time, host) => Math.max(time, host.polled), 0);
  const age = newest ? Math.max(0, snapshot.time - newest) : 0;
  const parts = [`${snapshot.hosts.length} hosts`, `${count("down")} down`, `${likely} likely to fail within a day`];
  if (excluded) parts.push(`${excluded} excluded by admins`);
  if (count("planned")) parts.push(`${count("planned")} out of service on purpose`);
  if (count("unreachable")) parts.push(`${count("unreachable")} unreachable, the network is interrupted`);
  parts.push(`observed ${Math.round(age)} s ago`);
  byId("summary").textContent = parts.join(", ");
  byId("summary").className = age > Math.max(60, 10 * snapshot.period) ? "stale" : "";
}

function showSelected() {
  const host = snapshot.hosts.find((known) => known.host === selected);
  byId("detail").hidden = !host;
  if (!host) return;
  byId("name").textContent = host.host;
  const facts = byId("facts");
  facts.replaceChildren();
  const fact = (name, value) => { make("dt", name, facts); make("dd", value, facts); };
  fact("state", host.state);
  if (host.excluded) fact("excluded", exclusion(host));
  HORIZONS.forEach(([name], i) => fact(`fails within ${name}`, percent(within(host, i))));
  fact("outages per day up", (24 * (host.rate || 0)).toPrecision(3));
  fact("observed", when(host.polled));
  const outages = snapshot.outages.filter((outage) => outage.host === selected);
  const begin = snapshot.time - SHOWN_DAYS * DAY;
  const at = (time) => `${100 * Math.min(1, Math.max(0, (time - begin) / (SHOWN_DAYS * DAY)))}%`;
  byId("timeline").replaceChildren();
  byId("outages").replaceChildren();
  for (const outage of outages) {
    const end = outage.end || snapshot.time;
    if (end < begin) continue;
    const bar = make("i", "", byId("timeline"));
    bar.style.left = at(outage.start);
    bar.style.right = `calc(100% - ${at(end)})`;
    make("li", `${when(outage.start)} to ${outage.end ? when(outage.end) : "now"} (${outage.reason || outage.cause})`, byId("outages"));
  }
  if (!byId("outages").children.length) make("li", "none is known", byId("outages"));
}

function select(host) {
  selected = host;
  history.replaceState(null, "", `#${encodeURIComponent(host)}`);
  colour();
  showSelected();
}

async function load(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
}

async function update() {
  let period = 5;
  try {
    snapshot = await load("snapshot.json");
    drawMachine(await load("layout.json"));
    colour();
    summarize();
    showSelected();
    period = Math.min(30, Math.max(1, snapshot.period));
  } catch (error) {
    byId("summary").textContent = `No data: ${error.message}`;
    byId("summary").className = "stale";
  }
  setTimeout(update, 1000 * period);
}

update();
