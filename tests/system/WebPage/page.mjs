// What a person does with the page, done by a browser. Every wait is for something to be there, under a deadline; times are printed, never judged.

import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { chromium } from "playwright-core";

const root = process.env.AMBROSIA_ROOT;
const scratch = process.env.AMBROSIA_SCRATCH;
const shots = process.env.AMBROSIA_SHOTS;
const many = +process.env.AMBROSIA_MESSAGES;
const ambrosia = `${root}/src/Ambrosia/bin/Release/net8.0/ambrosia`;
const vouchers = `${root}/samples/TimeTravel/bin/Release/net8.0/Vouchers`;
const works = `${root}/tests/system/WebPage/bin/Release/net8.0/WebPage`;
const hello = `${root}/samples/HelloWorld/bin/Release/net8.0/HelloWorld`;
const DEADLINE = 60000;

const children = new Set();
let passed = 0;
let failed = 0;

function start(program, args, options = {}) {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], ...options });
  children.add(child);
  child.said = "";
  child.stdout.on("data", (text) => { child.said += text; });
  child.ended = new Promise((done) => child.on("exit", (code) => { children.delete(child); done(code); }));
  return child;
}

async function run(program, args) {
  const child = start(program, args);
  const code = await child.ended;
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}: ${child.said}`);
  return child.said;
}

async function says(child, pattern) {
  const end = Date.now() + DEADLINE;
  for (;;) {
    const match = pattern.exec(child.said);
    if (match) return match;
    if (Date.now() > end) throw new Error(`it did not say ${pattern}: ${child.said}`);
    await new Promise((next) => setTimeout(next, 20));
  }
}

async function stop(child) {
  child.kill("SIGINT");
  const slow = setTimeout(() => child.kill("SIGKILL"), 10000);
  await child.ended;
  clearTimeout(slow);
}

/** Serves a page and returns its address. */
async function serve(...args) {
  const server = start(ambrosia, ["debug", ...args.slice(0, 1), "--web", "--normal-priority", ...args.slice(1)]);
  return [server, (await says(server, /http:\S+\/page\/#token=[0-9A-F]{64}/))[0]];
}

async function freePort() {
  const server = createServer();
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

let browser;

async function open(url, dark = false) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 760 }, colorScheme: dark ? "dark" : "light" });
  page.setDefaultTimeout(DEADLINE);
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("console", (message) => { if (message.type() === "error" && !/404/.test(message.text())) page.complaints.push(message.text()); });
  page.foreign = [];
  page.on("request", (request) => { if (new URL(request.url()).origin !== new URL(url).origin) page.foreign.push(request.url()); });
  await page.goto(url);
  await page.waitForSelector("html[data-ready]");
  return page;
}

async function check(sentence, test) {
  const begun = performance.now();
  try {
    const said = await test();
    passed++;
    console.log(`ok      ${sentence}${said ? ` (${said})` : ""}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${sentence}: ${error.message} (${Math.round(performance.now() - begun)} ms)`);
  }
}

function equal(actual, expected, what) {
  if (actual !== expected) throw new Error(`${what}: expected was ${JSON.stringify(expected)}, there is ${JSON.stringify(actual)}`);
}

const quiet = (page) => { equal(page.complaints.join("; "), "", "complaints of the browser"); equal(page.foreign.join(" "), "", "requests to elsewhere"); };
const shot = async (page, name) => { if (shots) { mkdirSync(shots, { recursive: true }); await page.screenshot({ path: `${shots}/${name}.png` }); } };
const ms = (begun) => `${Math.round(performance.now() - begun)} ms`;
const content = (text) => `#details:has-text(${JSON.stringify(text)})`;

async function command(page, line) {
  await page.keyboard.press(":");
  await page.fill("#line", line);
  await page.keyboard.press("Enter");
}

// ---- the planted bug of samples/TimeTravel

