// Calls of one immortal, each sent with its key until there is an answer.

import { CallError, CallFailed, CallNotAnswered, CallRefused } from "./errors.js";
import { INSTANCE, Meaning, ask, isForgotten, read, tooOld } from "./http.js";
import { Lines, keyFor, keyText, newKey } from "./keys.js";
import { Life } from "./life.js";
import { decode, encode, t } from "./values.js";

const DEADLINE = 60000;
const WAIT = 25000; // One try waits so long there,
const PATIENCE = 10000; // and so much longer here.
// As Node.js names them; a browser names none. What a kept connection says while it is used tells nothing.
const BEFORE_SENDING = /^(connect|getaddrinfo)$/;
const NOT_TRUSTED = /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT|HOSTNAME_MISMATCH)/;
const OF_CLIENT = ["token", "deadline", "instance", "fetch", "now"];
const OF_CALL = ["key", "signal", "deadline"];
const OF_QUERY = ["atLeast", "signal", "deadline"];
const AGAIN = 1000; // Between two streams of a watch, at least.
const OF_WAIT = ["signal", "deadline"];

/** Makes the object whose members are the methods of an immortal. */
export function connectTo(contract, addresses, options) {
  const client = new Client(contract, addresses, options ?? {});
  return Object.freeze(Object.fromEntries(contract.methods.map((method) => [method.as, methodOf(client, method)])));
}

/** Completes an awakeable. The address is the permission. */
export async function complete(url, value, options) {
  await toAwakeable(url, JSON.stringify(encode(t.json, value)), "complete", options);
}

/** Rejects an awakeable. */
export async function reject(url, reason, options) {
  const text = String(url);
  await toAwakeable(`${text.replace(/\/$/, "")}/reject`, JSON.stringify(reason === undefined ? {} : { reason }), "reject", options);
}

function methodOf(client, method) {
  const call = (args, options) => client.call(method, args, options, false);
  call.send = (args, options) => client.call(method, args, options, true);
  call.answer = (key, options) => client.answer(method, key, options);
  if (method.overloads.some((each) => each.query)) {
    call.query = (args, options) => client.query(method, args, options);
    call.watch = (args, options) => client.watch(method, args, options);
  }

  return Object.freeze(call);
}

async function toAwakeable(url, body, method, options = {}) {
  known(options, [...OF_WAIT, "fetch"], "of an awakeable");
  const target = urlOf(url, () => "that is not the URL of an awakeable"); // Not repeated: the URL is the permission.
  const life = new Life(options.signal, options.deadline ?? DEADLINE);
  const call = { method, repeats: true, url: () => target.href, headers: () => jsonHeaders(), verb: "POST", body };
  try {
    await repeat(new Places([target.origin]), { fetch: options.fetch ?? ((to, init) => globalThis.fetch(to, init)) }, call, life);
  } finally {
    life.end();
  }
}

class Client {
  #contract;
  #options;
  #places;
  #lines;
  #now;
  #instance;
  #path;
  #id; // Of an instance that keys must name, as it was told last. Not known again after a connection that failed: it may be another one.

  constructor(contract, addresses, options) {
    known(options, OF_CLIENT, "of connect");
    this.#contract = contract;
    this.#options = { deadline: DEADLINE, ...options, fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)) };
    this.#places = new Places((Array.isArray(addresses) ? addresses : [addresses]).map(addressOf));
    this.#now = options.now ?? Date.now;
    this.#lines = new Lines(this.#now);
    this.#instance = encodeURIComponent(options.instance ?? contract.instance);
    this.#path = `/v1/immortals/${this.#instance}/`;
  }

