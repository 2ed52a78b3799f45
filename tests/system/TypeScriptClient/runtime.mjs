// What the client makes of answers, with a fetch of the test: no process, no network.

import { check, equal, thrown } from "./shop.mjs";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const json = (status, body, headers = {}) => () => new Response(JSON.stringify(body), {
  status, headers: { "content-type": status < 300 ? "application/json" : "application/problem+json", ...headers },
});
const problem = (status, code, more = {}, headers = {}) => json(status, { title: "t", status, detail: `d of ${code}`, code, final: false, ...more }, headers);
const broken = () => { throw new TypeError("fetch failed", { cause: new Error("refused") }); };

/** A fetch that answers as it is told, and then always as the last time; with what it was asked. */
function scripted(...answers) {
  const asked = [];
  const fetch = async (url, init) => {
    asked.push({ url: String(url), key: init.headers["Idempotency-Key"], body: init.body, token: init.headers.Authorization, signal: init.signal, init });
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    return await answer(init);
  };
  return { fetch, asked };
}

/** Answers never, and ends as fetch does when its signal says so. */
const never = (init) => new Promise((_, fail) => init.signal.addEventListener("abort", () => fail(init.signal.reason)));

export async function runtime({ connect, complete, reject, newKey, CallFailed, CallRefused, CallNotAnswered }) {
  const shop = (script, options = {}) => connect("http://shop.example", { fetch: script.fetch, ...options });
  const keys = (script) => new Set(script.asked.map((each) => each.key.replace(/;low=\d+$/, "")));

  await check("a call is sent again with its key and its bytes until there is an answer", async () => {
    const script = scripted(broken, problem(503, "IC-7007"), () => new Response("bad gateway", { status: 502 }), problem(504, "IC-7016"),
      json(202, { state: "accepted" }), json(200, "9007199254740993"));
    equal(await shop(script).add({ amount: 5n, name: "a" }), 9007199254740993n, "the answer");
    equal(script.asked.length, 6, "tries");
    equal(keys(script).size, 1, "keys");
    equal([...new Set(script.asked.map((each) => each.body))], ['{"name":"a","amount":5}'], "bodies");
    equal(script.asked[0].init.redirect + script.asked[0].init.credentials, "manualomit", "how it is asked");
  });
  await check("calls have numbers under one key, and say which are done", async () => {
    const script = scripted(json(200, 1));
    const client = shop(script);
    for (let i = 0; i < 3; i++) await client.add({ name: "a" });
    const [first, , third] = script.asked.map((each) => /^"(.*)";n=(\d+);low=(\d+)$/.exec(each.key));
    equal(UUID.test(first[1]) && first[1] === third[1], true, "one UUIDv7");
    equal([first[2], first[3], third[2], third[3]], ["1", "0", "3", "2"], "numbers");
  });
  await check("a call that nobody answers keeps its number open, and its key may be sent again", async () => {
    const script = scripted(never, json(200, 1));
    const client = shop(script);
    const error = await thrown(() => client.add({ name: "a" }, { deadline: 20 }));
    equal(error instanceof CallNotAnswered && error.key, script.asked[0].key.replace(/;low=0$/, ""), "its key");
    await client.add({ name: "b" });
    equal(script.asked[1].key.includes(script.asked[0].key.slice(0, 38)), false, "the same line");
    await client.add({ name: "a" }, { key: error.key });
    equal(script.asked[2].key, error.key, "the key of the repeat");
  });
  await check("a line that was forgotten is left, and a first key that is too old is explained by clocks", async () => {
    const script = scripted(json(200, 1), problem(410, "IC-7004", { final: true }), json(200, 2));
    const client = shop(script);
    await client.add({ name: "a" });
    equal(await client.add({ name: "b" }), 2n, "the answer");
    equal(/;n=1;/.test(script.asked[2].key), true, "a new line");
    const old = scripted(problem(410, "IC-7004", { final: true }, { date: "Thu, 26 Nov 2026 12:00:00 GMT" }));
    const error = await thrown(() => shop(old).add({ name: "a" }));
    equal(error instanceof CallRefused && !error.mayHaveRun && /clock of this machine right\? It is 2026-11-26T12:00:00.000Z there/.test(error.message), true, error.message);
    const gone = scripted(broken, problem(410, "IC-7004", { final: true }));
    equal(await thrown(() => shop(gone).add({ name: "a" })) instanceof CallNotAnswered, true, "after a try that may have arrived nobody knows");
  });
  await check("a key from the future is refused with the clocks of both sides", async () => {
    const error = await thrown(() => shop(scripted(problem(400, "IC-7008", {}, { date: "Thu, 26 Nov 2026 12:00:00 GMT" }))).add({ name: "a" }));
    equal(error instanceof CallRefused && error.code === "IC-7008" && /It is 2026-11-26T12:00:00.000Z there, and/.test(error.message), true, error.message);
  });
  await check("keys of one's own are sent as they are, and what says no time is refused before anything is sent", async () => {
    const script = scripted(json(200, 1));
    const client = shop(script);
    await client.add({ name: "a" }, { key: { name: 'order "42"\\', made: new Date(1795439000123) } });
    await client.add({ name: "a" }, { key: { name: "o", made: 1795439000000 } });
    await client.add({ name: "a" }, { key: "01ARZ3NDEKTSV4RRFFQ69G5FAV" });
    equal(script.asked.map((each) => each.key), ['"order \\"42\\"\\\\";t=1795439000.123', '"o";t=1795439000', "01ARZ3NDEKTSV4RRFFQ69G5FAV"], "keys");
    for (const key of ["order-42", "", { name: "o" }, { name: "o", made: 1795439000 }, { name: "é", made: new Date() }, { name: "", made: new Date() }, 5]) {
      equal(await thrown(() => client.add({ name: "a" }, { key })) instanceof TypeError, true, JSON.stringify(key));
    }
    equal(script.asked.length, 3, "requests");
    equal(UUID.test(newKey()) && newKey(1795439000123).startsWith("01a20880-"), true, newKey(1795439000123));
  });
  await check("without a key nothing is repeated", async () => {
    const lost = scripted(broken, json(200, 1));
    const error = await thrown(() => shop(lost).add({ name: "a" }, { key: null }));
    equal([error instanceof CallNotAnswered, lost.asked.length, lost.asked[0].key], [true, 1, undefined], "what is lost");
    for (const [answer, kind] of [[problem(429, "IC-7006"), CallRefused], [problem(503, "IC-7007"), CallRefused], [problem(504, "IC-7016"), CallNotAnswered],
      [problem(500, "IC-7012", { final: true }), CallNotAnswered], [json(202, {}), CallNotAnswered], [() => new Response("", { status: 502 }), CallNotAnswered]]) {
      const script = scripted(answer, json(200, 1));
      equal([(await thrown(() => shop(script).add({ name: "a" }, { key: null }))).constructor.name, script.asked.length], [kind.name, 1], "what ends it");
    }
  });
  await check("a key that is undefined is refused before anything is sent", async () => {
    const script = scripted(json(200, 1));
    const error = await thrown(() => shop(script).add({ name: "a" }, { key: {}.idempotencyKey }));
    equal([error instanceof TypeError, /key is undefined/.test(error.message), script.asked.length], [true, true, 0], error.message);
  });
  await check("a token that is not to be had for another try leaves a call that may have run", async () => {
    const script = scripted(broken, json(200, 1));
    const tokens = ["one"];
    const token = () => tokens.shift() ?? Promise.reject(new TypeError("fetch failed"));
    const error = await thrown(() => shop(script, { token }).add({ name: "a" }));
    equal([error instanceof CallNotAnswered, error.cause?.message, error.key !== undefined], [true, "fetch failed", true], error.message);
  });
  await check("a refusal says whether the call may have run all the same", async () => {
    const other = (headers) => problem(409, "IC-7003", { final: true }, headers);
    for (const [answers, expected] of [[[other({})], false], [[broken, other({})], false], [[broken, other({ location: "/v1/calls/x" })], true],
      [[problem(410, "IC-7022", { final: true })], true], [[problem(410, "IC-7005", { final: true })], true], [[problem(400, "IC-7001")], false],
      [[broken, problem(400, "IC-7001")], true], [[() => new Response("<html>", { status: 200, headers: { "content-type": "text/html" } })], true]]) {
      const error = await thrown(() => shop(scripted(...answers)).add({ name: "a" }));
      equal([error instanceof CallRefused, error.mayHaveRun], [true, expected], error.message);
    }
  });
  await check("an instance without a log is named, and what its start before may have run is not sent to the next one", async () => { // X27
    const [one, two] = ["1".repeat(32), "2".repeat(32)];
    const asks = (id, status = 400, code = "IC-7028") => problem(status, code, {}, { "ambrosia-instance-id": id });
    const ids = (script) => script.asked.map((each) => /;id="(.*)"$/.exec(each.key)?.[1]);
    const script = scripted(broken, asks(one), json(200, 1), json(200, 2), asks(two, 410, "IC-7022"), json(200, 3));
    const client = shop(script);
    for (const answer of [1n, 2n, 3n]) equal(await client.add({ name: "a" }), answer, "the answer"); // The third one has not arrived at the first start.
    equal(ids(script), [undefined, undefined, one, one, one, two], "ids");
    const lost = scripted(asks(one), problem(503, "IC-7007"), asks(two, 410, "IC-7022"), asks(one), json(202, {}));
    const error = await thrown(() => shop(lost).add({ name: "a" }));
    equal([error.code, error.mayHaveRun, error.key.endsWith(`;id="${one}"`), ids(lost)], ["IC-7022", true, true, [undefined, one, one]], error.message);
    const sent = scripted(asks(one), json(202, {}), json(200, 5));
    const key = await shop(sent).add.send({ name: "a" });
    equal([key, await shop(sent).add.answer(key)], [sent.asked[1].key, 5n], "the key of what was sent");
    const own = scripted(asks(one), json(200, 1));
    const named = { name: "o", made: 1795439000000 };
    equal((await thrown(() => shop(own).add({ name: "a" }, { key: named }))).code, "IC-7028", "a key of one's own");
    await shop(own).add({ name: "a" }, { key: { ...named, instance: one } });
    equal(own.asked[1].key, `"o";t=1795439000;id="${one}"`, "one that is named");
    equal(await thrown(() => shop(own).add({ name: "a" }, { key: { ...named, instance: "x" } })) instanceof TypeError, true, "no id");
  });
  await check("what nobody can say any more is final", async () => {
    const key = { name: "o", made: 1795439000000 };
    const error = await thrown(() => shop(scripted(problem(410, "IC-7004", { final: true }))).add({ name: "a" }, { key }));
    equal([error instanceof CallNotAnswered, error.final], [true, true], error.message);
    const lost = await thrown(() => shop(scripted(never)).add({ name: "a" }, { deadline: 20 }));
    equal(lost.final, false, lost.message);
  });
  await check("a query that throws has failed, too", async () => {
    const error = await thrown(() => shop(scripted(problem(422, "IC-7011"))).count.query());
    equal([error instanceof CallFailed, error.message], [true, "d of IC-7011"], error.message);
  });
  await check("a Map, a Set and what is no number are not sent as something else", async () => {
    const script = scripted(json(200, 1));
    for (const args of [{ name: "a", amount: new Map([["a", 1]]) }, { name: new Set(["a"]) }, new Map([["name", "a"]])]) {
      equal(await thrown(() => shop(script).add(args)) instanceof TypeError, true, "refused");
    }

    equal(script.asked.length, 0, "requests");
    const open = scripted(() => new Response(null, { status: 204 }));
    await complete("http://shop.example/v1/awakeables/x", { amount: NaN }, { fetch: open.fetch });
    equal(open.asked[0].body, '{"amount":"NaN"}', "what completes an awakeable");
  });
  await check("beside a call that takes long, answers of others are not kept without end", async () => {
    const large = json(200, JSON.stringify("x".repeat(1 << 20)));
    const script = scripted(never, large);
    const client = shop(script);
    const stop = new AbortController();
    const waiting = thrown(() => client.add({ name: "slow" }, { signal: stop.signal }));
    for (let i = 0; i < 6; i++) await client.add({ name: "a" });
    stop.abort();
    await waiting;
    const lines = script.asked.map((each) => each.key.slice(0, 38));
    equal([lines[4] === lines[0], lines[5] === lines[0], lines[6] === lines[5]], [true, false, true], "lines");
    equal(/;n=2;low=1$/.test(script.asked[6].key), true, script.asked[6].key);
  });
  await check("what is refused for good is not repeated, and says why", async () => {
    const script = scripted(problem(409, "IC-7003", { final: true, title: "Other call" }), json(200, 1));
    const error = await thrown(() => shop(script).add({ name: "a" }));
    equal([error instanceof CallRefused, error.code, error.title, error.detail, error.final, error.status, script.asked.length],
      [true, "IC-7003", "Other call", "d of IC-7003", true, 409, 1], "the refusal");
    for (const answer of [() => new Response("<html>", { status: 200, headers: { "content-type": "text/html" } }),
      () => new Response(null, { status: 302, headers: { location: "http://elsewhere.example" } }), problem(400, "IC-7001"), () => new Response("", { status: 414 })]) {
      const other = scripted(answer, json(200, 1));
      equal([await thrown(() => shop(other).add({ name: "a" })) instanceof CallRefused, other.asked.length], [true, 1], "no repeat");
    }
  });
  await check("a handler's exception is the answer, and no repeat follows", async () => {
    const script = scripted(broken, problem(422, "IC-7011", { final: true, exception: { type: "NoRoom", message: "full", data: { Room: 7 } } }));
    const error = await thrown(() => shop(script).fail({ room: 7 }));
    equal([error instanceof CallFailed, error.type, error.message, error.data, error.method, script.asked.length], [true, "NoRoom", "full", { Room: 7 }, "Fail", 2], "it");
  });
  await check("429 waits as long as Retry-After says", async () => {
    const script = scripted(problem(429, "IC-7006", {}, { "retry-after": "1" }), json(200, 1));
    const begun = performance.now();
    await shop(script).add({ name: "a" });
    equal(performance.now() - begun >= 990, true, "the pause");
  });
  await check("a token is asked for before each try, and once more after it was refused", async () => {
    const tokens = ["old", "new"];
    const script = scripted(problem(401, "IC-7013"), json(200, 1));
    await shop(script, { token: async () => tokens.shift() }).add({ name: "a" });
    equal(script.asked.map((each) => each.token), ["Bearer old", "Bearer new"], "tokens");
    const twice = scripted(problem(401, "IC-7013"));
    equal([(await thrown(() => shop(twice, { token: () => "x" }).add({ name: "a" }))).code, twice.asked.length], ["IC-7013", 2], "a function");
    const fixed = scripted(problem(401, "IC-7013"));
    equal([(await thrown(() => shop(fixed, { token: "x" }).add({ name: "a" }))).code, fixed.asked.length], ["IC-7013", 1], "a text");
    const none = scripted(json(200, 1));
    const error = await thrown(() => shop(none, { token: () => { throw new RangeError("no login"); } }).add({ name: "a" }));
    equal([error instanceof RangeError, none.asked.length], [true, 0], "what the function throws ends the call");
  });
  await check("a signal ends the waiting with its reason, a deadline with CallNotAnswered, and nothing waits on", async () => {
    const stop = new AbortController();
    const script = scripted(never);
    const waiting = thrown(() => shop(script).add({ name: "a" }, { signal: stop.signal }));
    await new Promise((next) => setTimeout(next, 5));
    stop.abort(new RangeError("enough"));
    equal([(await waiting).message, script.asked[0].signal.aborted], ["enough", true], "the signal");
    equal((await thrown(() => shop(script).add({ name: "a" }, { signal: stop.signal }))).message, "enough", "one that has ended before");
    equal(script.asked.length, 1, "requests");
    const stuck = thrown(() => shop(scripted(broken), { deadline: 30 }).add({ name: "a" }));
    equal([await stuck instanceof CallNotAnswered, /within the deadline. Last of all: refused/.test((await stuck).message)], [true, true], (await stuck).message);
    const slow = await thrown(() => shop(scripted(json(200, 1)), { deadline: 20, token: () => new Promise(() => {}) }).add({ name: "a" }));
    equal(slow instanceof CallNotAnswered, true, "a token that never comes");
    equal(await thrown(() => shop(script).add({ name: "a" }, { deadline: -1 })) instanceof TypeError, true, "no deadline");
  });
  await check("what has not been sent is said not to have been, and a certificate that is not trusted is waited for by nobody", async () => {
    const failing = (code, syscall = "connect") => () => { throw new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code, syscall }) }); };
    const refused = failing("ECONNREFUSED");
    const both = () => { throw new TypeError("fetch failed", { cause: Object.assign(new AggregateError([]), { errors: [Object.assign(new Error("x"), { syscall: "connect" })] }) }); };
    for (const [script, says, mayHaveRun] of [[[refused], "has sent nothing", false], [[both], "has sent nothing", false], [[failing("ENOTFOUND", "getaddrinfo")], "has sent nothing", false],
      [[problem(429, "IC-7015")], "has not run", false], [[refused, broken, refused], "It may have run", true], [[failing("EHOSTUNREACH", "read")], "It may have run", true],
      [[refused, problem(504, "IC-7016"), refused], "It may have run", true], [[never], "It may have run", true]]) {
      const error = await thrown(() => shop(scripted(...script), { deadline: 300 }).add({ name: "a" }));
      equal([error instanceof CallNotAnswered, error.message.includes(says), error.mayHaveRun], [true, true, mayHaveRun], error.message);
    }
    const once = await thrown(() => shop(scripted(problem(504, "IC-7016"))).add({ name: "a" }, { key: null }));
    equal([once.message.includes("sent nothing"), once.mayHaveRun], [false, true], once.message);
    const asked = await thrown(() => shop(scripted(refused), { deadline: 100 }).add.answer(newKey()));
    equal([asked instanceof CallNotAnswered, asked.mayHaveRun], [true, true], "an answer that is asked for");
    const untrusted = failing("UNABLE_TO_VERIFY_LEAF_SIGNATURE", undefined);
    const script = scripted(untrusted);
    const error = await thrown(() => shop(script).add({ name: "a" }));
    equal([error instanceof CallRefused, error.final, error.mayHaveRun, script.asked.length], [true, false, false, 1], error.message);
    equal(/http:\/\/shop.example is not trusted.*has sent nothing.*NODE_EXTRA_CA_CERTS/.test(error.message), true, error.message);
    const next = scripted(untrusted, json(200, 1), json(200, 2));
    const client = connect(["http://a.example", "http://b.example"], { fetch: next.fetch });
    equal([await client.add({ name: "a" }), await client.add({ name: "a" })], [1n, 2n], "another address");
    equal(next.asked.map((each) => each.url.slice(7, 8)).join(""), "abb", "who was asked");
    const later = scripted(broken, failing("CERT_HAS_EXPIRED"), json(200, 1));
    equal(await shop(later).add({ name: "a" }), 1n, "one that may have arrived goes on");
    const secret = await thrown(() => complete("shop.example/shop/v1/awakeables/SECRET", 1));
    equal([secret instanceof TypeError, secret.message.includes("SECRET")], [true, false], secret.message);
  });
  await check("several addresses are those of replicas: the next one is asked when one fails", async () => {
    const script = scripted(broken, problem(404, "IC-7010"), problem(503, "IC-7007"), json(200, 1), json(200, 2));
    const client = connect(["http://a.example", "http://b.example/x/"], { fetch: script.fetch });
    await client.add({ name: "a" });
    await client.add({ name: "b" });
    equal(script.asked.map((each) => each.url.split("/v1/")[0]), ["http://a.example", "http://b.example/x", "http://a.example", "http://b.example/x", "http://b.example/x"], "addresses");
    equal(keys(script).size, 2, "keys");
    equal((await thrown(() => shop(scripted(problem(404, "IC-7010"))).add({ name: "a" }))).code, "IC-7010", "one address");
  });
  await check("send waits for the log, answer asks by the key, and query brings its record", async () => {
    const sent = scripted(json(202, {}));
    const key = await shop(sent).add.send({ name: "a" });
    equal([UUID.test(key), sent.asked[0].key, sent.asked[0].url.includes("mode=send")], [true, key, true], "send");
    equal(await thrown(() => shop(sent).add.send({ name: "a" }, { key: null })) instanceof TypeError, true, "without a key");
    const asked = scripted(json(202, {}), json(200, 7));
    equal(await shop(asked).add.answer('"o/1";t=1795439000'), 7n, "answer");
    equal(asked.asked[0].url.startsWith("http://shop.example/v1/calls/%22o%2F1%22%3Bt%3D1795439000?method=Add&instance=shop&wait="), true, asked.asked[0].url);
    equal((await thrown(() => shop(scripted(problem(404, "IC-7017"))).add.answer(newKey()))).code, "IC-7017", "one that has not run");
    const query = scripted(json(200, { Calls: 1, Total: 2, Repeated: [] }, { "ambrosia-record": "4711" }));
    equal(await shop(query, { instance: "shop 2" }).count.query({}, { atLeast: 9 }), { value: { Calls: 1, Total: "2n", Repeated: [] }, record: "4711n" }, "query");
    equal(query.asked[0].url.startsWith("http://shop.example/v1/immortals/shop%202/Count?args=%7B%7D&at-least=9&wait="), true, query.asked[0].url);
  });
  await check("a watch tells what differs, goes on where a stream has ended, and never back", async () => {
    const event = (id, calls) => `id: ${id}\r\ndata: ${JSON.stringify({ Calls: calls, Total: 0, Repeated: [] })}\n\n`;
    const events = (...texts) => (init) => new Response(new ReadableStream({
      async start(stream) {
        for (const text of texts) {
          await new Promise((next) => setTimeout(next, 5));
          if (init.signal.aborted) return;
          stream.enqueue(new TextEncoder().encode(text));
        }

        stream.close();
      },
    }), { status: 200, headers: { "content-type": "text/event-stream", "ambrosia-instance-id": "5f0c" } });
    const text = `retry: 1000\n${event(4, 1)}:\n\n${event(5, 2)}`;
    const script = scripted(broken, problem(503, "IC-7007"), events(text.slice(0, 20), text.slice(20, 70), text.slice(70)), events(event(6, 2), event(7, 3)),
      events(event(9, 4), `event: problem\ndata: {"status":422,"code":"IC-7011","detail":"no more"}\n\n`));
    const seen = [];
    const error = await thrown(async () => {
      for await (const { value, record } of shop(script).count.watch()) seen.push(`${record}: ${value.Calls}`);
    });
    equal(seen, ["4: 1", "5: 2", "7: 3", "9: 4"], "values");
    equal([error instanceof CallFailed, error.message], [true, "no more"], error.message);
    equal(script.asked.map((each) => /at-least=(\d+)&wait/.exec(each.url)[1]), ["0", "0", "0", "5", "7"], "where each begins");
    equal(script.asked[0].init.headers.Accept, "text/event-stream", "what is asked for");
    equal(script.asked.map((each) => each.init.headers["Ambrosia-Instance-Id"] ?? ""), ["", "", "", "5f0c", "5f0c"], "of which instance a record is");
  });
  await check("a watch ends with its loop, its signal, and what is no stream", async () => {
    const aborted = [];
    const endless = (init) => {
      init.signal.addEventListener("abort", () => aborted.push(1));
      return new Response(new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('id: 1\ndata: {"Calls":1}\n\n')) }),
        { status: 200, headers: { "content-type": "text/event-stream" } });
    };
    for await (const { value } of shop(scripted(endless)).count.watch()) {
      equal(value.Calls, 1, "the value");
      break;
    }

    equal(aborted.length, 1, "the stream has ended");
    const stop = new AbortController();
    setTimeout(() => stop.abort(new RangeError("enough")), 20);
    const error = await thrown(async () => { for await (const _ of shop(scripted(endless)).count.watch({}, { signal: stop.signal })); });
    equal([error.message, aborted.length], ["enough", 2], "the signal");
    equal(await thrown(() => shop(scripted(json(200, { Calls: 1 }))).count.watch().next()) instanceof CallRefused, true, "an earlier version");
    equal((await thrown(() => shop(scripted(problem(405, "IC-7010"))).count.watch().next())).code, "IC-7010", "a refusal");
  });
  await check("values that a number would round keep every digit, both ways", async () => {
    const back = { Name: "p", Large: "-9223372036854775808", Larger: 5, Price: "12.50", Weight: "NaN", Seal: "AQI=", Numbers: [1, "9007199254740993"],
      Prices: { ["__proto__"]: "1.10" }, Shelves: { "1": "a" }, Pair: ["9007199254740993", "b"], Shape: { $type: "Box", Width: 1, Volume: 2 }, Inner: null };
    const script = scripted(json(200, back), json(200, back));
    const client = shop(script);
    const got = await client.echo({ parcel: { Name: "p", Price: 12.5, Sent: new Date(0), Large: 2n ** 63n - 1n, Seal: new Uint8Array([1, 2]), Numbers: [2n, 3], Shape: { $type: "Circle", Radius: Infinity }, undefined: undefined } });
    equal([got.Large, got.Larger, got.Price, got.Weight, [...got.Seal], got.Numbers, Object.getOwnPropertyDescriptor(got.Prices, "__proto__")?.value, got.Shelves, got.Pair, got.Shape.Volume, got.Inner],
      [-9223372036854775808n, 5n, "12.50", NaN, [1, 2], [1n, 9007199254740993n], "1.10", { "1": "a" }, [9007199254740993n, "b"], 2n, null], "what came");
    equal(JSON.parse(script.asked[0].body).parcel, { Name: "p", Large: "9223372036854775807", Price: 12.5, Sent: "1970-01-01T00:00:00.000Z", Seal: "AQI=", Shape: { $type: "Circle", Radius: "Infinity" }, Numbers: [2, 3] }, "what was sent");
    await client.echo({ parcel: got });
    equal([JSON.parse(script.asked[1].body).parcel.Large, Object.hasOwn(JSON.parse(script.asked[1].body).parcel.Prices, "__proto__")], [back.Large, true], "what comes back may be sent");
    for (const parcel of [{ Name: "p", Large: 2 ** 53 }, { Name: "p", Large: 1.5 }, { Name: "p", Price: NaN }, { Name: "p", Sent: new Date(NaN) }, { Name: "p", Numbers: [undefined] }, { Name: Symbol("x") }]) {
      equal(await thrown(() => client.echo({ parcel })) instanceof TypeError, true, "what cannot be sent");
    }
    equal(script.asked.length, 2, "requests");
  });
  await check("an answer that does not fit its type is given as it is", async () => {
    const strange = { Name: 5, Large: "much", Seal: "*", Numbers: "none", Shape: { $type: "Star", Volume: 1 }, Prices: [], Pair: [1], more: 1 };
    equal(await shop(scripted(json(200, strange))).echo({ parcel: { Name: "p" } }), { ...strange, Pair: ["1n"] }, "the answer");
  });
  await check("options that there are not, and arguments that are none, are refused", async () => {
    const client = shop(scripted(json(200, 1)));
    for (const begin of [() => client.add({ name: "a" }, { kye: 1 }), () => client.add("a"), () => client.count.query({}, { key: 1 }), () => connect("ftp://x"), () => connect("127.0.0.1:8080"), () => connect(), () => complete(undefined, 1), () => connect([]), () => connect("http://a", { tokn: 1 })]) {
      const error = await thrown(begin);
      equal([error instanceof TypeError, error.message === "Invalid URL"], [true, false], String(begin));
    }
  });
  await check("an awakeable is completed and rejected, and asked again while that may pass", async () => {
    const script = scripted(broken, problem(503, "IC-7007"), json(200, { taken: true }));
    await complete("http://shop.example/v1/awakeables/id", 5n, { fetch: script.fetch });
    equal(script.asked.map((each) => `${each.url} ${each.body}`), Array(3).fill("http://shop.example/v1/awakeables/id 5"), "completions");
    const no = scripted(json(200, { taken: true }));
    await reject("http://shop.example/v1/awakeables/id", "no", { fetch: no.fetch });
    equal(`${no.asked[0].url} ${no.asked[0].body}`, 'http://shop.example/v1/awakeables/id/reject {"reason":"no"}', "a rejection");
    equal((await thrown(() => complete("http://shop.example/v1/awakeables/id", 5, { fetch: scripted(problem(410, "IC-7020")).fetch }))).code, "IC-7020", "one that is not open");
  });
}