async function plantedBug() {
  const evening = await run(vouchers, ["--keep", `${scratch}/vouchers`]);
  const card = /voucher (c\d+) is worth -/.exec(evening)[1];
  const [server, url] = await serve("vouchers", "--log", `${scratch}/vouchers`, "--", vouchers, "vouchers");
  const page = await open(url);
  await check("the planted bug is found: run until the voucher is worth less than nothing, and read what the message changed", async () => {
    const begun = performance.now();
    await command(page, `until state.cards.${card} < 0`);
    await page.waitForSelector(`#changed tr:has-text("state._cards.${card}")`);
    const change = await page.textContent(`#changed tr:has-text("state._cards.${card}")`);
    if (!/→ -\d+/.test(change)) throw new Error(`it changed ${change}`);
    equal((await page.textContent("#details h2")).trim(), "replyEnter", "the message");
    await page.keyboard.press("Escape");
    await shot(page, "debugging-page");
    return ms(begun);
  });
  await check("a command leaves its field empty and the keys free, and comes back with the arrow", async () => {
    await command(page, "where");
    await page.waitForFunction(() => /at/.test(document.getElementById("answer").textContent));
    equal(await page.inputValue("#line"), "", "the field");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.press("Escape");
    await page.keyboard.press(":");
    await page.keyboard.press("ArrowUp");
    equal(await page.inputValue("#line"), "where", "the last command");
    await page.keyboard.press("ArrowUp");
    equal(await page.inputValue("#line"), `until state.cards.${card} < 0`, "the one before");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    equal(await page.inputValue("#line"), "", "after the last one");
    await page.keyboard.press("Escape");
  });
  await check("a message that does not pass the filters is no longer shown beside the list", async () => {
    const chosen = await page.textContent('.row[aria-selected="true"] .kind');
    await page.waitForSelector("#session:not(.busy)");
    await page.click(`#kinds button.${chosen}`);
    await page.waitForSelector(content("does not pass the filters"));
    equal(await page.locator('.row[aria-selected="true"]').count(), 0, "chosen rows");
    await page.click(`#kinds button.${chosen}`);
    await page.waitForSelector(`#rows .row.${chosen}`);
    await command(page, `goto ${(await page.textContent("#at")).replace("at ", "")}`);
    await page.waitForSelector(`#details h2.${chosen}`);
    await page.waitForSelector("#session:not(.busy)");
  });
  await check("a filter on the voucher and the amount shows the two tills that asked before either had paid", async () => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("60");
    await page.waitForFunction(() => { const rows = document.querySelectorAll("#rows .row"); return rows.length > 0 && [...rows].every((row) => row.textContent.includes("amount: 60")); });
    const rows = await page.$$eval("#rows .row", (all) => all.map((row) => row.querySelector(".kind").textContent + " " + row.lastChild.textContent));
    equal(rows.filter((row) => row.includes(`"${card}"`)).slice(0, 2).join("; "), [1, 2].map(() => `impulse Spend card: "${card}", amount: 60`).join("; "), "rows");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.querySelectorAll("#rows .row").length > 50);
  });
  await check("step and back move the replay, and the list goes with it", async () => {
    const before = await page.textContent("#at");
    await page.keyboard.press("s");
    await page.waitForFunction((text) => document.getElementById("at").textContent !== text, before);
    const stepped = await page.textContent("#at");
    await page.waitForFunction((text) => "at " + document.querySelector('.row[aria-selected="true"] .p')?.textContent === text, stepped);
    await page.waitForSelector("#session:not(.busy)");
    await page.click("text=◀ back");
    await page.waitForFunction((text) => document.getElementById("at").textContent === text, before);
    await page.waitForSelector("#session:not(.busy)");
  });
  await check("an output is followed to the message that it became", async () => {
    await page.keyboard.press("g");
    await page.waitForSelector("#rows .row.call");
    await page.click("#rows .row.call");
    await page.waitForSelector('#details:has(h2.call) #caused .output.reply button.jump');
    const number = await page.textContent("#details dd:has-text('#'):not(:has(button))");
    await page.click("#caused button.jump");
    await page.waitForSelector("#details h2.reply");
    equal(await page.textContent("#details dd:has-text('#'):not(:has(button))"), number, "the number of the call");
  });
  await check("the time line follows the system from light to dark, lines included", async () => {
    const light = [226, 223, 216], dark = [46, 49, 56];
    const has = ([r, g, b]) => {
      const canvas = document.getElementById("canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 60 && Math.abs(data[i] - r) < 6 && Math.abs(data[i + 1] - g) < 6 && Math.abs(data[i + 2] - b) < 6) return true;
      return false;
    };
    await page.evaluate(() => { document.documentElement.className = ""; });
    equal(await page.evaluate(has, light), true, "light lines in the light");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForFunction(has, dark, { timeout: 5000 });
    equal(await page.evaluate(has, light), false, "light lines in the dark");
    await page.emulateMedia({ colorScheme: "light" });
    await page.waitForFunction(has, light, { timeout: 5000 });
  });
  await check("nothing is cut off on a narrow screen", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await shot(page, "narrow");
    const beyond = await page.evaluate(() => [...document.querySelectorAll("header *, #range *, #filters *, #rows .row > *, #details *, #bar *, #command *")]
      .filter((one) => one.tagName !== "OPTION" && one.getClientRects().length > 0 && (one.getBoundingClientRect().right > 391 || one.getBoundingClientRect().left < -1))
      .map((one) => `${one.tagName}.${one.className}#${one.id} to ${Math.round(one.getBoundingClientRect().right)}`).slice(0, 5).join(", "));
    equal(beyond, "", "what reaches beyond the edge");
    equal(await page.evaluate(() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) <= 390), true, "the width fits");
    const width = await page.evaluate(() => document.querySelector("#rows .row > :last-child").getBoundingClientRect().width);
    if (width < 120) throw new Error(`the contents have ${width} pixels`);
    await page.click("#rows .row:nth-child(2)");
    await page.waitForSelector("#session:not(.busy)");
    await page.waitForFunction(() => {
      const title = document.querySelector("#details h2");
      title?.scrollIntoView({ block: "center" });
      const box = title?.getBoundingClientRect();
      return box && box.top >= 0 && box.bottom <= innerHeight;
    });
    await page.setViewportSize({ width: 1280, height: 760 });
  });
  await check("the keys choose, open the help and leave it", async () => {
    await page.keyboard.press("g");
    await page.waitForFunction(() => document.querySelector('.row[aria-selected="true"]')?.dataset.o === "0");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowUp");
    await page.waitForFunction(() => document.querySelector('.row[aria-selected="true"]')?.dataset.o === "1");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog:not([open])", { state: "attached" });
  });
  await check("the browser had nothing to complain of, and nothing was asked for elsewhere", async () => quiet(page));
  await page.close();
  await stop(server);
}

