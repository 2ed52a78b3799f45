// Values between JavaScript and JSON. What JavaScript would round in silence has a type that does not.

const simple = (kind) => Object.freeze({ kind });

/** Types, as the generated module names them. */
export const t = {
  json: simple("json"),
  float: simple("float"),
  integer: simple("integer"),
  large: simple("large"),
  decimal: simple("decimal"),
  time: simple("time"),
  bytes: simple("bytes"),
  nullable: (item) => ({ kind: "nullable", item }),
  list: (item) => ({ kind: "list", item }),
  tuple: (...items) => ({ kind: "tuple", items }),
  map: (item) => ({ kind: "map", item }),
  object: (members) => ({ kind: "object", members }),
  union: (cases) => ({ kind: "union", cases }),
  named: (find) => ({ kind: "named", find }),
};

/** A value as JSON has it. Throws a TypeError for what cannot be sent as it is. */
export function encode(type, value, path = "$") {
  if (value === undefined || typeof value === "function" || typeof value === "symbol") {
    throw new TypeError(`${path}: ${value === undefined ? "undefined" : typeof value} is no value`);
  }

  // A Map, a Set and their like have no members: they would be sent as {}.
  if (isObject(value) && !(value instanceof Date || value instanceof Uint8Array) && kindOf(value) !== "Object") {
    throw new TypeError(`${path}: a ${kindOf(value)} is no value; send a plain object or an array`);
  }

  switch (type.kind) {
    case "named": return encode(type.find(), value, path);
    case "nullable": return value === null ? null : encode(type.item, value, path);
    case "float": return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
    case "integer": return integer(value, path);
    case "large": return typeof value === "bigint" ? large(value) : integer(value, path);
    case "decimal": return decimal(value, path);
    case "time": return value instanceof Date ? time(value, path) : any(value, path);
    case "bytes": return value instanceof Uint8Array ? base64(value) : any(value, path);
    case "list": return Array.isArray(value) ? Array.from(value, (each, i) => encode(type.item, each, `${path}[${i}]`)) : any(value, path);
    case "tuple": return Array.isArray(value)
      ? Array.from(value, (each, i) => encode(type.items[i] ?? t.json, each, `${path}[${i}]`)) : any(value, path);
    case "map": return isObject(value) ? each(value, (name, item) => encode(type.item, item, `${path}.${name}`)) : any(value, path);
    case "object": return isObject(value) ? encodeMembers(type.members, value, path) : any(value, path);
    case "union": return isObject(value) ? encodeMembers({ $type: t.json, ...caseOf(type, value) }, value, path) : any(value, path);
    default: return any(value, path);
  }
}

/** A value from JSON. What is not of its type, as an answer that is older than the app may be, is given as it is. */
export function decode(type, value) {
  switch (type.kind) {
    case "named": return decode(type.find(), value);
    case "nullable": return value === null ? null : decode(type.item, value);
    case "float": return value === "NaN" || value === "Infinity" || value === "-Infinity" ? Number(value) : value;
    case "large": return Number.isSafeInteger(value) || (typeof value === "string" && /^-?[0-9]+$/.test(value)) ? BigInt(value) : value;
    case "decimal": return typeof value === "number" ? String(value) : value;
    case "bytes": return typeof value === "string" ? bytes(value) : value;
    case "list": return Array.isArray(value) ? value.map((each) => decode(type.item, each)) : value;
    case "tuple": return Array.isArray(value) ? value.map((each, i) => decode(type.items[i] ?? t.json, each)) : value;
    case "map": return isObject(value) ? each(value, (_, item) => decode(type.item, item)) : value;
    case "object": return isObject(value) ? each(value, (name, item) => decode(memberOf(type.members, name), item)) : value;
    case "union": {
      const members = isObject(value) ? caseOf(type, value) : undefined;
      return members === undefined ? value : each(value, (name, item) => decode(memberOf(members, name), item));
    }
    default: return value;
  }
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const kindOf = (value) => Object.prototype.toString.call(value).slice(8, -1);
const memberOf = (members, name) => Object.hasOwn(members, name) ? members[name] : t.json;
const caseOf = (type, value) => Object.hasOwn(type.cases, value.$type) ? type.cases[value.$type] : {};

// A name such as __proto__ becomes a member like any other.
const each = (value, map) => Object.fromEntries(Object.entries(value).map(([name, item]) => [name, map(name, item)]));

// Always in the order of the type: a repeat must have the same bytes. What is unknown is sent, so that it is refused.
function encodeMembers(members, value, path) {
  const names = new Set([...Object.keys(members), ...Object.keys(value)]);
  return Object.fromEntries([...names].filter((name) => Object.hasOwn(value, name) && value[name] !== undefined)
    .map((name) => [name, encode(memberOf(members, name), value[name], `${path}.${name}`)]));
}

const large = (value) => value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);

function integer(value, path) {
  if (typeof value === "bigint") {
    return large(value);
  }

  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new TypeError(`${path}: ${value} is no integer that a number holds exactly; from 2^53 on send a bigint`);
  }

  return value;
}

function decimal(value, path) {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new TypeError(`${path}: ${value} is no decimal`);
  }

  return typeof value === "bigint" ? String(value) : value;
}

function time(value, path) {
  if (Number.isNaN(value.getTime())) {
    throw new TypeError(`${path}: the date is invalid`);
  }

  return value.toISOString();
}

function any(value, path) {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return String(value);
  }

  if (typeof value === "bigint") {
    return large(value);
  }

  if (value instanceof Date) {
    return time(value, path);
  }

  if (value instanceof Uint8Array) {
    return base64(value);
  }

  return Array.isArray(value) ? Array.from(value, (item, i) => encode(t.json, item, `${path}[${i}]`))
    : isObject(value) ? encodeMembers({}, value, path) : value;
}

function base64(value) {
  let text = "";
  for (let at = 0; at < value.length; at += 0x8000) {
    text += String.fromCharCode(...value.subarray(at, at + 0x8000));
  }

  return btoa(text);
}

function bytes(text) {
  try {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    return text;
  }
}
