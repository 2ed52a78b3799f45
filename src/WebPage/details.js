// One message: what it carries, what it caused, what it changed, and where it came from and went.

import * as api from "./api.js";
import { $, bytes, el, json, number } from "./text.js";

export class Details {
  constructor(state, follow) {
    Object.assign(this, { state, follow, version: 0 });
    this.box = $("details");
    this.clear();
  }

  clear(text = "Choose a message: click one, or press j.") {
    this.version++;
    this.message = null;
    this.box.replaceChildren(el("p.soft", {}, text));
  }

  /** Shows a message; its effect comes when the replay has told it. */
  async show(row) {
    const version = ++this.version;
    if (row.t === undefined) return this.box.replaceChildren(el("p.soft", {}, `${row.p} is no longer kept: newer checkpoints made it dispensable.`));
    let message;
    try {
      message = await api.get("message", { log: this.state.name, p: row.p });
    } catch (error) {
      if (version === this.version) this.state.fail(error);
      return;
    }
    if (version !== this.version) return;
    this.message = message;
    this.caused = el("div", { id: "caused" });
    this.changed = el("div", { id: "changed" });
    this.outputs(message);
    const here = this.state.log.instance;
    this.box.replaceChildren(
      el(`h2.${message.kind}`, {}, el("span.kind", {}, message.kind), message.kind === "timer" ? "" : message.method),
      el("dl.facts", {},
        ...fact("position", `${message.p}   (${message.inRecord === 1 ? "alone in its record" : `one of ${number(message.inRecord)} in its record`})`),
        ...fact("logged", `${message.time.replace("T", " ").replace("Z", " UTC")}`),
        ...fact("from", message.from === here && ["impulse", "timer"].includes(message.kind) ? `${message.from} (from outside)` : this.origin(message)),
        ...(message.callNumber !== undefined ? fact("call", `#${message.callNumber}`) : []),
        ...fact("size", `${bytes(message.bytes)}, epoch ${message.epoch}, method id ${message.id}`)),
      el("h3", {}, message.kind === "reply" ? "value" : message.kind === "exception" ? "exception" : "arguments"),
      this.arguments(message), this.caused, this.changed);
    this.box.scrollTop = 0;
  }

  // Names stand beside the values as far as they are known; the values are text, digit for digit.
  arguments(message) {
    if (message.body === "") return el("p.soft", {}, "none");
    const names = ["reply", "exception"].includes(message.kind) ? [] : message.parameters;
    const shown = el("pre.box", { id: "arguments" });
    const lines = message.body.split("\n");
    if (names.length > 0 && lines[0] === "[") {
      let place = 0;
      for (const line of lines.slice(1, -1)) {
        const top = /^ {2}\S/.test(line) && !/^ {2}[\]}]/.test(line);
        if (top && place < names.length) shown.append(el("span.key", {}, names[place++]), ": ");
        shown.append(json(line.slice(2)), "\n");
      }
    } else {
      shown.append(json(message.body));
    }
    return shown;
  }

  // Where it was sent: the numbers on a connection are the same on both sides.
  origin(message) {
    if (message.number === undefined) return message.from;
    const text = `${message.from}, message #${number(message.number)} of it`;
    if (!this.reachable(message.from)) return text;
    const to = this.state.log.instance;
    return el("button.jump", { title: `Show what made ${message.from} send it`, onclick: () => this.follow.source(message.from, to, message.number) }, text);
  }

  reachable(instance) { return instance === this.state.main || this.state.logs.includes(instance); }

  // What the log itself knows: how many messages its record sent to whom.
  outputs(message) {
    if (!message.outputsKnown) return this.caused.replaceChildren();
    const many = message.inRecord > 1 ? "the messages of this record" : "this message";
    this.caused.replaceChildren(el("h3", {}, `caused by ${many}`), ...(message.outputs.length === 0 ? [el("p.soft", {}, "nothing was sent")] : message.outputs.map((output) =>
      el("div.output", {}, el("span.mono", {}, `→ ${output.to}: ${number(output.count)} message${output.count === 1 ? "" : "s"}`),
        this.link(output.to, output.first, output.count > 1 ? "first" : "follow")))));
  }

  link(to, sent, text) {
    if (!sent || !this.reachable(to)) return el("span.soft", { title: "Its log is not at hand: --peer-log names it" }, sent ? `#${number(sent)}` : "");
    return el("button.jump", { title: `Show it in the log of ${to}`, onclick: () => this.follow.find(to, this.state.log.instance, sent) }, `${text} #${number(sent)}`);
  }

  /** What the replay says that it made. */
  effect(position, effect) {
    if (this.message?.p !== position || this.state.name) return;
    if (effect.failed) return this.changed.replaceChildren(el("p.fault", {}, effect.text));
    this.caused.replaceChildren(el("h3", {}, "caused by this message"),
      ...(effect.outputs.length === 0 ? [el("p.soft", {}, "nothing was sent")] : effect.outputs.map((output) => this.output(output))),
      ...effect.effects.map((asked) => el("p", {}, asked)),
      ...effect.faults.map((fault) => el("p.fault", {}, `it threw: ${fault}`)));
    this.changed.replaceChildren(el("h3", {}, "changed in the state"), effect.differences.length === 0 ? el("p.soft", {}, "nothing")
      : el("table.diff.mono", {}, ...effect.differences.map(({ path, before, after }) => el("tr", {},
        el("td", {}, path), el("td", {}, before === null ? "" : el("span.before", {}, before), before !== null && after !== null ? " → " : "", after === null ? "" : el("span.after", {}, after))))));
  }

  output(output) {
    const run = this.message.outputs.find((one) => one.to === output.to);
    const sent = run?.first && output.offset !== undefined ? run.first + output.offset : 0;
    return el(`div.output.${output.kind}`, {}, el("span.mono", {}, `→ ${output.to}  `, el("span.kind", {}, output.kind), ` ${output.method}(${output.content})`), this.link(output.to, sent, "follow"));
  }

  busy() { this.changed?.replaceChildren(el("p.soft", {}, "replaying...")); }
}

const fact = (name, value) => [el("dt", {}, name), el("dd", {}, value)];