// ---- a long log, hostile strings, two logs

async function namesBesideTheLog() {
  const folder = `${scratch}/works/store/mill`;
  const names = async () => {
    const [server, url] = await serve("mill", "--log", folder);
    const page = await open(url);
    await page.waitForSelector("#progress", { state: "hidden" });
    const methods = await page.evaluate(async () => (await (await fetch("api/log", { headers: { Authorization: `Bearer ${sessionStorage.token}` } })).json()).methods);
    await page.close();
    await stop(server);
    return methods;
  };
  await check("without an app methods have the names of the contract beside the log", async () => {
    const [most] = await names();
    equal(most.name, "Flour", "the name that the coordinator has kept");
    for (const instance of readdirSync(`${scratch}/works/store`)) {
      rmSync(`${scratch}/works/store/${instance}/contracts`, { recursive: true, force: true });
    }
    equal((await names())[0].name, String(most.id), "the name that nobody knows");
    writeFileSync(`${folder}/ImmortalContracts.txt`, `WebPage.IMill ${most.id} Flour(System.Int64,System.String)\n`);
    equal((await names())[0].name, "Flour", "the name of the contract");
    rmSync(`${folder}/ImmortalContracts.txt`);
  });
}

async function longLog() {
  let begun = performance.now();
  await run(works, ["make", `${scratch}/works`, String(many)]);
  console.log(`        a log of ${many.toLocaleString("en")} messages was made in ${ms(begun)}`);
  await namesBesideTheLog();
  begun = performance.now();
  const [server, url] = await serve("mill", "--log", `${scratch}/works/store/mill`, "--app", works + ".dll");
  const page = await open(url);
  const end = await (async () => {
    await page.waitForSelector("#progress", { state: "hidden" });
    return page.evaluate(async () => (await (await fetch("api/log", { headers: { Authorization: `Bearer ${sessionStorage.token}` } })).json()).end);
  })();
  await check("a long log is read to its end, and drawn", async () => {
    if (end < many) throw new Error(`only ${end} messages`);
    await page.waitForFunction(() => /\d/.test(document.getElementById("totals").textContent));
    return `${end.toLocaleString("en")} messages, ${ms(begun)} with the start of the server`;
  });
  await check("any place of it is near: the end, the beginning, the middle, a stretch zoomed to, a number searched for", async () => {
    const times = [];
    const timed = async (name, act, arrived) => { const from = performance.now(); await act(); await arrived(); times.push(`${name} ${ms(from)}`); };
    await timed("end", () => page.keyboard.press("G"), () => page.waitForFunction((o) => +document.querySelector('.row[aria-selected="true"]')?.dataset.o === o - 1, end));
    await timed("beginning", () => page.keyboard.press("g"), () => page.waitForFunction(() => document.querySelector('.row[aria-selected="true"]')?.dataset.o === "0"));
    const box = await (await page.$("#canvas")).boundingBox();
    await timed("middle", () => page.mouse.click(box.x + box.width / 2, box.y + 60), () => page.waitForFunction(() => +document.querySelector('.row[aria-selected="true"]')?.dataset.o > 1000));
    const zoomed = page.waitForResponse((answer) => answer.url().includes("buckets") && answer.url().includes("t0="));
    await timed("zoom", () => page.keyboard.press("+"), () => zoomed);
    await page.keyboard.press("0");
    await page.keyboard.press("g");
    await page.waitForFunction(() => document.querySelector('.row[aria-selected="true"]')?.dataset.o === "0");
    await timed("search", async () => { await page.keyboard.press("/"); await page.keyboard.type(String(many - 7)); }, () => page.waitForFunction((text) => document.querySelectorAll("#rows .row").length === 1 && document.querySelector("#rows .row").textContent.includes(text), String(many - 7)));
    await shot(page, "search");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    return times.join(", ");
  });
  await check("hostile strings are shown as what they are", async () => {
    await page.keyboard.press("g");
    await page.waitForSelector('.row:has-text("<script>document.title")');
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press("j");
      await page.waitForFunction((o) => document.querySelector('.row[aria-selected="true"]')?.dataset.o === String(o), i + 1);
    }
    await page.click('.row:has-text("<b id=planted>")');
    await page.waitForSelector(content("</textarea><b id=planted>"));
    equal(await page.$("#planted"), null, "the planted element");
    equal(await page.title(), "mill · Ambrosia", "the title");
    equal(await page.evaluate(() => document.querySelectorAll("main script, main img, aside img").length), 0, "planted elements");
  });
  await check("a request is followed from the log of the mill to that of the bakery, and its answer back", async () => {
    await page.selectOption("#method", { label: "Bake" });
    await page.click("#rows .row.reply");
    await page.waitForSelector("#details h2.reply");
    const value = await page.textContent("#details .box");
    await page.click("#details dd button.jump");
    await page.waitForFunction(() => document.title === "bakery · Ambrosia" && document.querySelector("#details h2.call"));
    const asked = await page.textContent("#details .box");
    if (!value.includes("bread of")) throw new Error(`the reply is ${value}`);
    await shot(page, "bakery");
    await page.click("#caused button.jump");
    await page.waitForFunction(() => document.title === "mill · Ambrosia" && document.querySelector("#details h2.reply"));
    equal(await page.textContent("#details .box"), value, `the answer to ${asked}`);
  });
  await check("the browser had nothing to complain of here, either", async () => quiet(page));
  await page.close();
  await stop(server);
}

