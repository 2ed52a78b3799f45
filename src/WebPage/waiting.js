// What an app waits for: calls, awakeables and timers, as it says itself.

import { day, el, number, time } from "./text.js";

const moment = (text) => `${day(Date.parse(text))} ${time(Date.parse(text), 0)}Z`;
const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;

/** The sum in a sentence; or why there is none. */
export function summary(waiting) {
  if (!waiting.told) return waiting.reason;
  const parts = [[waiting.calls, "call"], [waiting.awakeables, "awakeable"], [waiting.timers, "timer"]].filter(([count]) => count > 0);
  return parts.length === 0 ? "nothing" : parts.map(([count, word]) => plural(count, word)).join(", ");
}

function goal(call) {
  if (call.destination === null) return el("span.soft", { title: "It was made before the checkpoint that the app's process began from" }, "not known");
  return `${call.destination}: ${call.method || `method ${call.methodId}`}`;
}

const since = (each) => each.since ? el("span", { title: `Message ${each.message}` }, moment(each.since)) : "";

/** All of it as rows: what, for what, since when, until when, and who awaits it. */
export const rows = (waiting) => [
  ...waiting.oldestCalls.map((call) => [`call ${call.number}`, goal(call), since(call), "", call.awaitedBy]),
  ...more(waiting.calls, waiting.oldestCalls, "call"),
  ...waiting.oldestAwakeables.map((each) => [`awakeable ${each.number}`, each.type, since(each), each.deadline ? moment(each.deadline) : "", each.awaitedBy]),
  ...more(waiting.awakeables, waiting.oldestAwakeables, "awakeable"),
  ...waiting.oldestTimers.map((timer) => [`timer ${timer.id}`, "", "", moment(timer.due), timer.awaitedBy]),
  ...more(waiting.timers, waiting.oldestTimers, "timer"),
];

const more = (all, shown, word) => all > shown.length ? [["", el("span.soft", {}, `and ${plural(all - shown.length, `later ${word}`)}`), "", "", ""]] : [];

/** A table of it, in a box that keys can scroll. */
export function table(waiting) {
  if (!waiting.told || rows(waiting).length === 0) return el("p.soft", { id: "waits" }, summary(waiting));
  return el("div", { id: "waits" }, el("p.soft", {}, summary(waiting)), el("div.waiting", { tabindex: "0", role: "region", "aria-label": "What the app waits for" },
    el("table", {}, el("tr", {}, ...["what", "for", "since", "until", "awaited by"].map((head) => el("th", {}, head))),
      ...rows(waiting).map((cells) => el("tr", {}, ...cells.map((cell) => el("td", {}, cell)))))));
}
