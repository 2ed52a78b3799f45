// The list of messages: a window of rows that grows at the end one scrolls to and shrinks at the other, however long the log is.

import * as api from "./api.js";
import { $, el, number, time } from "./text.js";

const PAGE = 120;
const MOST = 900;

export class List {
  constructor(state, choose, { tail, first }) {
    Object.assign(this, { state, choose, first, isTail: false, rows: [], atStart: false, atEnd: false, version: 0, loading: false });
    this.box = $("list");
    this.holder = $("rows");
    this.box.addEventListener("scroll", () => this.scrolled());
    // Who looks back wants to stay there: the tail would lead to the end again at once.
    this.box.addEventListener("wheel", (event) => { if (event.deltaY < 0) tail(false); }, { passive: true });
    $("hint").querySelector("button").onclick = () => this.first().catch((error) => this.state.fail(error));
    this.holder.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) this.choose(this.rows.find((one) => one.o === +row.dataset.o));
    });
  }

  /** Shows the neighbourhood of an ordinal; the first message from there on is returned. */
  async open(ordinal) {
    const version = ++this.version;
    const from = Math.max(ordinal, this.state.log.first);
    const [before, after] = await Promise.all([this.ask({ before: from, n: PAGE / 2 }), this.ask({ from, n: PAGE })]);
    if (version !== this.version) return null;
    this.isTail = false;
    this.rows = [...before.rows, ...after.rows];
    this.atStart = before.rows.length < PAGE / 2 && !before.cut && before.searched === 1;
    this.atEnd = after.rows.length < PAGE && !after.cut && after.searched === 1;
    this.render();
    const first = after.rows[0] ?? before.rows.at(-1) ?? null;
    if (first) this.scrollTo(first);
    if (after.searched < 1 && this.rows.length < PAGE) setTimeout(() => version === this.version && this.open(ordinal), 150);
    return first;
  }

  /** The newest messages, for the live tail. */
  async openEnd() {
    const version = ++this.version;
    const answer = await this.ask({ before: this.state.log.end, n: PAGE });
    if (version !== this.version) return null;
    this.rows = answer.rows;
    this.atStart = answer.rows.length < PAGE && !answer.cut && answer.searched === 1;
    this.atEnd = true;
    this.isTail = $("tail").checked;
    this.render();
    this.box.scrollTop = this.box.scrollHeight;
    return this.rows.at(-1) ?? null;
  }

  ask(parameters) { return api.get("messages", { log: this.state.name, ...parameters, ...this.state.filter }); }

  async scrolled() {
    if (this.loading || this.rows.length === 0) return;
    const { scrollTop, clientHeight, scrollHeight } = this.box;
    if (!this.atEnd && scrollTop + clientHeight > scrollHeight - 600) await this.more(true);
    else if (!this.atStart && scrollTop < 600) await this.more(false);
  }

  /** Loads what comes behind or before; false when there is nothing. */
  async more(behind) {
    if (this.loading || this.rows.length === 0) return false;
    this.loading = true;
    const version = this.version;
    try {
      const answer = await this.ask(behind ? { from: this.rows.at(-1).o + 1, n: PAGE } : { before: this.rows[0].o, n: PAGE });
      if (version !== this.version) return false;
      const had = this.holder.firstChild;
      const top = had?.offsetTop ?? 0;
      this.isTail = false;
      if (behind) {
        this.rows.push(...answer.rows);
        this.atEnd = answer.rows.length < PAGE && !answer.cut;
        if (this.rows.length > MOST) { this.rows.splice(0, this.rows.length - MOST); this.atStart = false; }
      } else {
        this.rows.unshift(...answer.rows);
        this.atStart = answer.rows.length < PAGE && !answer.cut;
        if (this.rows.length > MOST) { this.rows.length = MOST; this.atEnd = false; }
      }
      const anchor = this.visible();
      this.render();
      if (anchor) this.box.scrollTop += (this.elementOf(anchor.o)?.offsetTop ?? anchor.top) - anchor.top;
      else if (had) this.box.scrollTop += had.offsetTop - top;
      return answer.rows.length > 0;
    } catch (error) {
      this.state.fail(error);
      return false;
    } finally {
      this.loading = false;
    }
  }

  // The first row that is in view: it must stay where it is.
  visible() {
    for (const row of this.holder.children) {
      if (row.dataset.o && row.offsetTop >= this.box.scrollTop) return { o: +row.dataset.o, top: row.offsetTop };
    }
    return null;
  }

  elementOf(ordinal) { return this.holder.querySelector(`[data-o="${ordinal}"]`); }

  render() {
    this.hint();
    if (this.rows.length === 0) {
      this.holder.replaceChildren(el("div.empty", {}, this.state.isFiltered ? "No message passes the filters." : "There is no message here yet."));
      return;
    }
    this.holder.replaceChildren(...this.rows.map((row) => this.element(row)));
  }

  // What comes before the rows and cannot be scrolled to. Its elements stay, so that a click on one is not lost when rows come.
  hint() {
    const { first, firstLsn } = this.state.log;
    const leaves = this.isTail && !this.atStart && this.rows.length > 0;
    const begins = this.atStart && firstLsn > 1 && this.rows.length > 0;
    const earlier = this.state.isFiltered || !leaves ? "Earlier messages" : `${number(this.rows[0].o - first)} earlier messages`;
    const [text, button] = $("hint").children;
    text.textContent = leaves ? `${earlier} are left out while the tail is followed.`
      : begins ? `This begins with record ${number(firstLsn)}: what came before is no longer kept, or is too much to be shown.` : "";
    button.hidden = !leaves;
    $("hint").hidden = !leaves && !begins;
    $("hint").classList.toggle("stays", leaves);
  }

  element(row) {
    const chosen = row.o === this.state.chosen?.o;
    if (row.t === undefined) return el("div.row.gone", { "data-o": row.o, role: "option" }, `${row.p} is no longer kept`);
    const replayed = row.p === this.state.log.at && !this.state.name ? ".replayed" : "";
    return el(`div.row.${row.kind}${replayed}`, { "data-o": row.o, role: "option", "aria-selected": String(chosen) },
      el("span.p", { title: "record : message" }, row.p),
      el("span.t", {}, time(row.t, 6)),
      el("span.kind", {}, row.kind),
      el("span.from", { title: `from ${row.from}` }, row.from),
      el("span", { title: `${row.method}(${row.content})` }, el("b", {}, row.kind === "timer" ? "" : row.method), " ", el("span.content", {}, row.content)));
  }

  /** Marks the chosen message without asking for anything. */
  mark() {
    this.holder.querySelector('[aria-selected="true"]')?.setAttribute("aria-selected", "false");
    this.holder.querySelector(".replayed")?.classList.remove("replayed");
    const chosen = this.state.chosen && this.elementOf(this.state.chosen.o);
    chosen?.setAttribute("aria-selected", "true");
    const replayed = !this.state.name && this.rows.find((row) => row.p === this.state.log.at);
    if (replayed) this.elementOf(replayed.o)?.classList.add("replayed");
  }

  scrollTo(row) {
    const element = this.elementOf(row.o);
    if (!element) return;
    const top = element.offsetTop - this.holder.offsetTop;
    const { scrollTop, clientHeight } = this.box;
    if (top < scrollTop + 24 || top > scrollTop + clientHeight - 72) this.box.scrollTop = top - clientHeight / 3;
  }

  /** The message so many further on among those that pass the filters. */
  async neighbour(by) {
    const chosen = this.state.chosen;
    let at = chosen ? this.rows.findIndex((row) => row.o >= chosen.o) : 0;
    if (chosen && (at < 0 || this.rows[at].o !== chosen.o) && !this.rows.some((row) => row.o === chosen.o)) {
      await this.open(chosen.o);
      at = Math.max(0, this.rows.findIndex((row) => row.o >= chosen.o));
    }
    let to = chosen ? at + by : 0;
    while (to < 0 && !this.atStart) {
      const first = this.rows[0];
      if (!await this.more(false)) break;
      to += this.rows.indexOf(first);
    }
    if (to >= this.rows.length && !this.atEnd) {
      const anchor = this.rows[at];
      await this.more(true);
      to = this.rows.indexOf(anchor) + by;
    }
    return this.rows[Math.max(0, Math.min(to, this.rows.length - 1))];
  }
}
