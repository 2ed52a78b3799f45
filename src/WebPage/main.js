// Puts the parts together: what is chosen, filtered and shown, keys, and the questions that are asked again and again.

import * as api from "./api.js";
import { Charts } from "./charts.js";
import { Details } from "./details.js";
import { List } from "./list.js";
import { Session } from "./session.js";
import { $, el, number, short } from "./text.js";
import { recallTheme, turnTheme } from "./theme.js";
import { Timeline } from "./timeline.js";

const state = {
  name: new URLSearchParams(location.search).get("log") ?? "", // Empty: the log that the page was started for.
  main: "", logs: [], log: null, chosen: null, place: null, filter: {},
  get isFiltered() { return Object.keys(this.filter).length > 0; },
  fail(error) {
    if (error.name === "AbortError") return;
    $("notice").textContent = error.message;
    $("notice").hidden = false;
    clearTimeout(this.forget);
    this.forget = setTimeout(() => { $("notice").hidden = true; }, 8000);
  },
};

const hidden = new Set();
let filtered = 0; // Times that the filters were changed.
const list = new List(state, choose, { tail, first });
const details = new Details(state, { find: followTo, source: followFrom });
const charts = new Charts(state);
const session = new Session(state, async (at, follow) => { list.mark(); if (follow) await goTo(at, true); });
const timeline = new Timeline(state, async (at) => {
  try {
    const { o } = await api.get("at", { log: state.name, t: at });
    tail(false);
    choose(await list.open(o));
  } catch (error) { state.fail(error); }
});

// ---- what is chosen

function choose(row, { examine = false } = {}) {
  if (!row) return;
  state.chosen = row;
  state.place = null;
  list.mark();
  list.scrollTo(row);
  timeline.reveal(row.t);
  keep();
  const shown = details.show(row);
  if (session.isHere && !state.name && (examine || $("auto").checked || row.p === state.log.at)) shown.then(() => effectOf(row));
}

function effectOf(row) {
  if (state.name) return;
  details.busy();
  session.examine(row.p, (position, effect) => details.effect(position, effect));
}

/** Goes to a position in the log that is shown. */
async function goTo(position, examine = false) {
  if (!/^\d+:\d+$/.test(position)) return;
  try {
    const message = await api.get("message", { log: state.name, p: position });
    if (message.o !== state.chosen?.o || examine) {
      if (!list.elementOf(message.o)) await list.open(message.o);
      choose(message, { examine });
    }
  } catch (error) { state.fail(error); }
}

/** To a message where it arrived: in the log of its destination, by its number there. */
async function followTo(to, sender, sent) {
  await follow(to, "find", { sender, number: sent });
}

/** To the record that sent it, in the log of its sender. */
async function followFrom(sender, to, sent) {
  await follow(sender, "source", { to, number: sent });
}

async function follow(instance, question, parameters) {
  const name = instance === state.main ? "" : instance;
  try {
    // The other log may still have to be read; it is asked until it knows, or is complete.
    let log = await api.get("log", { log: name });
    while (!log.complete && !log.live) log = await api.get("log", { log: name });
    const found = await api.get(question, { log: name, ...parameters });
    if (name !== state.name) await openLog(name, log);
    tail(false);
    await goTo(found.p);
  } catch (error) {
    state.fail(error.status === 404 ? new Error(`The log of ${instance} does not hold it: not yet durable there, or no longer kept.`) : error);
  }
}

// ---- what is filtered

function filter() {
  const kinds = state.log.kinds.filter((kind) => !hidden.has(kind));
  const next = {
    kinds: kinds.length === state.log.kinds.length ? "" : kinds.join(",") || "none",
    methods: $("method").value, sender: $("sender").value, text: $("text").value.trim(),
  };
  state.filter = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ""));
  $("clear").hidden = !state.isFiltered;
  if (!state.isFiltered) $("found").textContent = "";
  timeline.data = null;
  timeline.refresh();
  keep();
  const opened = $("tail").checked ? list.openEnd() : list.open(state.chosen?.o ?? state.place ?? state.log.first);
  return Promise.all([opened, drop(++filtered)]).catch((error) => state.fail(error));
}

