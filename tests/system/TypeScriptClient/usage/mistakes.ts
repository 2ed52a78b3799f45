// What must not compile: each line that has the number of an error at its end has that error, and no other line has any.
import { connect, type Parcel } from "shop-client";

const shop = connect("http://127.0.0.1:8080");
await shop.add(); // TS2554
await shop.add({}); // TS2345
await shop.add({ nam: "a" }); // TS2561
await shop.add({ name: 5 }); // TS2322
await shop.add({ name: "a", amount: "5" }); // TS2322
await shop.add({ name: "a", price: 5 }); // TS2353
await shop.add({ name: "a" }, { kye: "x" }); // TS2353
await shop.add({ name: "a" }, { key: { name: "x" } }); // TS2322
await shop.add.send({ name: "a" }, { key: null }); // TS2322
const total: number = await shop.add({ name: "a" }); // TS2322
await shop.delete({ signal: new AbortController().signal }); // TS2322
await shop.add.query({ name: "a" }); // TS2339
shop.add.watch({ name: "a" }); // TS2339
await shop.Add({ name: "a" }); // TS2551
await shop.echo({ parcel: { Name: "p", Colour: "Grren" } }); // TS2820
await shop.echo({ parcel: { Name: "p", Shape: { $type: "Box", Radius: 5 } } }); // TS2353
await shop.echo({ parcel: { Large: 5 } }); // TS2741
await shop.mark({ text: "a", number: 5 }); // TS2769
const parcel: Parcel = await shop.echo({ parcel: { Name: "p" } });
const price: number = parcel.Price; // TS2322
const larger: bigint = parcel.Larger; // TS2322
const colour: "Red" | "Green" = parcel.Colour; // TS2322
connect("http://127.0.0.1:8080", { tokn: "x" }); // TS2561
console.log(total, price, larger, colour);
