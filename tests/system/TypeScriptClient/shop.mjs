// The shop of these tests: its coordinator and its app, each a process that a test may kill, and its package.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { pathToFileURL } from "node:url";

const root = process.env.AMBROSIA_ROOT;
const bin = "bin/Release/net8.0";
const DEADLINE = 60000;
const children = new Set();
let passed = 0;
let failed = 0;

/** Starts a program. */
export function start(program, args, scratch) {
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, AMBROSIA_HOME: `${scratch}/home`, XDG_RUNTIME_DIR: scratch, DOTNET_TieredPGO: "0" },
  });
  children.add(child);
  child.said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => { child.said += text; });
  }

  child.ended = new Promise((done) => child.on("exit", (code) => { children.delete(child); done(code); }));
  return child;
}

/** A port that was free a moment ago. */
export async function freePort() {
  const server = createServer();
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

/** A shop. */
export class Shop {
  constructor(scratch, port, more = []) {
    Object.assign(this, { scratch, port, more, address: `http://127.0.0.1:${port}`, kills: 0 });
    mkdirSync(scratch, { recursive: true });
  }

  startCoordinator() {
    this.coordinator = start(`${root}/src/ImmortalCoordinator/${bin}/Ambrosia.ImmortalCoordinator`, [
      "--instance-name", "shop", "--binding-socket", `${this.scratch}/shop.sock`, "--ingress", `127.0.0.1:${this.port}`, ...this.more,
    ], this.scratch);
  }

  startApp() {
    this.app = start(`${root}/tests/system/TypeScriptClient/${bin}/TypeScriptClient`, [
      "--instance-name", "shop", "--binding-socket", `${this.scratch}/shop.sock`, "--on-coordinator-exit", "wait",
    ], this.scratch);
  }

  async startAll() {
    this.startCoordinator();
    this.startApp();
    await until(async () => {
      try {
        return (await fetch(`${this.address}/openapi.json`)).ok;
      } catch {
        return false;
      }
    }, () => `${this.coordinator.said}\n${this.app.said}`);
    return this;
  }

  /** Makes the package, and loads it. */
  async client(name) {
    const folder = `${this.scratch}/node_modules/${name}`;
    const made = await run(`${root}/src/Ambrosia/${bin}/ambrosia`, [
      "client", "typescript", "--from", this.address, "--output", folder, "--name", name,
    ], this.scratch);
    return { folder, made, ...await import(pathToFileURL(`${folder}/index.js`).href) };
  }

  async kill(child) {
    child.kill("SIGKILL");
    this.kills++;
    await child.ended;
  }

  async stop() {
    await Promise.all([this.app, this.coordinator].map((child) => { child.kill("SIGKILL"); return child.ended; }));
  }
}

/** Waits until something is so. */
export async function until(test, told = () => "") {
  for (const end = Date.now() + DEADLINE; !await test();) {
    if (Date.now() > end) throw new Error(`it did not happen in time: ${told()}`);
    await new Promise((next) => setTimeout(next, 50));
  }
}

/** Runs a program to its end. */
export async function run(program, args, scratch, expected = 0) {
  const child = start(program, args, scratch);
  const code = await child.ended;
  if (code !== expected) throw new Error(`${program} ${args.join(" ")} ended with ${code}: ${child.said}`);
  return child.said;
}

export async function check(sentence, test) {
  try {
    const said = await test();
    passed++;
    console.log(`ok      ${sentence}${typeof said === "string" ? ` (${said})` : ""}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${sentence}: ${error.stack ?? error}`);
  }
}

export function equal(actual, expected, what) {
  const text = (value) => JSON.stringify(value, (_, each) => typeof each === "bigint" ? `${each}n` : each);
  if (text(actual) !== text(expected)) throw new Error(`${what}: expected was ${text(expected)}, there is ${text(actual)}`);
}

/** What something throws. */
export async function thrown(begin) {
  try {
    await begin();
  } catch (error) {
    return error;
  }

  throw new Error("nothing was thrown");
}

/** Ends what is left, and tells the counts. */
export function finish() {
  for (const child of children) child.kill("SIGKILL");
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
