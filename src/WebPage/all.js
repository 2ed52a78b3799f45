// The page about all instances: a table that is filled again and again, and what one of them says.

import * as api from "./api.js";
import { $, bytes, day, el, number, short, time } from "./text.js";
import { recallTheme, turnTheme } from "./theme.js";
import * as waiting from "./waiting.js";

const EVERY = 1000;
const columns = [
  { head: "instance", of: (row) => row.instance, text: (row) => row.instance },
  { head: "state", of: (row) => row.role, text: (row) => row.role },
  { head: "epoch", of: (row) => row.epoch, text: (row) => number(row.epoch) },
  { head: "durable", of: (row) => row.durableLsn, text: (row) => number(row.durableLsn), hint: "Last record on stable storage" },
  { head: "lag", of: (row) => row.lagBytes, text: (row) => bytes(row.lagBytes), hint: "Bytes of log that the app has yet to see" },
  { head: "in/s", of: (row) => row.deliveredPerSecond, text: (row) => short(row.deliveredPerSecond), hint: "Messages for the app" },
  { head: "logged/s", of: (row) => row.loggedPerSecond, text: (row) => bytes(row.loggedPerSecond) },
  { head: "out/s", of: (row) => row.sentPerSecond, text: (row) => short(row.sentPerSecond), hint: "Messages sent" },
  { head: "waiting", of: (row) => row.waitingBytes, text: (row) => bytes(row.waitingBytes), hint: "Bytes that wait for their destinations" },
  { head: "checkpoint", of: (row) => row.checkpointLsn, text: (row) => number(row.checkpointLsn) },
  { head: "recovery", of: (row) => row.recoverySeconds, text: (row) => `${row.recoverySeconds.toFixed(2)} s`, hint: "How long the last one took" },
];

const state = { rows: [], shown: [], chosen: new URLSearchParams(location.search).get("name") ?? "", filter: "", sort: 0, down: false };
const lines = new Map(); // By name: the table's row and its cells, which are kept while texts change.

function tell(id, text) {
  $(id).textContent = text;
  $(id).hidden = false;
  clearTimeout(tell[id]);
  tell[id] = setTimeout(() => { $(id).hidden = true; }, 8000);
}

const fail = (error) => { if (error.name !== "AbortError") tell("notice", error.message); };

// ---- the table

for (const [at, column] of columns.entries()) {
  $("heads").append(el("th", { scope: "col", title: column.hint }, el("button", { onclick: () => sortBy(at) }, column.head)));
}

function sortBy(at) {
  state.down = state.sort === at ? !state.down : at > 1; // Figures begin with the largest.
  state.sort = at;
  show();
}

function kind(row) {
  return row.answers ? (row.role === "primary" || row.role === "secondary" || row.role === "checkpointer" ? "well" : "ill") : row.role === "stopped" ? "idle" : "ill";
}

function lineOf(row) {
  let line = lines.get(row.instance);
  if (!line) {
    const cells = columns.map(() => el("td"));
    line = { row: el("tr", { "aria-selected": "false", onclick: () => choose(row.instance) }, ...cells), cells };
    lines.set(row.instance, line);
  }
  return line;
}

function show() {
  const words = state.filter.toLowerCase();
  const { of } = columns[state.sort];
  const order = state.down ? -1 : 1;
  state.shown = state.rows.filter((row) => !words || row.instance.toLowerCase().includes(words) || row.role.toLowerCase().includes(words))
    .sort((a, b) => (of(a) < of(b) ? -order : of(a) > of(b) ? order : a.instance < b.instance ? -1 : 1));
  for (const [at, head] of [...$("heads").children].entries()) {
    if (at === state.sort) head.setAttribute("aria-sort", state.down ? "descending" : "ascending"); else head.removeAttribute("aria-sort");
  }
  for (const row of state.shown) fill(row);
  const wanted = state.shown.map((row) => lines.get(row.instance).row);
  if (wanted.length !== $("rows").children.length || wanted.some((line, at) => $("rows").children[at] !== line)) $("rows").replaceChildren(...wanted);
  for (const name of [...lines.keys()].filter((name) => !state.rows.some((row) => row.instance === name))) lines.delete(name);
  const well = state.rows.filter((row) => kind(row) === "well").length;
  $("totals").textContent = `${number(well)} of ${number(state.rows.length)} well`;
  $("empty").hidden = state.shown.length > 0;
  $("empty").textContent = state.rows.length > 0 ? "None of them is like that." : "There are no instances here yet: 'ambrosia run' starts one.";
}

function fill(row) {
  const line = lineOf(row);
  line.row.className = kind(row);
  line.row.setAttribute("aria-selected", String(row.instance === state.chosen));
  for (const [at, column] of columns.entries()) {
    const text = at < 2 || row.answers ? column.text(row) : "–";
    if (line.cells[at].textContent !== text) line.cells[at].textContent = text;
    if (at === 1) line.cells[at].title = text;
  }
}

