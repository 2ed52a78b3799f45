// Keys: a call is the same call each time that it is sent with its key. A key says when it was made.

const WINDOW = 512; // How far calls of a line may be ahead of the first that is open: an address keeps twice as many.
const MOST_KEPT = 16384; // Beyond so many answers, or bytes of them, each call has a line of its own, where it holds up no others:
const MOST_KEPT_BYTES = 4 << 20; // an address keeps 25 MiB for a caller.
const IDLE = 5 * 60 * 1000; // An address whose table is full forgets a line after ten minutes.
// The instance that a key is for: one without a log knows no key of the start before (outside-calls.md X27).
const OF_INSTANCE = /\s*;\s*id="[0-9a-f]{32}"/;
const ID = /^[0-9a-f]{32}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const ULID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i;
const QUOTED = /^"(?:[ !#-[\]-~]|\\["\\])+"(?:\s*;\s*[tn]=@?[0-9.]+|\s*;\s*low=[0-9]+)*$/;

/** A key that no other call has, made now: a UUIDv7. */
export function newKey(now = Date.now()) {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  for (let i = 0, rest = Math.floor(now); i < 6; i++) {
    bytes[5 - i] = rest % 256;
    rest = Math.floor(rest / 256);
  }

  bytes[6] = 0x70 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  const text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}

/** A key as the header has it. */
export function keyText(key) {
  if (typeof key === "string") {
    const rest = key.replace(OF_INSTANCE, "");
    if (UUID.test(rest) || ULID.test(rest) || QUOTED.test(rest)) {
      return key;
    }

    throw new TypeError(`${JSON.stringify(key)} does not say when it was made: { name: ${JSON.stringify(key)}, made: order.made } does`);
  }

  const { name, made, instance } = key ?? {};
  if (typeof name !== "string" || !/^[ -~]{1,255}$/.test(name)) {
    throw new TypeError("the name of a key has from 1 to 255 characters of visible ASCII");
  }

  const at = made instanceof Date ? made.getTime() : made;
  if (!Number.isSafeInteger(at) || at < 1e11 || at > 253402300799999) {
    throw new TypeError("a key says when its wish arose: made is a Date, or milliseconds since 1970");
  }

  if (instance !== undefined && !ID.test(instance)) {
    throw new TypeError("instance of a key is the id of one: 32 hexadecimal digits, as GET /v1/instance tells it");
  }

  const rest = String(at % 1000).padStart(3, "0");
  return keyFor(`"${name.replace(/["\\]/g, "\\$&")}";t=${Math.floor(at / 1000)}${rest === "000" ? "" : `.${rest}`}`, instance);
}

/** A key that names the instance that it is for, if that is known. */
export const keyFor = (text, instance) => instance === undefined ? text : `${text};id="${instance}"`;

/**
 * Numbered calls under few keys. Each says up to which number all have ended, so that no answer is kept for which nobody will ask.
 */
export class Lines {
  #now;
  #lines = [];

  constructor(now) {
    this.#now = now;
  }

  /** A new call, of the line that has most to tell. */
  begin() {
    const now = this.#now();
    this.#lines = this.#lines.filter((line) => line.open.size > 0 || Math.abs(now - line.used) <= IDLE);
    const alone = this.#keepsMany();
    let [line] = this.#lines.filter((each) => each.last + 1 - low(each) <= WINDOW && Math.abs(now - each.used) <= IDLE
      && !(alone && each.open.size > 0)).sort((one, other) => untold(other) - untold(one)); // The order of equal ones stays.
    if (line === undefined) {
      line = { id: newKey(now), last: 0, told: 0, open: new Set(), kept: new Map(), used: now };
      this.#lines.push(line);
    }

    const n = ++line.last;
    line.open.add(n);
    line.used = now;
    line.told = low(line); // This call tells it.
    return {
      isFirst: n === 1,
      lasting: `"${line.id}";n=${n}`,
      text: () => `"${line.id}";n=${n};low=${low(line)}`,
      end: (size = 0) => end(line, n, size),
      leave: () => { this.#lines = this.#lines.filter((each) => each !== line); },
    };
  }

  // Calls that take long make the address keep the answers of others.
  #keepsMany() {
    let [calls, bytes] = [0, 0];
    for (const line of this.#lines) {
      calls += line.kept.size;
      for (const size of line.kept.values()) {
        bytes += size;
      }
    }

    return calls >= MOST_KEPT || bytes >= MOST_KEPT_BYTES;
  }
}

function end(line, n, size) {
  line.open.delete(n);
  line.kept.set(n, size);
  const through = low(line);
  for (const each of n <= through ? line.kept.keys() : []) { // Else an earlier call holds them up as before.
    if (each <= through) {
      line.kept.delete(each);
    }
  }
}

const untold = (line) => low(line) - line.told;
const low = (line) => line.open.size === 0 ? line.last : line.open.values().next().value - 1;