// ---- an instance at work, at its coordinator's own address

async function liveTail() {
  const port = await freePort();
  const both = start(works, ["live", `${scratch}/live`, String(port)]);
  await says(both, /working/);
  const token = readFileSync(`${scratch}/live/admin-token`, "utf8").trim();
  await check("without the token the coordinator's page says what it takes, and shows nothing", async () => {
    const unauthenticated = await browser.newPage();
    await unauthenticated.goto(`http://127.0.0.1:${port}/`);
    await unauthenticated.waitForSelector("#notice:has-text('--admin-token-file')");
    equal(await unauthenticated.textContent("#totals"), "", "what it shows");
    await unauthenticated.close();
  });
  const page = await open(`http://127.0.0.1:${port}/#token=${token}`, true);
  await check("the token is in neither address nor cookies, and a reload keeps it", async () => {
    equal(page.url().includes(token), false, "the token in the address");
    equal((await page.context().cookies()).length, 0, "cookies");
    await page.reload();
    await page.waitForSelector("html[data-ready]");
  });
  await check("the coordinator's own page follows an instance under load", async () => {
    equal(await page.textContent("#badge"), "live", "the badge");
    await page.keyboard.press("t");
    await page.waitForFunction(() => document.querySelectorAll("#rows .row").length > 20);
    const last = () => Number(document.querySelector("#rows .row:last-child").dataset.o);
    const before = await page.evaluate(last);
    await page.waitForFunction((from) => Number(document.querySelector("#rows .row:last-child")?.dataset.o) > from + 500, before);
    return `${await page.evaluate(last) - before} messages further on`;
  });
  await check("the live tail says what it leaves out, and ends where one looks back", async () => {
    await page.waitForSelector("#hint.stays:has-text('earlier messages')");
    const inView = await page.evaluate(() => { const [hint, box] = ["hint", "list"].map((id) => document.getElementById(id).getBoundingClientRect()); return hint.top > box.top - 1 && hint.bottom < box.bottom + 1; });
    equal(inView, true, "the hint is in view");
    await page.click("#hint button");
    await page.waitForFunction(() => !document.getElementById("tail").checked);
    await page.waitForFunction(() => document.querySelector("#rows .row")?.dataset.o === "0");
    equal(await page.isHidden("#hint"), true, "no hint at the beginning of the log");
    await page.keyboard.press("t");
    await page.waitForSelector("#hint.stays");
    await page.hover("#list");
    await page.mouse.wheel(0, -400);
    await page.waitForFunction(() => !document.getElementById("tail").checked);
    await page.keyboard.press("t");
  });
  await check("role, rates and latency of the instance are shown", async () => {
    await page.waitForSelector('.chart:has-text("primary")');
    await page.waitForFunction(() => Number(document.querySelector('[data-chart="logged"] strong')?.textContent.replace(/[ ,kM]/g, "")) > 0);
    await page.waitForSelector('[data-chart="log_flush_duration"] strong:has-text("s")');
    await page.waitForFunction(() => document.querySelectorAll('[data-chart="logged"]').length === 1);
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.route("**/api/status*", async (route) => {
      const answer = await route.fetch(), status = await answer.json();
      const peer = status.outputs[0] ?? { total: 0, acknowledged: 0, connected: true };
      await route.fulfill({ response: answer, json: { ...status, inputs: [], outputs: ["bakery", "miller", "baker", "butcher"].map((name) => ({ ...peer, peer: name })) } });
    });
    await page.waitForSelector('.chart li:has-text("butcher")');
    const clipped = await page.evaluate(() => [...document.querySelectorAll(".chart li")].filter((row) => {
      const box = row.parentElement.getBoundingClientRect(), own = row.getBoundingClientRect();
      return own.bottom > box.bottom + 0.5 || own.bottom > innerHeight;
    }).length);
    equal(clipped, 0, "peers that are cut off");
    await page.unroute("**/api/status*");
    await page.waitForTimeout(shots ? 15000 : 0);
    await shot(page, "live");
  });
  await check("what the instance waits for is shown, opened by a key, and stays where it was read", async () => {
    await page.waitForFunction(() => / (call|timer)s?$/.test(document.querySelector("#waitsFor #waits")?.textContent ?? ""));
    await page.focus("#list");
    await page.keyboard.press("w");
    const order = await (await page.waitForSelector('#waitsFor tr:has-text("bakery: Bake"):has-text("Grind")')).textContent();
    if (!/^call \d+bakery: Bake\d{4}-\d\d-\d\d .*ZGrind$/.test(order)) throw new Error(order);
    const calls = Array.from({ length: 100 }, (_, i) => ({ number: i + 1, destination: i === 0 ? null : "bank", methodId: 7, method: "<b id=planted>x</b>", since: null, message: "", awaitedBy: "" }));
    await page.route("**/api/waiting*", (route) => route.fulfill({ json: { told: true, reason: "", lsn: performance.now(), calls: 1234, oldestCalls: calls,
      awakeables: 1, oldestAwakeables: [{ number: 999, type: "System.String", deadline: "2026-01-01T02:00:00+00:00", since: "2026-01-01T01:00:00+00:00", message: "17:3", awaitedBy: "Sign" }], timers: 0, oldestTimers: [] } }));
    await page.waitForSelector('#waitsFor p:text-is("1,234 calls, 1 awakeable")');
    await page.waitForSelector('#waitsFor tr:has-text("and 1,134 later calls")');
    await page.waitForSelector('#waitsFor tr:has-text("awakeable 999"):has-text("2026-01-01 02:00:00Z")');
    equal(await page.locator("#planted").count(), 0, "markup of an app");
    await page.focus("#waitsFor .waiting");
    const box = await page.$("#waitsFor .waiting");
    await box.evaluate((element) => { element.scrollTop = 400; });
    await page.waitForResponse((answer) => /api\/waiting/.test(answer.url()));
    await page.waitForResponse((answer) => /api\/status/.test(answer.url()));
    await page.waitForResponse((answer) => /api\/waiting/.test(answer.url()));
    equal(await box.evaluate((element) => `${element.isConnected} ${element.scrollTop} ${document.activeElement === element}`), "true 400 true", "the box that is read");
    const tones = await box.evaluate((element) => [getComputedStyle(element).backgroundColor, getComputedStyle(element.querySelector("td")).color]);
    const light = (tone) => tone.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + +part, 0);
    if (!(light(tones[0]) < 200 && light(tones[1]) > 400)) throw new Error(`colours in the dark: ${tones.join(" on ")}`);
    await shot(page, "waits-for");
    await page.unroute("**/api/waiting*");
    await page.route("**/api/waiting*", (route) => route.fulfill({ json: { told: false, reason: "this app does not say" } }));
    await page.waitForSelector('#waitsFor #waits:text-is("this app does not say")');
    await page.unroute("**/api/waiting*");
    await page.waitForSelector('#waitsFor tr:has-text("bakery: Bake")');
    await page.focus("#list");
    await page.keyboard.press("w");
    await page.waitForFunction(() => document.querySelector("#waitsFor .waiting") === null);
  });
  await check("the coordinator's page moves nothing", async () => {
    equal(await page.isHidden("#session"), true, "the replay's buttons");
    const post = (path, headers) => page.evaluate(async ([to, shown]) => (await fetch(to, { method: "POST", headers: shown })).status, [path, headers]);
    const headers = { Authorization: `Bearer ${token}` };
    equal(await post("api/command?line=step", headers), 409, "a command");
    equal(await post("api/log", headers), 405, "a POST");
    equal(await post("api/log", {}), 401, "a POST without the token");
    page.complaints = page.complaints.filter((text) => !/40[159]/.test(text));
    quiet(page);
  });
  await page.close();
  both.stdin.end();
  equal(await both.ended, 0, "the end of the works");
}