// ---- one of them

function choose(name) {
  if (!name) return;
  state.chosen = name;
  const place = new URL(location.href);
  place.searchParams.set("name", name);
  history.replaceState(null, "", place);
  show();
  lines.get(name)?.row.scrollIntoView({ block: "nearest" });
  look();
}

const facts = (pairs) => el("dl.facts", {}, ...pairs.filter(([, value]) => value !== "" && value !== undefined).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, String(value))]));

function table(heads, rows) {
  return el("table", {}, el("tr", {}, ...heads.map((head) => el("th", {}, head))), ...rows.map((cells) => el("tr", {}, ...cells.map((cell) => el("td", {}, cell)))));
}

const section = (title, content) => content ? [el("h3", {}, title), content] : [];

function connections(status) {
  const rows = [
    ...status.inputs.map((input) => [`from ${input.peer}`, input.connected ? "connected" : "not connected", `${number(input.total)} ${input.total === 1 ? "message" : "messages"}`]),
    ...status.outputs.map((output) => [
      `to ${output.peer}`, output.connected ? "connected" : `not connected: ${output.lastError}`,
      `${number(output.acknowledged)} of ${number(output.total)} confirmed, ${bytes(output.bufferedBytes + output.spilledBytes)} wait`]),
  ];
  return rows.length > 0 ? table(["peer", "", ""], rows) : null;
}

const effects = (status) => status.app.effects.length === 0 ? null : table(["method", "pending", "held", "attempts", "last error"],
  status.app.effects.map((effect) => [effect.method, number(effect.pending), number(effect.held), `${number(effect.failures)} of ${number(effect.attempts)} failed`, effect.lastError]));

const moment = (text) => text ? `${day(Date.parse(text))} ${time(Date.parse(text), 0)}Z` : "–";

const schedules = (status) => status.app.schedules.length === 0 ? null : table(["schedule", "times", "next", "last", "runs"],
  status.app.schedules.map((each) => [each.name, `${each.expression} ${each.timeZone}`, each.trouble ? el("span.fault", {}, each.trouble) : moment(each.next),
    moment(each.last), `${number(each.runs)}${each.leftOut > 0 ? `, ${number(each.leftOut)} left out` : ""}`]));

const sagas = (status) => status.app.compensations.length === 0 ? null : table(["saga", "left", "now", "next attempt", "last error"],
  status.app.compensations.map((each) => [each.saga, number(each.left), each.step, each.nextAttempt ? `${moment(each.nextAttempt)}, ${number(each.attempts)} failed` : "running", each.lastError]));

function letters(name, dead) {
  const parts = [];
  if (dead.hold) parts.push(el("p.fault", {}, `On hold: ${dead.hold}`), el("div.actions", {}, action(name, "let it try again", "retry", {}, "The app is let in once more, and meets the same message again.")));
  if (dead.stuck) parts.push(el("p.fault", {}, `Stuck: ${dead.stuck} ${dead.stuckAt}`));
  if (dead.stuckAt) parts.push(el("div.actions", {}, decision(name, dead.stuckAt, "quarantine", "It is taken out of the log for good, and its caller is answered with an error.")));
  if (dead.letters.length > 0) {
    parts.push(table(["message", "from", "what", "why", ""], dead.letters.map((letter) => [
      letter.position, letter.from, letter.what, letter.reason || letter.by,
      el("span", {}, decision(name, letter.position, "redrive", "It is logged once more, as a new input."), " ", decision(name, letter.position, "drop", "It is thrown away for good."))])));
  }
  return parts.length > 0 ? el("div", {}, ...parts) : null;
}

const decision = (name, message, what, why) => action(name, what, "deadletter", { message, decision: what }, `${why} Message ${message}.`);

const action = (name, text, path, parameters, why) => el("button", {
  onclick: async () => {
    if (why && !await sure(`${name}: ${text}?`, why)) return;
    try {
      tell("said", (await api.post(path, { name, ...parameters })).said);
      await look();
    } catch (error) { fail(error); }
  },
}, text);

function sure(what, why) {
  $("sureWhat").textContent = what;
  $("sureWhy").textContent = why;
  $("sure").returnValue = "no";
  $("sure").showModal();
  return new Promise((answer) => $("sure").addEventListener("close", () => answer($("sure").returnValue === "yes"), { once: true }));
}

let painted = "";
let waits = { name: "", text: "", told: null, asked: false }; // What the chosen one said last. It is asked apart, since one that is blocked takes two seconds.

async function ask(name) {
  if (waits.asked) return;
  waits.asked = true;
  let said;
  try { said = await api.get("waiting", { name }); } catch (error) { said = { told: false, reason: error.message }; }
  const { lsn, ...what } = said; // Each record has another one, and the rest may be the same.
  waits.asked = false;
  if (name !== state.chosen) return;
  waits = { name, text: JSON.stringify(what), told: what, asked: false };
  paintWaits(name);
}

