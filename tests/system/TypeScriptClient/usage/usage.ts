// What must compile, under the strictest rules. It is compiled, never run.
import { CallFailed, CallNotAnswered, CallRefused, complete, connect, newKey, reject, type Call, type Colour, type Shop, type Key, type Parcel, type ParcelInput } from "shop-client";

const shop: Shop = connect(["http://127.0.0.1:8080", new URL("http://127.0.0.2:8080")], {
  token: async () => "secret", deadline: 5_000, instance: "shop-2", now: () => 0, fetch,
});

const order = { id: "order-42", made: new Date() };
const key: Key = { name: order.id, made: order.made };
const stop = new AbortController();
const total: bigint = await shop.add({ name: "a" });
await shop.add({ name: "a", amount: 5 }, { key, signal: stop.signal, deadline: Infinity });
await shop.add({ name: "a", amount: 2n ** 60n }, { key: null });
const sent: string = await shop.add.send({ name: "a" }, { key: newKey() });
const later: bigint = await shop.add.answer(sent, { deadline: 1_000 });
const { value, record } = await shop.count.query({}, { atLeast: 5n });
const repeated: string[] = value.Repeated;
const calls: number = (await shop.count()).Calls;
await shop.count.query();
for await (const seen of shop.count.watch({}, { signal: stop.signal })) {
  const soFar: number = seen.value.Calls;
  const at: bigint = seen.record;
}

await shop.delete();
const yes: boolean = await shop.then_({ default: true });
const text: string = await shop.mark({ text: "a" });
const number: bigint = await shop.mark({ number: 1 });
const kept: unknown = await shop.mark.answer(sent);

const parcel: ParcelInput = {
  Name: "p", Large: 1, Larger: null, Largest: 2n ** 100n, Price: "1.10", Weight: NaN, Sent: new Date(), Day: "2026-11-26", Took: "PT1H",
  Seal: new Uint8Array([1]), Colour: "Green", Shape: { $type: "Box", Width: 1, Volume: 5 }, Numbers: [1, 2n], Prices: { a: 1.5 },
  Shelves: { "1": "a" }, Pair: [1n, "a"], Inner: { Name: "q" },
};
const back: Parcel = await shop.echo({ parcel });
const again: Parcel = await shop.echo({ parcel: back });
const large: bigint = again.Large;
const larger: bigint | null = again.Larger;
const price: string = again.Price;
const seal: Uint8Array = again.Seal;

function areaOf(parcel: Parcel): number {
  switch (parcel.Shape?.$type) {
    case "Circle": return parcel.Shape.Radius;
    case "Box": return parcel.Shape.Width * Number(parcel.Shape.Volume);
    case undefined: return 0;
  }
}

function nameOf(colour: Colour): string {
  switch (colour) {
    case "Red": return "rot";
    case "Green": return "grün";
    default: return `${colour}`;
  }
}

try {
  await shop.fail({ room: 7 });
} catch (error) {
  if (error instanceof CallFailed) {
    const type: string = error.type;
    console.log(type, error.message, error.data, error.key);
  } else if (error instanceof CallRefused) {
    console.log(error.code, error.title, error.detail, error.final, error.mayHaveRun);
  } else if (error instanceof CallNotAnswered) {
    await shop.fail({ room: 7 }, { key: error.key ?? null });
  }
}

await complete(await shop.ask({ question: "how many?" }), 5n);
await reject(new URL("http://127.0.0.1:8080/v1/awakeables/x"), "nobody knows", { deadline: 1_000 });

async function callTwice(call: Call<{ name: string }, bigint>): Promise<bigint> {
  const own = newKey();
  await call({ name: "b" }, { key: own });
  return call({ name: "b" }, { key: own });
}

console.log(total, later, record, repeated, calls, yes, text, number, kept, large, larger, price, seal, areaOf(back), nameOf(back.Colour), callTwice(shop.add));