// A message that does not pass the filters is in no row: it is no longer chosen either, and only its place is remembered.
async function drop(asked) {
  const { chosen } = state;
  if (!chosen) return;
  const answer = await list.ask({ from: chosen.o, n: 1 });
  if (asked !== filtered || state.chosen !== chosen || answer.rows[0]?.o === chosen.o) return;
  if (answer.searched < 1) { setTimeout(() => drop(asked).catch((error) => state.fail(error)), 150); return; }
  Object.assign(state, { chosen: null, place: chosen.o });
  details.clear(`${chosen.p} does not pass the filters. Choose a message: click one, or press j.`);
  list.mark();
  timeline.draw();
  keep();
}

function clear() {
  hidden.clear();
  for (const button of $("kinds").children) button.setAttribute("aria-pressed", "true");
  [$("method").value, $("sender").value, $("text").value] = ["", "", ""];
  return filter();
}

function options(select, all, entries) {
  const chosen = select.value;
  const made = [el("option", { value: "" }, all), ...entries.map(([value, label]) => el("option", { value }, label))];
  if (select.children.length !== made.length || [...select.children].some((one, i) => one.textContent !== made[i].textContent)) select.replaceChildren(...made);
  select.value = chosen;
}

function vocabulary() {
  const { methods, senders, kinds } = state.log;
  // Methods of one name, as overloads and unnamed ids of several builds may be, are one to people.
  const byName = Map.groupBy ? Map.groupBy(methods, (method) => method.name) : new Map(methods.map((method) => [method.name, [method]]));
  if (document.activeElement !== $("method")) options($("method"), "all methods", [...byName].map(([name, ids]) => [ids.map((one) => one.id).join(","), name]));
  if (document.activeElement !== $("sender")) options($("sender"), "all senders", senders.map((sender) => [sender, sender]));
  if ($("kinds").children.length === 0) {
    $("kinds").append(...kinds.map((kind) => el(`button.${kind}`, { type: "button", "aria-pressed": "true", onclick: (event) => {
      hidden.has(kind) ? hidden.delete(kind) : hidden.add(kind);
      event.currentTarget.setAttribute("aria-pressed", String(!hidden.has(kind)));
      filter();
    } }, kind)));
  }
}

// ---- which log

async function openLog(name, log) {
  Object.assign(state, { name, log, chosen: null, place: null });
  timeline.from = timeline.to = 0;
  timeline.data = null;
  details.clear();
  [$("method").value, $("sender").value] = ["", ""];
  present();
  await filter();
}

function present() {
  const { log } = state;
  document.title = `${log.instance} · Ambrosia`;
  $("badge").textContent = log.live ? "live" : "at rest";
  $("badge").classList.toggle("live", log.live);
  $("tailing").hidden = !log.live;
  $("totals").textContent = `${short(log.end - log.first)} messages in ${short(log.lastLsn - log.firstLsn + (log.firstLsn ? 1 : 0))} records`;
  $("totals").title = `${number(log.end - log.first)} messages, records ${log.firstLsn} to ${log.lastLsn}`;
  $("progress").hidden = log.complete || log.progress >= 1;
  $("progress").firstElementChild.style.width = `${log.progress * 100}%`;
  $("progress").lastElementChild.textContent = `reading the log: ${short(log.end - log.first)} messages so far`;
  const names = [...new Set([state.main, ...state.logs])].filter((name) => name);
  options($("log"), "", names.map((name) => [name, name]));
  $("log").firstElementChild?.remove();
  $("log").value = log.instance;
  $("log").disabled = names.length < 2;
  vocabulary();
  if (!state.name) session.place(); else session.box.hidden = true;
}

function keep() {
  const parts = { ...(state.name && { log: state.name }), ...(state.chosen && { p: state.chosen.p }), ...state.filter };
  history.replaceState(null, "", `?${new URLSearchParams(parts)}`);
}

function tail(on) {
  if ($("tail").checked === on) return;
  $("tail").checked = on;
  if (on) { timeline.all(); list.openEnd().catch((error) => state.fail(error)); }
}

async function watch() {
  let pause = 25;
  try {
    const log = await api.get("log", { log: state.name });
    if (log.instance === state.log.instance || state.log === null) {
      const [before, anew] = [state.log, log.generation !== state.log.generation];
      state.log = log;
      present();
      if (anew) { state.chosen = state.place = null; details.clear(); }
      if (log.end !== before.end || anew) {
        timeline.refresh();
        if ($("tail").checked) await list.openEnd();
        else if (list.rows.length < 100 || list.atEnd) { list.atEnd = false; if (list.rows.length === 0) await list.open(log.first); else await list.scrolled(); }
      }
    }
    if (log.complete) pause = log.live ? 600 : 3000;
  } catch (error) {
    state.fail(error);
    pause = 3000;
  }
  setTimeout(watch, document.hidden ? 3000 : pause);
}