  async call(method, args, options = {}, sends) {
    known(options, OF_CALL, "of a call");
    if (Object.hasOwn(options, "key") && options.key === undefined) { // As of a misspelt member: the call would get a new key each time.
      throw new TypeError(`${method.name}: key is undefined. Leave it out for a key of its own; null sends the call without one`);
    }

    if (sends && options.key === null) {
      throw new TypeError(`${method.name}: a call that is only sent needs a key, or nobody could ask for its answer`);
    }

    const overload = overloadOf(method, args);
    const body = JSON.stringify(encode(overload.arguments, args ?? {}));
    const own = options.key === null ? undefined : options.key !== undefined ? keyText(options.key) : sends ? newKey(this.#now()) : undefined;
    const life = new Life(options.signal, options.deadline ?? this.#options.deadline);
    try {
      for (;;) {
        const numbered = options.key === undefined && !sends ? this.#lines.begin() : undefined;
        const call = this.#callOf(method, body, numbered?.lasting ?? own, numbered?.text ?? (() => own), sends, options.key === undefined);
        try {
          const { value } = await repeat(this.#places, this.#options, call, life);
          numbered?.end(call.reply.size);
          return sends ? call.key : overload.result === undefined ? undefined : decode(overload.result, value);
        } catch (error) {
          const isTooOld = options.key === undefined && isForgotten(error) && !call.arrived;
          endOf(numbered, call, error);
          if (!isTooOld) {
            throw error;
          }

          numbered?.leave(); // The line is forgotten, and no copy of the call can have run: another line takes it.
          if (numbered?.isFirst !== false) {
            throw tooOld(call, call.reply);
          }
        }
      }
    } finally {
      life.end();
    }
  }

  async answer(method, key, options = {}) {
    known(options, OF_WAIT, "of an answer");
    const text = keyText(key);
    const path = `/v1/calls/${encodeURIComponent(text)}?method=${encodeURIComponent(method.name)}&instance=${this.#instance}`;
    const { value } = await this.#get(method, text, options, (wait) => `${path}&wait=${wait}ms`);
    return method.overloads.length > 1 || method.overloads[0].result === undefined ? value : decode(method.overloads[0].result, value);
  }

  async query(method, args, options = {}) {
    known(options, OF_QUERY, "of a query");
    const overload = overloadOf(method, args);
    const sent = encodeURIComponent(JSON.stringify(encode(overload.arguments, args ?? {})));
    const least = options.atLeast === undefined ? "" : `&at-least=${BigInt(options.atLeast)}`;
    const path = `${this.#path}${encodeURIComponent(method.name)}?args=${sent}${least}`;
    const { value, reply } = await this.#get(method, undefined, options, (wait) => `${path}&wait=${wait}ms`);
    return { value: overload.result === undefined ? undefined : decode(overload.result, value), record: BigInt(reply.headers.get("ambrosia-record") ?? 0) };
  }

  // Each stream begins where the one before has ended. What differs in nothing from the answer before is told once.
  async *watch(method, args, options = {}) {
    known(options, OF_QUERY, "of a watch");
    const overload = overloadOf(method, args);
    const sent = encodeURIComponent(JSON.stringify(encode(overload.arguments, args ?? {})));
    const path = `${this.#path}${encodeURIComponent(method.name)}?args=${sent}&at-least=`;
    let record = BigInt(options.atLeast ?? 0);
    let events, instance, last, began;
    const cancel = () => events?.cancel();
    options.signal?.addEventListener("abort", cancel, { once: true });
    try {
      for (;;) {
        if (events === undefined) {
          const pause = began === undefined ? 0 : AGAIN - (performance.now() - began);
          began = performance.now();
          const reply = await this.#open(method, options, pause, instance, (wait) => `${path}${record}&wait=${wait}ms`);
          events = reply.events;
          instance ??= reply.headers.get(INSTANCE) ?? undefined; // Records are those of one instance, not of another under its name.
          if (options.signal?.aborted) cancel(); // While it was opened there was nothing to cancel.
        }

        const event = await events.next();
        options.signal?.throwIfAborted();
        if (event?.event === "problem") {
          throw problemOf(event.data, method.name);
        }

        if (event === undefined) {
          cancel();
          events = undefined;
          continue;
        }

        record = BigInt(event.id ?? record);
        if (event.data !== last) {
          last = event.data;
          const value = JSON.parse(event.data);
          yield { value: overload.result === undefined ? undefined : decode(overload.result, value), record };
        }
      }
    } finally {
      options.signal?.removeEventListener("abort", cancel);
      cancel();
    }
  }

  async #open(method, options, pause, instance, path) {
    const life = new Life(options.signal, options.deadline ?? this.#options.deadline);
    try {
      await (pause > 0 ? life.sleep(pause) : undefined);
      const { reply } = await repeat(this.#places, this.#options, {
        method: method.name, verb: "GET", repeats: true, streams: true, url: (address, wait) => address + path(wait),
        headers: () => ({ Accept: "text/event-stream", ...(instance === undefined ? {} : { [INSTANCE]: instance }) }),
      }, life);
      return reply.events === undefined ? refuseToWatch(method.name) : reply;
    } finally {
      life.end();
    }
  }

  async #get(method, key, options, path) {
    const life = new Life(options.signal, options.deadline ?? this.#options.deadline);
    try {
      return await repeat(this.#places, this.#options, {
        method: method.name, key, verb: "GET", repeats: true, url: (address, wait) => address + path(wait), headers: () => ({}),
      }, life);
    } finally {
      life.end();
    }
  }

  #callOf(method, body, key, header, sends, learns) {
    const path = `${this.#path}${encodeURIComponent(method.name)}?${sends ? "mode=send&" : ""}`;
    return {
      method: method.name, body, verb: "POST", repeats: key !== undefined, sends, now: this.#now, learns, id: learns ? this.#id : undefined,
      get key() { return key === undefined ? undefined : keyFor(key, this.id); },
      url: (address, wait) => `${address}${path}wait=${wait}ms`,
      headers() { const text = header(); return jsonHeaders(text === undefined ? undefined : keyFor(text, this.id)); },
      tell: (id) => { this.#id = id; },
    };
  }
}

function refuseToWatch(method) {
  throw new CallRefused(`${method}: the coordinator at this address is of an earlier version, and lets nobody watch`, { method });
}

// What the query has thrown, mostly.
function problemOf(data, method) {
  const json = JSON.parse(data);
  return read({ status: json.status, headers: new Headers(), kind: "application/problem+json", json }, { method, verb: "GET" }).error;
}

// A key that its caller has been told stays open, so that it may be sent again. What else has ended, nobody will ask for.
function endOf(numbered, call, error) {
  const isOpen = error instanceof CallError && !(error instanceof CallFailed)
    && (error instanceof CallNotAnswered || error.mayHaveRun || call.arrived);
  if (isOpen) {
    numbered?.leave();
  } else {
    numbered?.end(call.reply?.size);
  }
}

/** The addresses of one immortal, of which one is asked until it fails. */
class Places {
  #addresses;
  #at = 0;

