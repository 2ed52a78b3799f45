// The time line: bars by kind, counted by the server for as many stretches as there is room, drawn on a canvas.

import * as api from "./api.js";
import { $, day, duration, short, time } from "./text.js";

const BAR = 3;
const AXIS = 18;
const LEAST = 0.002; // Milliseconds: log time counts 100 ns, and there is nothing to see below.

export class Timeline {
  constructor(state, chosen) {
    Object.assign(this, { state, chosen, canvas: $("canvas"), data: null, from: 0, to: 0, drag: null, hover: null, asked: 0 });
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.wheel(event); }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); this.drag = { x: event.offsetX, now: event.offsetX, pan: event.shiftKey || event.button === 1, from: this.from, to: this.to }; });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.drop(event));
    canvas.addEventListener("pointerleave", () => { this.hover = null; this.draw(); });
    canvas.addEventListener("dblclick", () => this.all());
    new ResizeObserver(() => { this.draw(); this.refresh(); }).observe(canvas);
    $("zoomIn").onclick = () => this.zoom(0.5);
    $("zoomOut").onclick = () => this.zoom(2);
    $("zoomAll").onclick = () => this.all();
  }

  get width() { return this.canvas.clientWidth; }
  get isAll() { return this.to === 0; }
  get first() { return this.isAll ? this.state.log.firstTime : this.from; }
  get last() { return this.isAll ? Math.max(this.state.log.lastTime, this.state.log.firstTime + 1) : this.to; }

  x(at) { return (at - this.first) / (this.last - this.first) * this.width; }
  at(x) { return this.first + x / this.width * (this.last - this.first); }

  all() { this.from = this.to = 0; this.refresh(); }

  zoom(factor, around = this.focus) {
    const { firstTime, lastTime } = this.state.log;
    const span = Math.max(LEAST, (this.last - this.first) * factor);
    if (span >= lastTime - firstTime) return this.all();
    const from = around - (around - this.first) * span / (this.last - this.first);
    this.show(from, from + span);
  }

  show(from, to) {
    const { firstTime, lastTime } = this.state.log;
    const span = to - from;
    from = Math.max(firstTime, Math.min(from, lastTime - span * 0.98));
    [this.from, this.to] = [from, from + span];
    this.draw();
    this.refresh();
  }

  pan(part) { const by = (this.last - this.first) * part; if (!this.isAll) this.show(this.first + by, this.last + by); }

  // What keys and buttons zoom to: the chosen message when it is in view, the middle otherwise.
  get focus() {
    const at = this.state.chosen?.t;
    return at >= this.first && at <= this.last ? at : (this.first + this.last) / 2;
  }

  /** Brings a moment into view. */
  reveal(at) {
    if (this.isAll || (at >= this.from && at <= this.to)) return this.draw();
    const half = (this.to - this.from) / 2;
    this.show(at - half, at + half);
  }

  wheel(event) {
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan((event.deltaX || event.deltaY) / 1000);
    else this.zoom(Math.exp(event.deltaY / 400), this.at(event.offsetX));
  }

  move(event) {
    this.hover = event.offsetX;
    if (this.drag) {
      this.drag.now = event.offsetX;
      if (this.drag.pan && this.drag.to !== 0) {
        const by = (this.drag.x - event.offsetX) / this.width * (this.drag.to - this.drag.from);
        this.show(this.drag.from + by, this.drag.to + by);
      }
    }
    this.draw();
  }

  drop(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag || drag.pan) return;
    if (Math.abs(event.offsetX - drag.x) > 4) {
      const [from, to] = [this.at(Math.min(drag.x, event.offsetX)), this.at(Math.max(drag.x, event.offsetX))];
      this.show(from, Math.max(to, from + LEAST));
    } else {
      this.chosen(this.at(event.offsetX - 1)); // A pixel to the left: what was pointed at begins there.
    }
  }

  /** Asks for the bars of what is shown; the latest question wins, and one is under way at most. */
  async refresh() {
    const mine = ++this.asked;
    if (this.busy || !this.state.log || this.state.log.end === this.state.log.first) return;
    this.busy = true;
    try {
      const n = Math.max(40, Math.floor(this.width / BAR));
      const range = this.isAll ? {} : { t0: this.from, t1: this.to };
      this.data = await api.get("buckets", { log: this.state.name, n, ...range, ...this.state.filter });
      $("found").textContent = this.state.isFiltered ? `${short(this.data.total)} here` + (this.data.searched < 1 ? `, searched ${Math.floor(this.data.searched * 100)} %` : "") : "";
      this.draw();
    } catch (error) {
      this.state.fail(error);
    } finally {
      this.busy = false;
    }
    if (mine !== this.asked || this.data?.searched < 1) setTimeout(() => this.refresh(), 30);
  }

  draw() {
    const canvas = this.canvas;
    const scale = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
    if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
    const g = canvas.getContext("2d");
    const style = getComputedStyle(canvas);
    const tone = (name) => style.getPropertyValue(`--${name}`);
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, width, height);
    g.font = "11px system-ui, sans-serif";
    if (!this.state.log || this.state.log.end === this.state.log.first) return;
    this.bars(g, height - AXIS, style);
    this.axis(g, width, height, style);
    const line = (at, name, dash) => {
      const x = this.x(at);
      if (x < -1 || x > width + 1) return;
      g.strokeStyle = this.color(style, name);
      g.setLineDash(dash);
      g.beginPath(); g.moveTo(x, 0); g.lineTo(x, height - AXIS); g.stroke();
      g.setLineDash([]);
    };
    for (const [, at] of this.state.log.checkpoints) line(at, "good", [2, 4]);
    if (this.state.chosen) { g.lineWidth = 1.5; line(this.state.chosen.t, "accent", []); g.lineWidth = 1; }
    if (this.drag && !this.drag.pan) {
      g.fillStyle = this.color(style, "accent");
      g.globalAlpha = 0.18;
      g.fillRect(Math.min(this.drag.x, this.drag.now), 0, Math.abs(this.drag.now - this.drag.x), height - AXIS);
      g.globalAlpha = 1;
    }
    $("rangeText").textContent = this.caption();
  }

  // Custom properties hold light-dark(...), which only a real property resolves.
  color(style, name) {
    this.canvas.style.color = `var(--${name})`;
    const color = style.color;
    this.canvas.style.color = "";
    return color;
  }

  bars(g, height, style) {
    if (!this.data) return;
    const { t0, t1, n, counts } = this.data;
    const sums = new Float64Array(n);
    for (const list of Object.values(counts)) for (let i = 0; i < n; i++) sums[i] += list[i];
    this.top = Math.max(1, ...sums);
    const step = (t1 - t0) / n;
    const base = new Float64Array(n);
    for (const kind of this.state.log.kinds) {
      const list = counts[kind];
      if (!list) continue;
      g.fillStyle = this.color(style, kind);
      for (let i = 0; i < n; i++) {
        if (!list[i]) continue;
        const [left, right] = [this.x(t0 + i * step), this.x(t0 + (i + 1) * step)];
        if (right < 0 || left > this.width) continue;
        // The square root lets one message be seen beside ten thousand; the smallest bar is visible.
        const scale = (height - 14) * Math.max(Math.sqrt(sums[i] / this.top), 2 / height) / sums[i];
        const tall = list[i] * scale;
        g.fillRect(left, height - base[i] - tall, Math.max(1, right - left - (right - left > 2 ? 0.6 : 0)), tall);
        base[i] += tall;
      }
    }
  }

  axis(g, width, height, style) {
    const span = this.last - this.first;
    const wanted = span / Math.max(2, width / 130);
    const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 15000, 30000, 60000, 120000, 300000, 600000, 1800000, 3600000, 7200000, 21600000, 43200000, 86400000];
    let step = steps.find((one) => one >= wanted) ?? 86400000 * Math.ceil(wanted / 86400000);
    let digits = step >= 1000 ? 0 : 3;
    if (wanted < 1) { step = 10 ** Math.ceil(Math.log10(wanted)); digits = step >= 1 ? 3 : step >= 0.01 ? 5 : 6; }
    g.fillStyle = this.color(style, "soft");
    g.strokeStyle = this.color(style, "edge");
    for (let at = Math.ceil(this.first / step) * step; at <= this.last; at += step) {
      const x = this.x(at);
      g.beginPath(); g.moveTo(x, 0); g.lineTo(x, height - AXIS + 4); g.stroke();
      const label = step >= 86400000 ? day(at) : time(at, digits);
      if (x + g.measureText(label).width + 6 < width) g.fillText(label, x + 3, height - 4);
    }
  }

  caption() {
    const all = `${day(this.first)}  ${time(this.first)} – ${time(this.last)} UTC  ·  ${duration(this.last - this.first)}`;
    if (this.hover === null || !this.data) return all;
    const { t0, t1, n, counts } = this.data;
    const at = this.at(this.hover);
    const bar = Math.floor((at - t0) / (t1 - t0) * n);
    const parts = Object.entries(counts).filter(([, list]) => list[bar]).map(([kind, list]) => `${short(list[bar])} ${kind}`);
    return `${time(at, this.last - this.first < 1000 ? 6 : 3)}  ·  ${parts.join(", ") || "nothing"}  ·  a bar is ${duration((t1 - t0) / n)}`;
  }
}
