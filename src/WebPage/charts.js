// The running instance: role, lag, rates, latency, asked for once a second while somebody looks.

import * as api from "./api.js";
import { $, bytes, duration, el, short } from "./text.js";
import * as waiting from "./waiting.js";

const KEPT = 120;

export class Charts {
  constructor(state) {
    Object.assign(this, { state, series: new Map(), last: null, timer: 0, told: null, asking: false });
    this.box = $("charts");
    this.waits = el("div.chart", { id: "waitsFor" });
  }

  toggle(shown = this.box.hidden) {
    this.box.hidden = !shown;
    clearTimeout(this.timer);
    if (shown) this.ask();
  }

  async ask() {
    try {
      const [status, metrics] = await Promise.all([api.get("status"), api.text("metrics")]);
      this.take(status, parse(metrics));
      this.askWaiting();
    } catch (error) {
      this.box.replaceChildren(el("p.soft", {}, error.status === 404 ? "No coordinator answers: the instance is not running, or not at this address (--admin)." : error.message));
    }
    if (!this.box.hidden) this.timer = setTimeout(() => this.ask(), 1000);
  }

  take(status, metrics) {
    const now = performance.now();
    const past = this.last;
    this.last = { now, status, metrics };
    this.draws = [];
    const unsent = status.outputs.reduce((sum, output) => sum + output.total - output.acknowledged, 0);
    const cards = [this.role(status)];
    if (past) {
      const seconds = (now - past.now) / 1000;
      const rate = (name) => Math.max(0, status.totals[name] - past.status.totals[name]) / seconds;
      cards.push(
        this.chart("logged", "messages logged /s", rate("messagesLogged"), short),
        this.chart("bytes", "bytes logged /s", rate("bytesLogged"), bytes),
        this.chart("delivered", "messages delivered /s", rate("messagesDelivered"), short));
      for (const [name, label] of [["app_execution_duration", "record in the app"], ["log_flush_duration", "flush"]]) {
        const found = [...metrics.keys()].find((key) => key.includes(name) && key.endsWith("_seconds"));
        if (!found) continue;
        const [half, most] = [0.5, 0.99].map((part) => quantile(metrics.get(found), past.metrics.get(found), part));
        cards.push(this.chart(name, `${label}: median, 99 %`, most * 1000, (value) => `${duration(half * 1000)}, ${duration(value)}`));
      }
    }
    cards.push(
      this.chart("lag", "sent, not yet confirmed", unsent, short),
      this.chart("recovery", "log since checkpoint", status.log.bytesSinceCheckpoint, bytes),
      this.peers(status), this.waits);
    this.replace(cards);
    this.draw();
  }

  /** Asked apart, since an app that is blocked takes two seconds; and once at a time. */
  async askWaiting() {
    if (this.asking) return;
    this.asking = true;
    try { this.told = await api.get("waiting"); } catch (error) { this.told = { told: false, reason: error.status === 404 ? "this coordinator does not say" : error.message }; }
    this.asking = false;
    this.showWaiting();
  }

  /** The sum, and all of it once that was opened; what a person reads stays where it is while nothing changes. */
  showWaiting() {
    const { lsn, ...what } = this.told; // Each record has another one, and the rest may be the same.
    const text = JSON.stringify([what, this.opened]);
    if (this.waits.dataset.text === text) return;
    this.waits.dataset.text = text;
    const [place, held] = [this.waits.querySelector(".waiting")?.scrollTop ?? 0, this.waits.contains(document.activeElement) && document.activeElement.className];
    const button = this.told.told && waiting.rows(this.told).length > 0
      ? el("button.jump", { title: "What the app waits for (w)", "aria-expanded": String(!!this.opened), onclick: () => this.toggleWaiting() }, this.opened ? "less" : "show") : null;
    this.waits.classList.toggle("wide", !!this.opened && button !== null);
    this.waits.replaceChildren(el("h3", {}, "waits for", el("span.space"), button),
      this.opened && button ? waiting.table(this.told) : el("p.soft", { id: "waits" }, waiting.summary(this.told)));
    const box = this.waits.querySelector(".waiting");
    if (box) box.scrollTop = place;
    if (held) (held === "waiting" ? box : button)?.focus();
  }