  constructor(addresses) {
    if (addresses.length === 0) {
      throw new TypeError("there is no address");
    }

    this.#addresses = addresses;
  }

  get count() {
    return this.#addresses.length;
  }

  get address() {
    return this.#addresses[this.#at];
  }

  // Many calls fail at once: one step away from the one that has failed.
  leave(address) {
    if (address === this.address) {
      this.#at = (this.#at + 1) % this.count;
    }
  }
}

async function repeat(places, options, call, life) {
  call.arrived = false;
  for (let failures = 0, elsewhere = 0, untrusted = 0, isRenewed = false, last; ; failures++) {
    throwIfOver(call, life, last);
    const address = places.address;
    const began = performance.now();
    let said;
    try {
      const reply = await tryOnce(address, options, call, life);
      call.reply = reply;
      said = { reply, ...read(reply, call) };
    } catch (error) {
      const reason = error?.cause?.errors?.[0] ?? error?.cause;
      const isNotTrusted = NOT_TRUSTED.test(reason?.code ?? "");
      const isNotSent = isNotTrusted || BEFORE_SENDING.test(reason?.syscall ?? "") || reason?.code === "UND_ERR_CONNECT_TIMEOUT";
      if (!isNotSent && !error?.isOfToken) {
        call.arrived = true; // For all that anybody can say.
      }

      throwIfOver(call, life, last ?? error);
      if (isNotTrusted && !call.arrived && ++untrusted >= places.count) {
        throw notTrusted(call, address, error.cause);
      }

      if (error?.isOfToken) {
        throw call.arrived && call.verb === "POST" ? notAnswered(call, "there is no token for another try", error.cause) : error.cause;
      }

      said = { meaning: Meaning.lost, detail: error?.cause?.message ?? error?.message, cause: error, isNotSent, after: 0 };
    }

    last = said.cause ?? said.error ?? last;
    switch (said.meaning) {
      case Meaning.answer: return said;
      case Meaning.accepted:
        call.arrived = true;
        if (call.sends) {
          return said;
        }

        if (!call.repeats) {
          throw notAnswered(call, "it is in the log, and there was no answer in time; without a key nobody can ask for it", undefined);
        }

        failures = performance.now() - began > 1000 ? -1 : failures;
        break;
      case Meaning.token:
        if (typeof options.token !== "function" || isRenewed) {
          throw said.error;
        }

        isRenewed = true;
        continue;
      case Meaning.elsewhere:
        if (++elsewhere >= places.count) {
          throw said.error;
        }

        places.leave(address);
        continue;
      case Meaning.named: // Without an id it cannot have run where one must be named; what was sent under another one may have.
        call.tell?.(said.id);
        if (!call.learns || said.id === undefined || said.id === call.id || (call.id !== undefined && call.arrived)) {
          throw said.error;
        }

        call.id = said.id;
        break;
      case Meaning.later:
        if (!call.repeats) {
          throw said.error;
        }

        failures = Math.max(failures, places.count);
        break;
      case Meaning.lost:
        call.arrived ||= !said.isNotSent;
        call.tell?.(undefined);
        if (!call.repeats) {
          throw said.isRefusal ? said.error : notAnswered(call, said.detail, said.cause);
        }

        places.leave(address);
        break;
      default: throw said.error;
    }

    await life.sleep(Math.max(pause(failures - places.count), said.after ?? 0));
  }
}

async function tryOnce(address, options, call, life) {
  const wait = Math.max(100, Math.min(WAIT, Math.floor(life.left)));
  return await life.within(wait + PATIENCE, async (signal) => {
    const headers = call.headers();
    const token = await tokenOf(options);
    if (token !== undefined) {
      headers.Authorization = `Bearer ${token}`;
    }

    return await ask(options.fetch, call.url(address, wait), { method: call.verb, headers, body: call.body, streams: call.streams }, signal);
  });
}

async function tokenOf({ token }) {
  if (typeof token !== "function") {
    return token;
  }

  try {
    return await token();
  } catch (error) {
    throw Object.assign(new Error("there is no token", { cause: error }), { isOfToken: true });
  }
}

function throwIfOver(call, life, last) {
  if (life.isOver) {
    life.throwIfAborted();
    throw notAnswered(call, `there was no answer within the deadline. Last of all: ${last?.cause?.message ?? last?.message ?? "nothing"}`, last);
  }
}

function notAnswered(call, detail, cause) {
  // A browser tells a page no more of an address that it may not call than of one that is not there.
  const hint = cause instanceof TypeError && globalThis.document !== undefined ? ". Does the address list this page in --ingress-origins?" : "";
  const outcome = call.verb === "GET" ? "" : call.arrived ? ". It may have run, and it may still run"
    : call.reply !== undefined ? ". It was refused each time, and has not run" : ". This call has sent nothing";
  return new CallNotAnswered(`${call.method}: ${detail ?? "no answer"}${outcome}${hint}`, {
    method: call.method, key: call.key, cause, mayHaveRun: call.verb === "GET" ? call.key !== undefined : call.arrived,
  });
}

function notTrusted(call, address, cause) {
  const advice = "Node.js takes an authority of your own from NODE_EXTRA_CA_CERTS=ca.pem";
  return new CallRefused(`${call.method}: the certificate of ${address} is not trusted: ${cause.message}. This call has sent nothing. ${advice}`,
    { method: call.method, key: call.key, cause });
}

// Longer each time, and never as long as another one.
const pause = (rounds) => rounds < 0 ? 0 : Math.min(2000, 50 * 2 ** Math.min(rounds, 10)) * (0.5 + Math.random() / 2);

function overloadOf(method, args) {
  if (args !== undefined && (typeof args !== "object" || args === null || Array.isArray(args))) {
    throw new TypeError(`${method.name} takes its arguments as one object, by their names`);
  }

  const given = Object.keys(args ?? {}).filter((name) => args[name] !== undefined);
  return method.overloads.find((each) => each.required.every((name) => given.includes(name))
    && given.every((name) => Object.hasOwn(each.arguments.members, name))) ?? method.overloads[0];
}

function known(options, names, where) {
  const stray = Object.keys(options ?? {}).find((name) => !names.includes(name));
  if (stray !== undefined) {
    throw new TypeError(`${JSON.stringify(stray)} is no option ${where}; there are ${names.join(", ")}`);
  }
}

function urlOf(text, says) {
  try {
    return new URL(text, globalThis.location?.href);
  } catch {
    throw new TypeError(`${says()}; one begins with http:// or https://`);
  }
}

function addressOf(address) {
  const url = urlOf(address, () => `${String(address)} is not the address of an immortal`);
  if ((url.protocol !== "http:" && url.protocol !== "https:") || url.search || url.hash || url.username) {
    throw new TypeError(`${url.href} is no address of an immortal; one is http://127.0.0.1:8080 or https://shop.example`);
  }

  return url.href.replace(/\/+$/, "");
}

const jsonHeaders = (key) => key === undefined ? { "Content-Type": "application/json" } : { "Content-Type": "application/json", "Idempotency-Key": key };