// It has a place of its own, which stays when the rest is painted anew: a person scrolls in it.
function paintWaits(name) {
  const place = $("waiting");
  if (name !== state.chosen || place.dataset.text === waits.text) return;
  const [top, held] = [place.querySelector(".waiting")?.scrollTop ?? 0, place.contains(document.activeElement)];
  place.dataset.text = waits.text;
  place.replaceChildren(...(waits.told ? section("waits for", waiting.table(waits.told)) : []));
  const box = place.querySelector(".waiting");
  if (box) box.scrollTop = top;
  if (held) box?.focus();
}

function forgetWaits(name) {
  waits = { ...waits, name, text: "", told: null };
  paintWaits(name);
}

function paint(name, { status, letters: dead }) {
  const text = JSON.stringify([name, status && { ...status, uptimeSeconds: 0, log: 0, totals: 0, app: { ...status.app, turnSeconds: 0, schedules: 0 } }, dead]);
  const quick = status && [["role", status.ready ? status.role : `${status.role}: ${status.notReadyReason}`],
    ["epoch", number(status.epoch)], ["durable", `record ${number(status.log.durableLsn)}, app at ${number(status.app.lsn)}`],
    ["since the checkpoint", bytes(status.log.bytesSinceCheckpoint)], ["up for", `${number(status.uptimeSeconds)} s`]];
  const times = status && section("schedules", schedules(status));
  if (text === painted && quick) { // What a person reads or presses stays where it is.
    $("quick").replaceWith(el("div", { id: "quick" }, facts(quick)));
    $("times").replaceWith(el("div", { id: "times" }, ...times));
    return;
  }
  painted = text;
  if (!status) { $("about").replaceChildren(el("h2", {}, name), el("p.soft", {}, "No coordinator answers.")); return; }
  $("about").replaceChildren(
    el("h2", {}, name),
    el("div", { id: "quick" }, facts(quick)),
    facts([
      ["checkpoint", status.checkpoints.newestLsn > 0 || status.checkpoints.taken > 0 ? `record ${number(status.checkpoints.newestLsn)}, ${bytes(status.checkpoints.newestBytes)}, ${number(status.checkpoints.taken)} by this process` : "none since this process began"],
      ["replica", status.replica ?? ""], ["address", status.peerAddress], ["app", status.app.attached ? `${status.app.binding} ${status.app.version}`.trim() : "not attached"],
      ["state's version", status.app.stateVersion], ["upgrade", status.upgrade.state && `${status.upgrade.state} ${status.upgrade.from} → ${status.upgrade.to}`],
      ["coordinator", status.version], ["identity", status.instanceId], ["cluster", status.cluster]]),
    el("div.actions", {}, action(name, "take a checkpoint", "checkpoint", {}, ""), el("span.soft", {}, `ambrosia debug ${name} --web goes back in time`)),
    ...section("holds it up", letters(name, dead)),
    ...section("sagas that compensate", sagas(status)), ...section("effects", effects(status)), el("div", { id: "times" }, ...times), ...section("connections", connections(status)));
}

async function look() {
  const name = state.chosen;
  if (!name) return;
  const row = state.rows.find((each) => each.instance === name);
  try {
    if (row && !row.answers) throw new Error(row.role);
    const answer = await api.get("instance", { name });
    if (name !== state.chosen) return;
    paint(name, answer);
    if (waits.name !== name || !answer.status) forgetWaits(name);
    if (answer.status) ask(name);
  } catch (error) {
    painted = "";
    if (name === state.chosen) forgetWaits(name);
    if (name === state.chosen) $("about").replaceChildren(el("h2", {}, name), el("p.soft", {}, error.message));
  }
}

// ---- again and again

async function refresh() {
  try {
    state.rows = await api.get("instances");
    show();
    await look();
  } catch (error) { fail(error); }
  document.documentElement.dataset.ready = "";
  setTimeout(refresh, document.hidden ? EVERY * 5 : EVERY);
}

// ---- keys

function move(by) {
  if (state.shown.length === 0) return;
  const at = state.shown.findIndex((row) => row.instance === state.chosen);
  choose(state.shown[Math.min(state.shown.length - 1, Math.max(0, at < 0 && by === 1 ? 0 : at + by))].instance);
}

const keys = { j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), Home: () => move(-1e9), End: () => move(1e9), "/": () => $("text").focus(), "?": () => $("help").showModal() };

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.tagName === "INPUT") {
    if (event.key === "Escape" || event.key === "Enter") event.target.blur();
    return;
  }
  if (event.key === "Escape") { $("text").value = state.filter = ""; show(); return; }
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

$("text").addEventListener("input", () => { state.filter = $("text").value; show(); });
$("helpButton").addEventListener("click", () => $("help").showModal());
$("theme").addEventListener("click", turnTheme);
recallTheme();
refresh();
