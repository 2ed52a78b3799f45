// One try of a call over fetch, and what its answer means.

import { Events } from "./events.js";
import { CallFailed, CallNotAnswered, CallRefused } from "./errors.js";

const NOT_FOUND = "IC-7010";
export const INSTANCE = "Ambrosia-Instance-Id";
const EVENTS = "text/event-stream";
const UNAVAILABLE = ["IC-7007", "IC-7016"];
const FORGOTTEN = "IC-7004";
const FROM_THE_FUTURE = "IC-7008";
const OUTCOME_UNKNOWN = "IC-7012";
const FAILED = "IC-7011";
const OTHER_CALL = "IC-7003";
const NO_INSTANCE = "IC-7028";
const OTHER_INSTANCE = "IC-7022";
const HAS_RUN = ["IC-7005", OTHER_INSTANCE]; // Once, and its answer is kept no more; or at an instance that is there no more.

/** What a try has brought. */
export const Meaning = Object.freeze({ answer: 1, accepted: 2, token: 3, later: 4, elsewhere: 5, lost: 6, error: 7, named: 8 });

/** Asks once. Throws if there is no answer at all. What streams lives on when its beginning is there. */
export async function ask(fetch, url, request, signal) {
  if (!request.streams) {
    return await whole(await send(fetch, url, request, signal));
  }

  const stop = new AbortController();
  const end = () => stop.abort();
  signal.addEventListener("abort", end, { once: true });
  const response = await send(fetch, url, request, stop.signal);
  const kind = kindOf(response);
  if (response.status !== 200 || kind !== EVENTS) {
    return await whole(response);
  }

  signal.removeEventListener("abort", end);
  return { status: 200, headers: response.headers, kind, size: 0, events: new Events(response, stop) };
}

const send = (fetch, url, request, signal) => fetch(url, {
  method: request.method, headers: request.headers, body: request.body, signal, redirect: "manual", credentials: "omit", cache: "no-store",
});

const kindOf = (response) => (response.headers.get("content-type") ?? "").split(";")[0].trim().toLowerCase();

async function whole(response) {
  const text = response.type === "opaqueredirect" ? "" : await response.text();
  const kind = kindOf(response);
  return { status: response.status, type: response.type, headers: response.headers, kind, size: text.length, ...parsed(text, kind) };
}

/** What it means, and the error if it is one that ends the call. */
export function read(reply, call) {
  const { status, json: said } = reply;
  if (reply.type === "opaqueredirect" || (status >= 300 && status < 400)) {
    return refused(call, reply, "the address sends callers elsewhere, and a call is not sent there: give that address");
  }

  if (reply.events !== undefined) {
    return { meaning: Meaning.answer, value: reply.events };
  }

  if (status >= 200 && status < 300) {
    return status === 204 ? { meaning: Meaning.answer, value: undefined }
      : reply.kind !== "application/json"
        ? refused(call, reply, `the address answers with ${reply.kind || "something"} and not with JSON: is it the one for calls?`)
        : said === undefined ? { meaning: Meaning.lost, detail: "an answer that ends early" }
        : status === 202 ? { meaning: Meaning.accepted } : { meaning: Meaning.answer, value: said };
  }

  const code = typeof said?.code === "string" ? said.code : "";
  if (status === 422 && (said?.exception || code === FAILED)) { // That of a query has its text only.
    const exception = said.exception ?? { type: "", message: said.detail ?? "" };
    return { meaning: Meaning.error, error: new CallFailed(exception, { ...fieldsOf(call, reply), code }) };
  }

  const detail = said?.detail ?? `HTTP ${status}`;
  return status === 401 ? { ...refused(call, reply, detail), meaning: Meaning.token }
    : status === 429 ? { ...refused(call, reply, detail), meaning: Meaning.later, after: retryAfter(reply) }
    : code === NO_INSTANCE || code === OTHER_INSTANCE
      ? { ...refused(call, reply, detail), meaning: Meaning.named, id: reply.headers.get(INSTANCE) ?? undefined }
    : code === NOT_FOUND ? { ...refused(call, reply, detail), meaning: Meaning.elsewhere }
    : UNAVAILABLE.includes(code) || (code === "" && (status >= 500 || status === 408))
      ? { ...refused(call, reply, detail), meaning: Meaning.lost, detail, isRefusal: code === "IC-7007", after: code === "" ? retryAfter(reply) : 0 }
    : code === FORGOTTEN || code === OUTCOME_UNKNOWN ? unknown(call, reply, code, detail)
    : refused(call, reply, code === FROM_THE_FUTURE ? clocks(call, reply, detail) : detail);
}

/** The refusal of a call whose key was made just now, and is too old there. */
export function tooOld(call, reply) {
  return new CallRefused(`${call.method} has not run: its key was made just now, and is too old there. ${clocks(call, reply, "")}`.trim(), {
    ...fieldsOf(call, reply), code: FORGOTTEN,
  });
}

export const isForgotten = (error) => error?.code === FORGOTTEN;

const fieldsOf = (call, reply) => ({ method: call.method, key: call.key, status: reply.status });

function parsed(text, kind) {
  if (kind !== "application/json" && kind !== "application/problem+json") {
    return {};
  }

  try {
    return { json: JSON.parse(text) };
  } catch {
    return {};
  }
}

function refused(call, reply, detail) {
  const said = reply.json ?? {};
  return {
    meaning: Meaning.error,
    error: new CallRefused(`${call.method}: ${detail}`, {
      ...fieldsOf(call, reply), code: said.code, title: said.title, detail, final: said.final,
      mayHaveRun: mayHaveRun(call, reply, said.code),
    }),
  };
}

// Of another call with the same key the answer is at an address. An answer of which nothing can be read may be that of a call that has run.
const mayHaveRun = (call, reply, code) => call.verb === "POST" && (HAS_RUN.includes(code) || (reply.status >= 200 && reply.status < 300)
  || (code === OTHER_CALL ? call.arrived && reply.headers.has("location") : call.arrived));

const unknown = (call, reply, code, detail) => ({
  meaning: Meaning.error,
  error: new CallNotAnswered(`${call.method}: ${detail}`, { ...fieldsOf(call, reply), code, final: reply.json?.final }),
});

function clocks(call, reply, detail) {
  const there = Date.parse(reply.headers.get("date") ?? "");
  const said = Number.isNaN(there) ? "" : ` It is ${new Date(there).toISOString()} there, and ${new Date(call.now?.() ?? Date.now()).toISOString()} here.`;
  return `${detail}${detail && ". "}Is the clock of this machine right?${said}`;
}

// Seconds, or a date.
function retryAfter(reply) {
  const text = reply.headers.get("retry-after") ?? "";
  const milliseconds = /^[0-9]{1,6}$/.test(text) ? text * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds) ? 0 : Math.max(0, milliseconds);
}
