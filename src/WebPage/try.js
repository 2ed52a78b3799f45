// Calls from outside, tried by hand: what the instance offers, a call with a key, its answer, and the same as a command.

import { $, el, json, duration } from "./text.js";
import { recallTheme, turnTheme } from "./theme.js";

let offer = { paths: {} };
let chosen = null;
let made = 0;
let instance = ""; // Of an instance without a log keys must name the id: it tells it when it refuses one without.
let watch = null; // The events of a watched query.

/** What a schema could be filled with: a place for each member. */
function example(schema, depth = 0) {
  if (!schema || depth > 6) return null;
  if (schema.$ref) return example(offer.components?.schemas?.[schema.$ref.split("/").at(-1)], depth + 1);
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return example(choices.find((each) => each.type !== "null") ?? choices[0], depth + 1);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((each) => example(each, depth + 1)));
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== "null") : schema.type;
  switch (type) {
    case "object": return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, each]) => [name, example(each, depth + 1)]));
    case "array": return schema.items ? [example(schema.items, depth + 1)] : [];
    case "integer": case "number": return 0;
    case "boolean": return false;
    case "string": return schema.format === "date-time" ? new Date().toISOString() : "";
    default: return null;
  }
}

const newKey = () => `"try-${Date.now().toString(36)}-${++made}";t=${Math.floor(Date.now() / 1000)}${instance && `;id="${instance}"`}`;

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

const isQuery = () => Boolean(offer.paths[chosen].get);

function showCurl() {
  const key = $("key").value.trim();
  $("curl").textContent = [
    `curl -d ${quoted($("body").value.trim())} -H 'Content-Type: application/json'`,
    key ? `  -H ${quoted(`Idempotency-Key: ${key}`)}` : null,
    `  ${quoted(location.origin + chosen)}`,
  ].filter((line) => line !== null).join(" \\\n");
}

function choose(path) {
  endWatch();
  chosen = path;
  $("watch").hidden = !isQuery();
  for (const button of $("methods").children) button.setAttribute("aria-current", button.dataset.path === path);
  $("method").textContent = decodeURIComponent(path.split("/").at(-1));
  $("body").value = JSON.stringify(example(offer.paths[path].post.requestBody?.content?.["application/json"]?.schema) ?? {}, null, 2);
  $("key").value = newKey();
  $("answer").replaceChildren();
  $("took").textContent = "";
  $("call").hidden = false;
  showCurl();
}

function endWatch() {
  watch?.close();
  watch = null;
  $("watch").textContent = "Watch";
}

// The answer of now, and each one that differs, the newest first.
function turnWatch() {
  if (watch) return endWatch();
  const place = `${chosen}?args=${encodeURIComponent($("body").value.trim())}`;
  const lines = [];
  watch = new EventSource(place);
  $("watch").textContent = "Stop";
  $("took").textContent = "watches …";
  $("answer").classList.remove("failed");
  $("answer").replaceChildren();
  $("curl").textContent = `curl -N -H 'Accept: text/event-stream' \\\n  ${quoted(location.origin + place)}`;
  watch.onmessage = ({ lastEventId, data }) => {
    $("took").textContent = `since record ${lastEventId}`;
    $("answer").textContent = [data, ...lines.slice(0, 19)].join("\n");
    lines.unshift(data);
  };
  watch.addEventListener("problem", ({ data }) => {
    endWatch();
    $("answer").classList.add("failed");
    $("answer").replaceChildren(json(data));
  });
  watch.onerror = async () => {
    if (watch?.readyState !== EventSource.CLOSED) return; // It comes again by itself.
    endWatch();
    const refused = await fetch(place).catch(() => null); // A browser does not say what a refusal of events says.
    $("answer").classList.add("failed");
    $("answer").replaceChildren(refused ? json((await refused.text()).trim()) : "no answer");
    $("took").textContent = refused ? String(refused.status) : "";
  };
}

async function call(event) {
  event.preventDefault();
  endWatch();
  showCurl();
  const key = $("key").value.trim();
  const begun = performance.now();
  $("send").disabled = true;
  $("took").textContent = "waits for the answer …";
  $("answer").replaceChildren();
  try {
    const answer = await fetch(chosen, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(key ? { "Idempotency-Key": key } : {}) },
      body: $("body").value.trim(),
    });
    if (answer.headers.get("Ambrosia-Code") === "IC-7028") {
      instance = answer.headers.get("Ambrosia-Instance-Id");
      $("key").value = `${key};id="${instance}"`;
      return await call(event);
    }

    const text = await answer.text();
    $("answer").append(answer.status === 204 ? "(no result)" : answer.status === 202 ? `in the log, and not answered yet: ${answer.headers.get("Location")}` : json(text.trim()));
    $("answer").classList.toggle("failed", !answer.ok);
    $("took").textContent = `${answer.status} in ${duration(performance.now() - begun)}`;
  } catch (error) {
    $("answer").classList.add("failed");
    $("answer").textContent = `no answer: ${error.message}. The same key may be sent again.`;
    $("took").textContent = "";
  } finally {
    $("send").disabled = false;
  }
}

async function load() {
  try {
    const answer = await fetch("openapi.json");
    const text = await answer.text();
    if (answer.status === 503) throw new Error(`${JSON.parse(text).detail} …`);
    offer = JSON.parse(text);
  } catch (error) {
    $("trouble").hidden = false;
    $("trouble").textContent = error.message;
    setTimeout(load, 500);
    return;
  }

  $("trouble").hidden = true;
  $("title").textContent = offer.info.title;
  document.title = `Ambrosia: ${offer.info.title}`;
  const paths = Object.keys(offer.paths).filter((path) => offer.paths[path].post);
  $("methods").replaceChildren(...paths.map((path) =>
    el("button", { type: "button", "data-path": path, onclick: () => choose(path) }, decodeURIComponent(path.split("/").at(-1)))));
  if (paths.length) choose(paths[0]);
  else $("methods").append(el("p.soft", {}, "No method is offered: mark one with [Impulse], or start with --ingress-methods all."));
}

recallTheme();
$("theme").onclick = turnTheme;
$("call").onsubmit = call;
$("watch").onclick = turnWatch;
$("fresh").onclick = () => { $("key").value = newKey(); showCurl(); };
for (const field of ["body", "key"]) $(field).oninput = showCurl;
$("body").onkeydown = (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("call").requestSubmit(); };
await load();
document.documentElement.dataset.ready = "";