// ---- all instances on one page

function crc32c(text) {
  let crc = ~0;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return (~crc >>> 0).toString(16).padStart(8, "0");
}

async function allInstances() {
  const home = `${scratch}/all`, at = { env: { ...process.env, AMBROSIA_HOME: home, XDG_RUNTIME_DIR: scratch } };
  mkdirSync(home, { recursive: true });
  writeFileSync(`${scratch}/app.json`, JSON.stringify({ name: "hello", immortals: {
    greeter: { program: [hello], arguments: ["greeter"] }, crowd: { program: [hello], arguments: ["crowd"] } } }));
  const app = start(ambrosia, ["run", "-f", `${scratch}/app.json`], at);
  await says(app, /all immortals are ready/);
  const top = start(ambrosia, ["top", "--web"], at);
  const [url] = await says(top, /http:\S+\/page\/all\.html#token=[0-9A-F]{64}/);
  const row = (name, text = "") => `#rows tr:has(td:first-child:text-is("${name}")):has-text("${text}")`;
  const page = await open(url, true);
  await check("the page about all instances shows each with its figures, which move", async () => {
    await page.waitForSelector(row("greeter", "primary"));
    await page.waitForSelector("#totals:text-is('2 of 2 well')");
    const durable = () => Number(document.querySelector("#rows tr:last-child td:nth-child(4)").textContent.replaceAll(",", "")); // The greeter's.
    const before = await page.evaluate(durable);
    await page.waitForFunction((from) => Number(document.querySelector("#rows tr:last-child td:nth-child(4)").textContent.replaceAll(",", "")) > from, before);
  });
  await check("keys choose an instance, whose connections are shown, and a checkpoint is taken from the page", async () => {
    await page.keyboard.press("End");
    await page.waitForSelector("#details h2:text-is('greeter')");
    await page.waitForSelector("#details td:text-is('from crowd')");
    await page.click("button:text-is('take a checkpoint')");
    await page.waitForSelector("#said:not([hidden])");
    await page.waitForFunction(() => /checkpointrecord [1-9]/.test(document.getElementById("details").textContent));
    await page.waitForSelector("#waiting h3:text-is('waits for')");
    await page.waitForFunction(() => /^(nothing|\d+ (call|timer))/.test(document.querySelector("#waiting #waits").textContent));
    await shot(page, "all-instances");
  });
  await check("what an instance waits for does not hold up the rest, and stays where it was read", async () => {
    let blocked = true;
    const timers = Array.from({ length: 100 }, (_, i) => ({ id: i + 1, due: "2026-01-01T02:00:00+00:00", awaitedBy: "Rest" }));
    await page.route("**/api/waiting*", async (route) => {
      if (blocked) await new Promise((later) => setTimeout(later, 2000));
      await route.fulfill({ json: { told: true, reason: "", lsn: 1, calls: 0, oldestCalls: [], awakeables: 0, oldestAwakeables: [], timers: 100, oldestTimers: timers } });
    });
    await page.waitForRequest(/api\/waiting/);
    await page.waitForResponse(/api\/instance\?/); // The question is open, and the others are asked.
    blocked = false;
    await page.waitForSelector("#waiting p:text-is('100 timers')");
    await page.focus("#waiting .waiting");
    const place = () => page.evaluate(() => { const box = document.querySelector("#waiting .waiting"); return `${box.scrollTop} ${document.activeElement === box}`; });
    await page.evaluate(() => { document.querySelector("#waiting .waiting").scrollTop = 300; });
    for (let i = 0; i < 2; i++) await page.waitForResponse(/api\/waiting/);
    equal(await place(), "300 true", "the box that is read");
    await page.unroute("**/api/waiting*");
  });
  await check("what is not called that is left out, and comes back", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("crow");
    await page.waitForFunction(() => document.querySelectorAll("#rows tr").length === 1);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.querySelectorAll("#rows tr").length === 2);
  });
  await check("without the token nothing is told and nothing done", async () => {
    const status = (path, method) => page.evaluate(async ([to, how]) => (await fetch(to, { method: how })).status, [path, method]);
    equal(await status("api/instances", "GET"), 401, "the list");
    equal(await status("api/checkpoint?name=greeter", "POST"), 401, "a checkpoint");
    page.complaints = page.complaints.filter((text) => !/401/.test(text));
  });
  await check("an instance that has stopped is said to have, and a thousand of them are shown", async () => {
    await stop(app);
    await page.waitForSelector(row("greeter", "stopped"));
    const begun = performance.now();
    const { row: entry } = JSON.parse(readFileSync(`${home}/catalog/.catalog/greeter.json`, "utf8"));
    for (let i = 0; i < 1000; i++) {
      const row = JSON.stringify(entry).replaceAll("greeter", `many-${i}`);
      writeFileSync(`${home}/catalog/.catalog/many-${i}.json`, `{"crc32c":"${crc32c(row)}","row":${row}}`);
    }
    await page.waitForFunction(() => document.querySelectorAll("#rows tr").length === 1002);
    const said = ms(begun);
    await page.keyboard.press("Home");
    await page.waitForSelector("#details h2:text-is('crowd')");
    return said;
  });
  page.complaints = page.complaints.filter((text) => !/409/.test(text)); // It was asked about one that was just ending.
  quiet(page);
  await page.close();
  await stop(top);
}

