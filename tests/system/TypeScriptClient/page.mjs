// A page of another origin that uses the package against a real address, in a real browser.

import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createHash } from "node:crypto";
import { chromium } from "playwright-core";
import { Shop, check, equal, finish, freePort, until } from "./shop.mjs";

const scratch = process.env.AMBROSIA_SCRATCH;
const TOKEN = "a token that only the page knows";
const kinds = { ".js": "text/javascript", ".html": "text/html" };

/** A web server of its own origin with the package and a page that loads it. */
async function site(folder) {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://site").pathname;
    const kind = kinds[path.slice(path.lastIndexOf("."))];
    response.setHeader("content-type", kind ?? "text/html");
    response.end(kind ? readFileSync(`${folder}${path}`) : "<!doctype html><title>shop</title>");
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Does something with the client in a page. */
const inPage = (page, address, options, work) => page.evaluate(async ([where, given, text]) => {
  const client = await import("/index.js");
  const token = given.token;
  const shop = client.connect(where, { ...given, ...(token ? { token: async () => token } : {}) });
  try {
    return await new Function("client", "shop", `return (${text})(client, shop)`)(client, shop);
  } catch (error) {
    return `${error.name} ${error.code ?? ""}: ${error.message}`;
  }
}, [address, options, String(work)]);

async function open(browser, origin) {
  const page = await browser.newPage();
  await page.goto(`${origin}/`);
  return page;
}

let browser, listed, other, node, guarded;
try {
  browser = await chromium.launch({ executablePath: process.env.AMBROSIA_BROWSER, args: ["--no-sandbox"] });
  const folder = `${scratch}/node/node_modules/shop-client`;
  [listed, other] = [await site(folder), await site(folder)];
  writeFileSync(`${scratch}/callers`, `page ${createHash("sha256").update(TOKEN).digest("hex")}\n`, { mode: 0o600 });
  node = await new Shop(`${scratch}/node`, await freePort(), ["--ingress-origins", listed.origin]).startAll();
  await node.client("shop-client");
  const page = await open(browser, listed.origin);

  await check("a page of a listed origin calls, asks, sends, and reads what it gets", async () => {
    equal(await inPage(page, node.address, {}, async ({ newKey }, shop) => {
      const key = newKey();
      const sent = await shop.add.send({ name: "page" }, { key });
      const total = await shop.add({ name: "page" }, { key });
      const { value, record } = await shop.count.query();
      const failed = await shop.fail({ room: 7 }).catch((error) => `${error.name} ${error.data.Room}`);
      const refused = await shop.add({ name: "other" }, { key }).catch((error) => error.code);
      return [sent === key, String(total), String(await shop.add.answer(key)), value.Calls, value.Repeated.length, record > 0n, failed, refused];
    }), [true, "1", "1", 1, 0, true, "CallFailed 7", "IC-7003"], "what the page saw");
  });
  await check("a page of an origin that is not listed does nothing, whatever it tries", async () => {
    const unlisted = await open(browser, other.origin);
    const said = await inPage(unlisted, node.address, { deadline: 500 }, async (_, shop) => String(await shop.add({ name: "unlisted" })));
    equal(/^CallNotAnswered : Add: .*--ingress-origins\?$/.test(said), true, said);
    equal(/^CallNotAnswered/.test(await inPage(unlisted, node.address, { deadline: 500 }, async (_, shop) => (await shop.count.query()).value.Calls)), true, "a query");
    await unlisted.evaluate(async (address) => {
      const quiet = (promise) => promise.catch(() => {});
      await quiet(fetch(`${address}/v1/immortals/shop/Add`, { method: "POST", mode: "no-cors", body: '{"name":"unlisted"}' }));
      await quiet(fetch(`${address}/v1/immortals/shop/Count`, { mode: "no-cors" }));
      await new Promise((done) => { const image = new Image(); image.onload = image.onerror = done; image.src = `${address}/v1/immortals/shop/Count`; });
    }, node.address);
    await unlisted.close();
    equal(await inPage(page, node.address, {}, async (_, shop) => (await shop.count()).Calls), 1, "executions");
  });
  await check("a call of a page goes on while the coordinator is killed, and runs once", async () => {
    const calling = inPage(page, node.address, {}, async (_, shop) => {
      const totals = [];
      for (let i = 0; i < 40; i++) totals.push(Number(await shop.add({ name: `page-${i}` })));
      return totals.join();
    });
    await until(async () => (await (await fetch(`${node.address}/v1/immortals/shop/Count`)).json().catch(() => ({}))).Calls > 10);
    await node.kill(node.coordinator);
    node.startCoordinator();
    equal(await calling, Array.from({ length: 40 }, (_, i) => i + 2).join(), "totals");
  });
  await page.close();
  await node.stop();

  guarded = await new Shop(`${scratch}/guarded`, await freePort(), ["--ingress-origins", "*", "--ingress-tokens", `${scratch}/callers`]);
  guarded.startCoordinator();
  guarded.startApp();
  await until(async () => (await fetch(`${guarded.address}/openapi.json`, { headers: { Authorization: `Bearer ${TOKEN}` } }).catch(() => ({}))).ok,
    () => guarded.coordinator.said);
  await check("where callers need a token, a page of any origin that has one calls, and one without sees why not", async () => {
    const any = await open(browser, other.origin);
    equal(await inPage(any, guarded.address, { token: TOKEN }, async (_, shop) => String(await shop.add({ name: "a" }))), "1", "with a token");
    equal(/^CallRefused IC-7013: /.test(await inPage(any, guarded.address, {}, async (_, shop) => String(await shop.add({ name: "b" })))), true, "without");
    await any.close();
  });
  await guarded.stop();
} catch (error) {
  await check("the tests run to their end", () => { throw error; });
} finally {
  await browser?.close();
  listed?.close();
  other?.close();
}

finish();