// ---- keys

const keys = {
  j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
  PageDown: () => step(20), PageUp: () => step(-20),
  g: first, Home: first, G: end, End: end,
  ArrowLeft: () => timeline.pan(-0.2), ArrowRight: () => timeline.pan(0.2),
  "+": () => timeline.zoom(0.5), "=": () => timeline.zoom(0.5), "-": () => timeline.zoom(2), 0: () => timeline.all(),
  "/": () => { $("text").focus(); $("text").select(); },
  ":": () => { if (session.isHere) $("line").focus(); },
  "?": () => $("help").showModal(),
  t: () => { if (!$("tailing").hidden) tail(!$("tail").checked); },
  w: () => { if (!$("charts").hidden) charts.toggleWaiting(); },
  m: () => { if (!$("chartsButton").hidden) charts.toggle(); },
  s: () => { if (session.isHere) session.run("step"); },
  b: () => { if (session.isHere) session.run("back"); },
  Enter: here,
  Escape: () => { if (state.isFiltered) clear(); },
};

async function step(by) { tail(false); choose(await list.neighbour(by)); }
async function first() { tail(false); choose(await list.open(state.log.first)); }
async function end() { choose(await list.openEnd()); }
function here() { if (state.chosen && session.isHere) effectOf(state.chosen); }

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  const field = event.target.closest("input:not([type=checkbox]), select, textarea");
  if (field) { if (event.key === "Escape") { field.blur(); event.preventDefault(); } return; }
  if (event.key === "Enter" && event.target.closest("button")) return;
  const action = keys[event.key];
  if (!action || !state.log) return;
  event.preventDefault();
  Promise.resolve(action()).catch((error) => state.fail(error));
});

// ---- the start

$("method").onchange = $("sender").onchange = filter;
$("filters").onsubmit = (event) => { event.preventDefault(); filter(); $("text").blur(); };
let typing;
$("text").oninput = () => { clearTimeout(typing); typing = setTimeout(filter, 250); };
$("clear").onclick = clear;
$("tail").onchange = () => { const on = $("tail").checked; $("tail").checked = !on; tail(on); };
$("chartsButton").onclick = () => charts.toggle();
$("helpButton").onclick = () => $("help").showModal();
$("here").onclick = here;
$("log").onchange = async () => {
  const name = $("log").value === state.main ? "" : $("log").value;
  try { await openLog(name, await api.get("log", { log: name })); } catch (error) { state.fail(error); present(); }
};
$("theme").onclick = () => {
  turnTheme();
  timeline.draw();
  charts.draw();
};

// What is drawn does not change by itself when the system does.
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { timeline.draw(); charts.draw(); });

// The filters of an address that was kept, or sent to somebody.
function recall(wanted) {
  for (const [id, name] of [["text", "text"], ["method", "methods"], ["sender", "sender"]]) $(id).value = wanted.get(name) ?? "";
  const kinds = wanted.get("kinds")?.split(",");
  for (const button of kinds ? $("kinds").children : []) {
    if (kinds.includes(button.textContent)) continue;
    hidden.add(button.textContent);
    button.setAttribute("aria-pressed", "false");
  }
}

async function start() {
  recallTheme();
  const wanted = new URLSearchParams(location.search);
  const main = await api.get("log", {});
  Object.assign(state, { main: main.instance, logs: main.logs, log: state.name ? await api.get("log", { log: state.name }) : main });
  if (state.name === state.main) state.name = "";
  present();
  recall(wanted);
  await filter();
  if (wanted.get("p")) await goTo(wanted.get("p"), false);
  else if (session.isHere) await goTo(state.log.at, true);
  api.get("status").then(() => { $("chartsButton").hidden = false; if (state.log.live) charts.toggle(true); }, () => {});
  document.documentElement.dataset.ready = "true";
  watch();
}

// A coordinator that is only just starting may not have a log yet.
const begin = () => start().catch((error) => { state.fail(error); setTimeout(begin, 1000); });
begin();
