// The other side of the comparison: @msgpack/msgpack. See run-with-node.sh.
import { readFileSync, writeFileSync } from "node:fs";
import { decode, encode } from "@msgpack/msgpack";

const options = { useBigInt64: true };

function* read(path) {
  const bytes = readFileSync(path);
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readInt32LE(at);
    yield bytes.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
}

function write(path, values) {
  const parts = [];
  for (const value of values) {
    const length = Buffer.alloc(4);
    length.writeInt32LE(value.length);
    parts.push(length, value);
  }
  writeFileSync(path, Buffer.concat(parts));
}

// mulberry32: small, and the same everywhere.
function generator(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const lengths = [0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 255, 256, 65535, 65536];

function random(next, depth) {
  const pick = (n) => Math.floor(next() * n);
  const length = () => lengths[pick(depth === 0 ? lengths.length : lengths.length - 2)];
  switch (pick(depth < 4 ? 9 : 7)) {
    case 0: return null;
    case 1: return pick(2) === 0;
    case 2: {
      const near = (1n << BigInt(pick(63))) + BigInt(pick(5) - 2);
      const value = pick(2) === 0 ? near : -near;
      return value > 0xffffffffn || value < -0x80000000n ? value : Number(value);
    }
    case 3: return pick(1000) - 500 + 0.25 * (1 + pick(3)) + 1e-9 * next();
    case 4: return Array.from({ length: length() }, () => ["ä", "❤", "🍺", "x", "y", "z"][pick(6)]).join("");
    case 5: return Uint8Array.from({ length: length() }, () => pick(256));
    case 6: return new Date(Math.floor((next() - 0.1) * 2 ** 44));
    case 7: return Array.from({ length: Math.min(length(), 20) }, () => random(next, depth + 1));
    default: return Object.fromEntries(Array.from({ length: Math.min(length(), 20) }, (_, i) => ["k" + i, random(next, depth + 1)]));
  }
}

const [command, first, second, third] = process.argv.slice(2);
switch (command) {
  case "reencode": // FROM TO: what we wrote, decoded and encoded by the other implementation
    write(second, [...read(first)].map((bytes) => encode(decode(bytes, options), options)));
    break;
  case "write": { // FILE SEED COUNT
    const next = generator(Number(second));
    write(first, Array.from({ length: Number(third) }, () => encode(random(next, 0), options)));
    break;
  }
  case "shape": { // FILE: what an order looks like to another language
    const order = decode([...read(first)][0]);
    const keys = Object.keys(order).join(",");
    const fits = keys === "Id,Customer,Count,Total,At,Paid,Note,Parcel,Payment" && order.At instanceof Date && typeof order.Total === "string"
      && order.Parcel.length === 3 && order.Parcel[1] === null && (order.Payment === null || order.Payment.length === 2);
    if (!fits) { console.error(order); process.exit(1); }
    break;
  }
  default:
    console.error("reencode FROM TO | write FILE SEED COUNT | shape FILE");
    process.exit(64);
}
