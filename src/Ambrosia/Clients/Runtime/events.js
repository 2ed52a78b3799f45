// The server-sent events of a query that is watched.

const SILENCE = 15000; // Three signs of life are missing.
const MOST_LINE = 64 << 20;

/** Reads the events of one response. Over fetch, as EventSource shows no token. */
export class Events {
  #reader;
  #stop;
  #decoder = new TextDecoder();
  #text = ""; // What has not been looked through.
  #begun = []; // Pieces of a line that has no end yet, and how long they are together.
  #length = 0;
  #ended = false;

  constructor(response, stop) {
    this.#reader = response.body.getReader();
    this.#stop = stop;
  }

  /** The next event: its id, its name and its data; undefined at the end, whatever that has come of. */
  async next() {
    try {
      for (let fields = {}; ;) {
        const line = await this.#line();
        if (line === undefined) {
          return undefined;
        }

        if (line === "") {
          if (fields.data !== undefined) {
            return fields;
          }

          fields = {};
        } else if (line[0] !== ":") {
          const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line);
          fields[name] = name === "data" && fields.data !== undefined ? `${fields.data}\n${value}` : value;
        }
      }
    } catch {
      return undefined; // The connection has broken, or nothing has come for too long.
    }
  }

  /** Ends it. */
  cancel() {
    this.#ended = true;
    this.#stop.abort();
    this.#reader.cancel().catch(() => {});
  }

  async #line() {
    for (;;) {
      const end = this.#text.indexOf("\n");
      if (end >= 0) {
        const line = this.#begun.join("") + this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 1);
        [this.#begun, this.#length] = [[], 0];
        return line.replace(/\r$/, "");
      }

      this.#begun.push(this.#text);
      this.#length += this.#text.length;
      this.#text = "";
      const { done, value } = await this.#read();
      if (done || this.#ended || this.#length > MOST_LINE) {
        return undefined;
      }

      this.#text = this.#decoder.decode(value, { stream: true });
    }
  }

  async #read() {
    const timer = setTimeout(() => this.cancel(), SILENCE);
    try {
      return await this.#reader.read();
    } finally {
      clearTimeout(timer);
    }
  }
}
