// SPDX-License-Identifier: BSD-3-Clause
// Bars and lines as SVG, and amounts as people read them.
"use strict";

const tidy = (number) => String(Math.round(number * 100) / 100);

function withUnit(value, units, times) {
  let unit = 0;
  for (; value >= times && unit + 1 < units.length; ++unit) value /= times;
  const digits = value < 100 && value % 1 ? 1 : 0;
  return `${value.toFixed(digits).replace(/\.0$/, "")} ${units[unit]}`.trim();
}

// As the command writes amounts.
function amount(value, bytes) {
  if (bytes) return withUnit(value, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"], 1024);
  const text = Math.round(value).toFixed(0);
  return text.length < 5 ? text : text.replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function seconds(value) {
  if (value >= 100) return `${Math.round(value)} s`;
  return value >= 1 || value === 0 ? `${tidy(value)} s` : `${Number((1000 * value).toPrecision(3))} ms`;
}

// In full, and short enough for an axis.
const quantity = (value, unit) => (unit === "seconds" ? seconds(value) : amount(value, unit === "bytes"));
const tick = (value, unit) => (unit === "count" ? withUnit(value, ["", "k", "M", "G", "T", "P"], 1000) : quantity(value, unit));

const CHART = {width: 380, height: 215, left: 62, right: 10, top: 8, bottom: 44};

function niceStep(most) {
  const ten = 10 ** Math.floor(Math.log10(most / 4));
  return [1, 2, 5, 10].map((times) => times * ten).find((step) => most / step <= 5);
}

function valueSteps(most, {unit, log}) {
  const steps = log ? [] : [0];
  if (log) {
    const every = Math.max(1, Math.ceil(Math.log10(most) / 5));
    for (let at = 1; at <= most; at *= 10 ** every) steps.push(at);
    return steps;
  }
  const step = unit === "bytes" ? 2 ** Math.ceil(Math.log2(most / 4)) : unit === "count" ? Math.max(1, niceStep(most)) : niceStep(most);
  for (let i = 1; i * step <= most; ++i) steps.push(i * step);
  return steps;
}

function drawAxes(svg, chart, most, y) {
  const {width, height, left, right} = CHART;
  for (const step of valueSteps(most, chart)) {
    draw(svg, "path", {class: "grid", d: `M${left} ${tidy(y(step))}H${width - right}`});
    draw(svg, "text", {x: left - 6, y: tidy(y(step) + 4), "text-anchor": "end"}, tick(step, chart.unit));
  }
  draw(svg, "text", {x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle"}, chart.across);
}

function drawBars(svg, chart, y) {
  const {width, height, left, right, bottom} = CHART;
  const slot = (width - left - right) / chart.labels.length;
  const bar = Math.min(34, (slot * 0.82) / chart.series.length);
  const longest = chart.labels.reduce((most, label) => Math.max(most, label.length), 1);
  const every = Math.ceil((longest * 6.8 + 6) / slot);
  chart.labels.forEach((label, i) => {
    const middle = left + (i + 0.5) * slot;
    chart.series.forEach(({name, values}, s) => {
      const x = middle + (s - chart.series.length / 2) * bar;
      const top = values[i] > 0 ? Math.min(y(values[i]), height - bottom - 1.5) : height - bottom;
      const rect = draw(svg, "rect", {
        class: `s${s}`, x: tidy(x), y: tidy(top), width: tidy(Math.max(1, bar - 1)), height: tidy(height - bottom - top),
      });
      draw(rect, "title", {}, `${label}: ${quantity(values[i], chart.unit)} ${chart.series.length > 1 ? name : chart.up}`);
    });
    if (i % every === 0) draw(svg, "text", {x: tidy(middle), y: height - bottom + 16, "text-anchor": "middle"}, label);
  });
}

function drawLines(svg, chart, y) {
  const {width, height, left, right, bottom} = CHART;
  chart.series.forEach(({values}, s) => {
    const x = (i) => left + (values.length > 1 ? i / (values.length - 1) : 0.5) * (width - left - right);
    draw(svg, "polyline", {class: `s${s}`, points: values.map((value, i) => `${tidy(x(i))},${tidy(y(value))}`).join(" ")});
  });
  draw(svg, "text", {x: left, y: height - bottom + 16}, chart.labels[0]);
  draw(svg, "text", {x: width - right, y: height - bottom + 16, "text-anchor": "end"}, chart.labels[1]);
}

// `log`: heights go by the logarithm, of bars from 1 on.
function drawChart(parent, chart) {
  const figure = make(parent, "figure", "", "chart");
  const two = chart.series.length > 1;
  const caption = make(figure, "figcaption");
  make(caption, "b", chart.title);
  if (chart.more) make(caption, "span", chart.more);
  if (two) {
    const key = make(caption, "span", "", "key");
    chart.series.forEach(({name}, s) => { make(key, "i", "", `s${s}`); key.append(name); });
  }
  const most = Math.max(0, ...chart.series.flatMap(({values}) => values));
  if (most <= 0) {
    make(figure, "p", chart.empty || "no traffic", "note");
    return;
  }
  const {width, height, top, bottom} = CHART;
  const svg = draw(figure, "svg", {
    viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": chart.title, class: two ? "two" : "",
  });
  const part = (value) => (chart.log ? Math.log10(1 + value) / Math.log10(1 + most) : value / most);
  const y = (value) => height - bottom - part(value) * 0.96 * (height - top - bottom);
  drawAxes(svg, chart, most, y);
  (chart.kind === "bars" ? drawBars : drawLines)(svg, chart, y);
}