async function callsFromOutside() {
  const [admin, port] = [await freePort(), await freePort()];
  const both = start(works, ["live", `${scratch}/outside`, String(admin), String(port)]);
  await says(both, /working/);
  const page = await open(`http://127.0.0.1:${port}/`);
  const answer = async (pattern) => {
    await page.waitForFunction((wanted) => new RegExp(wanted).test(document.getElementById("took").textContent), pattern);
    return page.textContent("#answer");
  };
  await check("the page at the address for calls shows what is offered, with arguments to fill in", async () => {
    equal((await page.$$eval("#methods button", (all) => all.map((each) => each.textContent))).sort().join(" "), "Grind Ground", "the methods");
    await page.click("#methods button:text-is('Grind')");
    equal(await page.inputValue("#body"), '{\n  "first": 0,\n  "count": 0,\n  "label": ""\n}', "the arguments");
  });
  await check("a call is made by hand, and again with its key: the answer is the first one's, and nothing runs twice", async () => {
    await page.fill("#body", '{"first":0,"count":1,"label":"<b>by hand</b>"}');
    await page.click("#send");
    const first = await answer("^200 ");
    await page.evaluate(() => { document.getElementById("took").textContent = ""; });
    await page.click("#send");
    equal(await answer("^200 "), first, "the second answer");
    await page.evaluate(() => { document.getElementById("took").textContent = ""; });
    await page.click("#fresh");
    await page.keyboard.press("Tab");
    await page.click("#send");
    const other = await answer("^200 ");
    if (+other <= +first) throw new Error(`with a new key it answers ${other} after ${first}`);
    await shot(page, "calls-from-outside");
  });
  await check("the same as a command makes the same call", async () => {
    const seen = await page.textContent("#answer");
    const command = await page.textContent("#curl");
    equal(await run("bash", ["-c", command.replace("curl ", "curl -sS ")]), `${seen}\n`, "what curl is answered");
  });
  await check("another body with the same key is refused in the page, with what to do", async () => {
    await page.fill("#body", '{"first":0,"count":2,"label":""}');
    await page.click("#send");
    const refused = await answer("^409 ");
    if (!/IC-7003/.test(refused)) throw new Error(refused);
    page.complaints = page.complaints.filter((text) => !/409/.test(text));
  });
  await check("a query is watched: its answer of now, and the next one when a call has changed it", async () => {
    if (await page.isVisible("#watch")) throw new Error("a method that is no query could be watched");
    await page.click("#methods button:text-is('Ground')");
    await page.click("#watch");
    const now = await answer("^since record [0-9]+$");
    if (!/^[0-9]+$/.test(now)) throw new Error(`it is told ${now}`);
    const grind = JSON.stringify({ first: 0, count: 1, label: "watched" });
    await run("curl", ["-sS", "-d", grind, "-H", "Content-Type: application/json", `http://127.0.0.1:${port}/v1/immortals/mill/Grind`]);
    await page.waitForFunction((before) => { // Others grind as well.
      const told = document.getElementById("answer").textContent.split("\n").map(Number);
      return told.at(-1) === before && told.length > 1 && told.every((each, at) => at === 0 || each < told[at - 1]);
    }, +now);
    await page.click("#watch");
    equal(await page.textContent("#watch"), "Watch", "the button of what is not watched any more");
  });
  await check("a page from elsewhere may call nothing", async () => {
    const foreign = await browser.newPage();
    await foreign.goto(`http://127.0.0.1:${admin}/`);
    const told = await foreign.evaluate(async (to) => {
      try {
        return String((await fetch(to, { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } })).status);
      } catch {
        return "refused by the browser";
      }
    }, `http://127.0.0.1:${port}/v1/immortals/mill/Ground`);
    equal(told, "refused by the browser", "a call from another origin");
    await foreign.close();
  });
  await check("the browser had nothing to complain of at this page", async () => quiet(page));
  await page.close();
  both.stdin.end();
  await both.ended;
}

mkdirSync(scratch, { recursive: true });
try {
  browser = await chromium.launch({ executablePath: process.env.AMBROSIA_BROWSER, args: ["--no-sandbox"] });
  for (const part of [plantedBug, longLog, liveTail, allInstances, callsFromOutside]) {
    try {
      await part();
    } catch (error) {
      failed++;
      console.log(`FAILED  ${part.name}: ${error.message}`);
    }
  }
} finally {
  await browser?.close();
  for (const child of children) child.kill("SIGKILL");
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
