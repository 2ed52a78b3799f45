// How long a call is waited for: until its deadline, or until its signal says otherwise.

const LONGEST = 2147483647; // Of a timer.

/** The time in which a call must be answered. Its caller ends it. */
export class Life {
  #controller = new AbortController();
  #given;
  #timer;
  #abort;
  #until;

  constructor(signal, deadline) {
    if (!(deadline > 0) || (deadline > LONGEST && deadline !== Infinity)) {
      throw new TypeError(`deadline is a number of milliseconds up to ${LONGEST}, or Infinity`);
    }

    this.#given = signal;
    this.#until = performance.now() + deadline;
    this.#abort = () => this.#controller.abort();
    if (deadline !== Infinity) {
      this.#timer = setTimeout(this.#abort, deadline);
    }

    signal?.addEventListener("abort", this.#abort, { once: true });
    if (signal?.aborted) {
      this.#abort();
    }
  }

  /** Whether it is over. */
  get isOver() {
    return this.#controller.signal.aborted;
  }

  /** Milliseconds that are left. */
  get left() {
    return Math.max(0, this.#until - performance.now());
  }

  /** Throws the reason of the signal, if that has ended it. */
  throwIfAborted() {
    this.#given?.throwIfAborted();
  }

  end() {
    clearTimeout(this.#timer);
    this.#given?.removeEventListener("abort", this.#abort);
  }

  /** What begins with a signal, and is given up after a time, or when this is over. */
  async within(milliseconds, begin) {
    const one = new AbortController();
    const stop = () => one.abort();
    const timer = milliseconds === Infinity ? undefined : setTimeout(stop, milliseconds);
    this.#controller.signal.addEventListener("abort", stop, { once: true });
    if (this.isOver) {
      stop();
    }

    try {
      return await new Promise((done, fail) => {
        const over = () => fail(new Error("it took too long"));
        one.signal.addEventListener("abort", over, { once: true });
        if (one.signal.aborted) {
          over();
        }

        Promise.resolve().then(() => begin(one.signal)).then(done, fail);
      });
    } finally {
      clearTimeout(timer);
      this.#controller.signal.removeEventListener("abort", stop);
      one.abort(); // What was given up ends, too.
    }
  }

  /** Waits; less, if this is over before. */
  sleep(milliseconds) {
    return new Promise((done) => {
      const stop = () => {
        clearTimeout(timer);
        this.#controller.signal.removeEventListener("abort", stop);
        done();
      };
      const timer = setTimeout(stop, Math.min(milliseconds, LONGEST));
      this.#controller.signal.addEventListener("abort", stop, { once: true });
      if (this.isOver) {
        stop();
      }
    });
  }
}
