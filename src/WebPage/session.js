// The debugger's replay: moved by buttons, keys and commands, one after the other.

import * as api from "./api.js";
import { $ } from "./text.js";

export class Session {
  constructor(state, moved) {
    Object.assign(this, { state, moved, running: null, wanted: null, last: Promise.resolve(), lines: [], recalled: 0 });
    this.box = $("session");
    for (const button of this.box.querySelectorAll("[data-line]")) button.onclick = () => this.run(button.dataset.line);
    $("command").onsubmit = (event) => {
      event.preventDefault();
      const line = $("line").value.trim();
      if (!line) return;
      // The keys are shortcuts again, and the line is there to be called back.
      $("line").value = "";
      $("line").blur();
      if (this.lines.at(-1) !== line) this.lines.push(line);
      this.recalled = this.lines.length;
      this.run(line);
    };
    $("line").onkeydown = (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      this.recalled = Math.max(0, Math.min(this.lines.length, this.recalled + by));
      $("line").value = this.lines[this.recalled] ?? "";
    };
    $("stop").onclick = () => this.running?.abort();
  }

  get isHere() { return !this.box.hidden; }

  /** Shows where the replay stands. */
  place() {
    this.box.hidden = this.state.log.at === null;
    $("at").textContent = this.isHere ? `at ${this.state.log.at}` : "";
  }

  /** Carries out a command, and goes to where it led. */
  async run(line) {
    const answer = await this.alone((signal) => api.post("command", { line }, signal), line);
    if (!answer) return;
    $("answer").textContent = answer.text;
    $("answer").classList.toggle("failed", answer.failed);
    const moves = !/^(help|\?|h|state|diff|outputs|o|hash|checkpoints|where|w)\b/.test(line);
    this.arrive(answer, moves && !answer.failed);
  }

  /** Replays up to a message and tells what it made. Of wishes that wait, only the latest is kept. */
  async examine(position, told) {
    const waits = this.wanted !== null;
    this.wanted = position;
    if (waits) return;
    const effect = await this.alone((signal) => {
      position = this.wanted;
      this.wanted = null;
      return api.post("effect", { p: position }, signal);
    }, "");
    if (effect) {
      told(position, effect);
      this.arrive(effect, false);
    }
  }

  arrive(answer, follow) {
    this.state.log.at = answer.at;
    this.place();
    this.moved(answer.at, follow);
  }

  // One after the other: what is asked for meanwhile waits.
  alone(ask, line) {
    const mine = this.last.then(() => this.now(ask, line));
    this.last = mine;
    return mine;
  }

  async now(ask, line) {
    this.running = new AbortController();
    this.box.classList.add("busy");
    const slow = setTimeout(() => { $("stop").hidden = false; if (line) $("answer").textContent = "working..."; }, 300);
    try {
      return await ask(this.running.signal);
    } catch (error) {
      if (error.name === "AbortError") $("answer").textContent = "stopped; where tells where";
      else this.state.fail(error);
      return null;
    } finally {
      clearTimeout(slow);
      this.running = null;
      $("stop").hidden = true;
      this.box.classList.remove("busy");
    }
  }
}
