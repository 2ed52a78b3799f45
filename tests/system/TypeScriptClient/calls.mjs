// The package of a real address: its types by the real compiler, its runtime by a fetch of the test, its calls while processes are killed.

import { mkdirSync, readFileSync, writeFileSync, copyFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Shop, check, equal, finish, freePort, run, thrown } from "./shop.mjs";
import { runtime } from "./runtime.mjs";

const scratch = process.env.AMBROSIA_SCRATCH;
const CALLS = 150;
const KILLS = 6;

/** What the compiler says of a file: line and number of each error. */
async function compile(folder, files, expected) {
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({
    compilerOptions: {
      noEmit: true, strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false, target: "es2022",
      lib: ["es2023", "dom"], module: "nodenext", types: [],
    },
    files,
  }));
  const said = await run(process.execPath, [`${scratch}/node_modules/typescript/bin/tsc`, "--pretty", "false", "-p", folder], scratch, expected);
  return [...said.matchAll(/(\S+)\((\d+),\d+\): error (TS\d+)/g)].map(([, path, line, code]) => `${path.split("/").at(-1)} ${line} ${code}`);
}

async function types() {
  const folder = `${scratch}/usage`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }');
  for (const file of ["usage.ts", "mistakes.ts"]) copyFileSync(new URL(`./usage/${file}`, import.meta.url), `${folder}/${file}`);
  writeFileSync(`${folder}/hard.ts`, 'export * from "hard-client";\n'); // Of the package that was made before.
  await check("the declarations are right by the strictest rules, and so is a program that uses all of them", async () => {
    equal(await compile(folder, ["usage.ts", "hard.ts"], 0), [], "errors");
  });
  await check("each mistake in a call is one of the compiler", async () => {
    const mistakes = readFileSync(`${folder}/mistakes.ts`, "utf8").split("\n")
      .flatMap((line, i) => /\/\/ (TS\d+)$/.exec(line)?.[1].split(" ").map((code) => `mistakes.ts ${i + 1} ${code}`) ?? []);
    equal(await compile(folder, ["mistakes.ts"], 2), mistakes, "errors");
    return `${mistakes.length} mistakes`;
  });
}

async function hardNames() {
  await check("names that are no names of the language, collide or end comments make a package that loads", async () => {
    const folder = `${scratch}/node_modules/hard-client`;
    await run(`${process.env.AMBROSIA_ROOT}/src/Ambrosia/bin/Release/net8.0/ambrosia`, [
      "client", "typescript", "--from", fileURLToPath(new URL("./hard.openapi.json", import.meta.url)), "--output", folder,
    ], scratch);
    const { connect } = await import(pathToFileURL(`${folder}/index.js`).href);
    equal(Object.keys(connect("http://shop.example")), ["Order", "order", "order2", "then_", "paint"], "methods");
  });
}

async function values(shop) {
  await check("values come back from the app as they were sent, digit by digit", async () => {
    const parcel = {
      Name: "__proto__", Large: -(2n ** 63n), Larger: 2n ** 64n - 1n, Largest: 2n ** 200n, Price: "0.10", Weight: -Infinity, Sent: "2026-11-26T17:30:00.1234567+01:00",
      Day: "2026-11-26", Took: "PT1H30M", Seal: new Uint8Array([0, 255]), Id: "01932c07-209f-7b5c-8a3e-0123456789ab", Colour: "Green",
      Shape: { $type: "Box", Width: 1, Volume: 2n ** 60n }, Numbers: [1n, 2n ** 53n], Prices: { ["__proto__"]: "1.1", b: "2" }, Shelves: { "9007199254740993": "x" },
      Pair: [5n, "y"], Inner: null,
    };
    const back = await shop.echo({ parcel });
    equal({ ...back, Seal: [...back.Seal] }, { ...parcel, Seal: [0, 255] }, "the parcel");
    equal((await shop.echo({ parcel: { Name: "p", Sent: new Date(1795439000123), Weight: NaN, Colour: 7, Inner: { Name: "q" } } })).Sent.startsWith("2026-11-23T"), true, "a date");
    equal([await shop.mark({ text: "a" }), await shop.mark({ number: 2n ** 60n }), await shop.then_({ default: true }), await shop.delete()], ["text a", 2n ** 60n, true, undefined], "results");
  });
  await check("a handler's exception has its type and data", async () => {
    const error = await thrown(() => shop.fail({ room: 7 }));
    equal([error.name, error.type, error.message, error.data], ["CallFailed", "TypeScriptClient.NoRoomException", "room 7 is taken", { Room: 7 }], "the exception");
  });
}