  toggleWaiting() {
    if (!this.told) return;
    this.opened = !this.opened;
    this.showWaiting();
  }

  draws = [];

  /** Draws what was shown last, in the colours of now. */
  draw() { for (const one of this.draws) one(); }

  // The card of what it waits for stays in its place: an element that is taken out loses the keyboard's focus and its scroll position.
  replace(cards) {
    if (this.waits.parentElement !== this.box) this.box.replaceChildren(...cards);
    else {
      while (this.box.firstChild !== this.waits) this.box.firstChild.remove();
      this.waits.before(...cards.slice(0, -1));
    }
  }

  role(status) {
    return el("div.chart", {}, el("h3", {}, "role", el("span.space"), `epoch ${status.epoch}`), el("strong", {}, status.role),
      el("p.soft", {}, status.ready ? `ready, up ${duration(status.uptimeSeconds * 1000)}` : status.notReadyReason));
  }

  peers(status) {
    const rows = [...status.inputs.map((one) => [`← ${one.peer}`, one.connected, `#${short(one.total)}`]),
      ...status.outputs.map((one) => [`→ ${one.peer}`, one.connected, `${short(one.total - one.acknowledged)} behind`])];
    return el("div.chart", {}, el("h3", {}, "peers"), rows.length === 0 ? el("span.soft", {}, "none")
      : el("ul", {}, ...rows.map(([peer, connected, text]) => el("li", {}, el("span", { class: connected ? "" : "fault" }, peer), el("span.soft", {}, text)))));
  }

  chart(name, label, value, format) {
    const values = this.series.get(name) ?? [];
    this.series.set(name, values);
    values.push(value);
    if (values.length > KEPT) values.shift();
    const canvas = el("canvas", { "aria-hidden": "true" });
    this.draws.push(() => draw(canvas, values));
    return el("div.chart", { "data-chart": name }, el("h3", {}, label), el("strong", {}, format(value)), canvas);
  }
}

function draw(canvas, values) {
  const scale = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  [canvas.width, canvas.height] = [width * scale, height * scale];
  const g = canvas.getContext("2d");
  g.scale(scale, scale);
  canvas.style.color = "var(--accent)";
  const color = getComputedStyle(canvas).color;
  const top = Math.max(...values, 1e-9);
  const x = (i) => width - (values.length - 1 - i) * width / (KEPT - 1);
  const y = (value) => height - 2 - value / top * (height - 6);
  g.beginPath();
  values.forEach((value, i) => g.lineTo(x(i), y(value)));
  g.strokeStyle = color;
  g.lineWidth = 1.5;
  g.stroke();
  g.lineTo(x(values.length - 1), height); g.lineTo(x(0), height);
  g.fillStyle = color;
  g.globalAlpha = 0.15;
  g.fill();
}

/** Histograms of the Prometheus text by name: sums of their buckets over all labels. */
function parse(text) {
  const found = new Map();
  for (const line of text.split("\n")) {
    const match = /^(\w+)_bucket\{.*le="([^"]+)"\} (\S+)$/.exec(line);
    if (!match) continue;
    const buckets = found.get(match[1]) ?? new Map();
    found.set(match[1], buckets);
    const bound = match[2] === "+Inf" ? Infinity : +match[2];
    buckets.set(bound, (buckets.get(bound) ?? 0) + +match[3]);
  }
  return found;
}

/** What part of the measurements since the last look lay below: within a bucket, evenly spread. */
function quantile(now, past, part) {
  const bounds = [...now.keys()].sort((a, b) => a - b);
  const since = (bound) => now.get(bound) - (past?.get(bound) ?? 0);
  const all = since(Infinity);
  if (!(all > 0)) return 0;
  let lower = 0;
  let below = 0;
  for (const bound of bounds) {
    const count = since(bound);
    if (count >= all * part) return bound === Infinity ? lower : lower + (bound - lower) * (all * part - below) / Math.max(1, count - below);
    [lower, below] = [bound, count];
  }
  return lower;
}
