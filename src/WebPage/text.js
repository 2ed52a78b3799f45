// Small helpers. Everything that comes out of a log goes into the page as text, never as markup.

export const $ = (id) => document.getElementById(id);

/** Makes an element: el("span.kind fork", {title}, "text", child...). */
export function el(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const number = (value) => Math.round(value).toLocaleString("en-US");

/** 12,345 stays; 1,234,567 becomes 1.23 M. */
export function short(value) {
  if (value < 100000) return value < 10 && value % 1 ? value.toFixed(1) : number(value);
  return value < 1e6 ? `${(value / 1e3).toFixed(0)} k` : value < 1e9 ? `${(value / 1e6).toFixed(2)} M` : `${(value / 1e9).toFixed(2)} G`;
}

export function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  while (value >= 1024 && unit < 3) { value /= 1024; unit++; }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

export function duration(milliseconds) {
  if (milliseconds < 0.001) return "0";
  if (milliseconds < 1) return `${(milliseconds * 1000).toPrecision(3)} µs`;
  if (milliseconds < 1000) return `${+milliseconds.toPrecision(3)} ms`;
  if (milliseconds < 120000) return `${+(milliseconds / 1000).toPrecision(3)} s`;
  if (milliseconds < 7200000) return `${(milliseconds / 60000).toFixed(1)} min`;
  return milliseconds < 172800000 ? `${(milliseconds / 3600000).toFixed(1)} h` : `${(milliseconds / 86400000).toFixed(1)} d`;
}

const two = (value) => String(value).padStart(2, "0");

/** Log time is UTC everywhere in Ambrosia, and so it is here. */
export function time(milliseconds, digits = 3) {
  const date = new Date(milliseconds);
  const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  if (digits === 0) return clock;
  const part = String(Math.floor(((milliseconds % 1000) + 1000) % 1000 * 1000)).padStart(6, "0");
  return `${clock}.${part.slice(0, digits)}`;
}

export const day = (milliseconds) => new Date(milliseconds).toISOString().slice(0, 10);

/** Text of JSON with its parts in colour; numbers stay digit for digit, because nothing is parsed. */
export function json(text, parameters = []) {
  const holder = document.createDocumentFragment();
  const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;
  let from = 0;
  for (const token of text.matchAll(tokens)) {
    holder.append(text.slice(from, token.index));
    const kind = token[2] !== undefined ? "key" : token[1] !== undefined ? "string" : token[3] !== undefined ? "number" : "word";
    holder.append(el(`span.${kind}`, {}, token[1] ?? token[0]), token[2] ?? "");
    from = token.index + token[0].length;
  }
  holder.append(text.slice(from));
  return holder;
}