async function awakeables({ complete, reject }, shop) {
  await check("an awakeable is completed and rejected by its address", async () => {
    await complete(await shop.ask({ question: "how many" }), 2n ** 60n);
    await reject(await shop.ask({ question: "who" }), "nobody knows");
    equal([await shop.answerOf({ question: "how many" }), await shop.answerOf({ question: "who" })], [String(2n ** 60n), "rejected: nobody knows"], "answers");
    equal((await thrown(() => complete(`${shop.address ?? "http://127.0.0.1:1"}/v1/awakeables/x`, 1, { deadline: 50 }))).name, "CallNotAnswered", "no address");
  });
}

async function kills(node, { newKey, CallNotAnswered }, shop, base) {
  const answers = new Map(), asked = [];
  let done = 0;
  const worker = async () => {
    for (let i; (i = asked.length) < CALLS;) {
      const name = `call-${i}`, own = i % 3 === 0 ? newKey() : undefined;
      asked.push({ name, key: own });
      try {
        answers.set(name, await shop.add({ name }, own ? { key: own, deadline: 60000 } : {}));
      } catch (error) {
        if (!(error instanceof CallNotAnswered)) throw error;
        answers.set(name, await shop.add({ name }, { key: error.key }));
      }

      done++;
      await new Promise((next) => setTimeout(next, 20)); // Calls are under way at each kill.
    }
  };
  await check("calls run once each, and have one answer each, while coordinator and app are killed", async () => {
    const working = Promise.all(Array.from({ length: 6 }, worker));
    working.catch(() => {});
    for (let kill = 1; kill <= KILLS; kill++) {
      const goal = Math.floor(kill * CALLS / (KILLS + 1));
      for (const end = Date.now() + 60000; done < goal && Date.now() < end;) await new Promise((next) => setTimeout(next, 5));
      if (kill % 2 === 0) {
        await node.kill(node.coordinator);
        node.startCoordinator();
      } else {
        await node.kill(node.app);
        node.startApp();
      }
    }

    await working;
    equal([...answers.values()].map(Number).sort((a, b) => a - b), Array.from({ length: CALLS }, (_, i) => base + i + 1), "each execution's total, once");
    const { value } = await shop.count.query();
    equal([value.Calls, value.Repeated], [base + CALLS, []], "executions");
    for (const { name, key } of asked.filter((each) => each.key)) {
      equal(await shop.add({ name }, { key }), answers.get(name), `the repeat of ${name}`);
      equal(await shop.add.answer(key), answers.get(name), `the answer of ${name}`);
    }

    equal((await shop.count()).Calls, base + CALLS, "executions after all repeats");
    return `${CALLS} calls, ${node.kills} kills`;
  });
  await check("a watch comes to the last answer, and never back, through kills of app and coordinator", async () => {
    const seen = [];
    const stop = new AbortController();
    const watching = thrown(async () => { for await (const { value } of shop.count.watch({}, { signal: stop.signal })) seen.push(value.Calls); });
    for (const kill of [() => node.kill(node.coordinator).then(() => node.startCoordinator()), () => node.kill(node.app).then(() => node.startApp())]) {
      await shop.add({ name: `watched ${seen.length}` });
      await kill();
    }

    const { Calls } = await shop.count();
    while (seen.at(-1) !== Calls) await new Promise((next) => setTimeout(next, 20));
    stop.abort();
    await watching;
    equal([...seen].sort((a, b) => a - b), seen, "never back");
    return `${seen.length} values`;
  });
  await check("a call that was only sent is executed, and its answer is there later", async () => {
    const key = await shop.add.send({ name: "sent" });
    await node.kill(node.coordinator);
    node.startCoordinator();
    equal(await shop.add.answer(key), BigInt(base + CALLS + 3), "its answer");
  });
}

const node = await new Shop(scratch, await freePort(), ["--ingress-methods", "all"]).startAll();
try {
  const client = await node.client("shop-client");
  const shop = client.connect(node.address);
  await runtime(client);
  await hardNames();
  await types();
  await values(shop);
  await awakeables(client, shop);
  await kills(node, client, shop, 0);
  await check("the package is what would be made, until it is changed", async () => {
    const check = ["client", "typescript", "--from", node.address, "--output", client.folder, "--check"];
    const ambrosia = `${process.env.AMBROSIA_ROOT}/src/Ambrosia/bin/Release/net8.0/ambrosia`;
    await run(ambrosia, check, scratch);
    writeFileSync(`${client.folder}/index.js`, "");
    equal(/index\.js/.test(await run(ambrosia, check, scratch, 65)), true, "the difference");
  });
} catch (error) {
  await check("the tests run to their end", () => { throw error; });
} finally {
  await node.stop();
  if (process.env.AMBROSIA_REPORTS) {
    mkdirSync(`${process.env.AMBROSIA_REPORTS}/kills`, { recursive: true });
    writeFileSync(`${process.env.AMBROSIA_REPORTS}/kills/typescript-client.txt`, `${node.kills}\n`);
  }
}

finish();
