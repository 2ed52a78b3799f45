// A wish is written down with its key before it is sent, and sent until there is an answer: also after this page was closed.
const WISHES = "shop-wishes";
const PAUSE = 500;
const at = (id) => document.getElementById(id);
const pause = () => new Promise((next) => setTimeout(next, PAUSE));
let orders = [];
let shelves = [];

const wishes = () => JSON.parse(localStorage.getItem(WISHES) ?? "[]");
const keep = (list) => localStorage.setItem(WISHES, JSON.stringify(list));

async function post(path, body) {
  try {
    return await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  } catch {
    return null; // Nobody is there. It comes back.
  }
}

async function send(wish) {
  for (let tries = 1; ; tries++, await pause()) {
    const answer = await post("orders", wish);
    if (answer?.ok || answer?.status === 400) {
      keep(wishes().filter((each) => each.key !== wish.key));
      say(answer.ok ? `Order ${await answer.json()} is taken${tries > 1 ? `, after ${tries} tries with one key` : ""}.` : await answer.json());
      return;
    }

    say(`Your order of ${wish.item} has no answer yet. It is sent again, with the same key.`);
  }
}

function order(item) {
  const wish = { key: randomKey(), made: new Date().toISOString(), customer: at("customer").value, item };
  keep([...wishes(), wish]);
  send(wish);
}

function randomKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((each) => each.toString(16).padStart(2, "0")).join("");
}

async function pay(number, declined) {
  for (;; await pause()) {
    const answer = await post("pay", { order: number, declined });
    if (answer?.ok) {
      say(`The provider says of order ${number}: ${await answer.json()}.`);
      return;
    }

    say(answer?.status === 404 ? `The provider has no bill for order ${number} yet.` : "The provider is not there. It is asked again.");
  }
}

async function kill(part) {
  await post("kill", { part });
  say(`${part} was killed.`);
}

function say(text) {
  at("said").textContent = text;
}

function element(name, text, action) {
  const made = document.createElement(name);
  made.textContent = text;
  if (action) made.addEventListener("click", action);
  return made;
}

// Buttons stay where they are while somebody is about to press them: nothing is drawn anew that has not changed.
function show(id, key, draw) {
  const text = JSON.stringify(key);
  if (at(id).dataset.shown === text) return;
  at(id).dataset.shown = text;
  at(id).replaceChildren(...draw());
}

function row(cells, ...actions) {
  const made = document.createElement("tr");
  made.append(...cells.map((cell) => element("td", cell)));
  if (actions.length > 0) made.lastChild.append(...actions);
  return made;
}

function showOrders() {
  const now = Date.now();
  const left = (each) => Math.max(0, Math.ceil((Date.parse(each.payUntil) - now) / 1000));
  const text = (each) => each.state === "AwaitsPayment" ? `waits for payment, ${left(each)} s` : [each.state.toLowerCase(), each.note].filter(Boolean).join(": ");
  show("orders", orders.map((each) => [each.number, each.state]), () => [...orders].reverse().map((each) => {
    const cells = [each.number, each.customer, each.item, each.price.toFixed(2), text(each), ""];
    const actions = each.state !== "AwaitsPayment" ? []
      : [element("button", "Pay", () => pay(each.number, false)), element("button", "Bad card", () => pay(each.number, true))];
    const made = row(cells, ...actions);
    made.children[4].className = each.state;
    return made;
  }));
  [...orders].reverse().forEach((each, index) => { at("orders").children[index].children[4].textContent = text(each); });
}

function showGoods(goods) {
  show("goods", [goods, shelves], () => goods.map(({ item, price }) => {
    const shelf = shelves.find((each) => each.item === item);
    const made = element("button", `${item}, ${price.toFixed(2)}`, () => order(item));
    made.append(element("small", `${shelf.free} free, ${shelf.reserved} reserved, ${shelf.shipped} shipped`));
    return made;
  }));
}

function showParts(parts) {
  show("parts", parts.map((each) => each.id), () => parts.map(({ name, id }) => {
    const made = element("button", name, () => kill(name));
    made.disabled = id === 0;
    made.title = id === 0 ? "is being started again" : `process ${id}`;
    return made;
  }));
}

function showLetters(letters) {
  show("letters", letters.length, () => [...letters].reverse().map((letter) => {
    const made = element("li", letter.subject);
    made.append(element("span", `, to ${letter.to}`));
    return made;
  }));
}

function showReports(reports) {
  show("reports", reports, () => [...reports].reverse().slice(0, 8).map((day) =>
    row([day.due ? new Date(day.due).toLocaleTimeString() : "today", day.shipped, day.cancelled, day.takings.toFixed(2)])));
}

async function ask(path) {
  try {
    const answer = await fetch(path);
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

// What changes while somebody looks comes by itself; when the web front was killed, the browser comes again.
function watch(path, tell) {
  new EventSource(path).onmessage = (event) => tell(JSON.parse(event.data));
}

async function refresh() {
  const [goods, parts, letters, reports] = await Promise.all(["goods", "parts", "letters", "reports"].map(ask));
  if (parts) showParts(parts);
  if (goods && shelves.length > 0) showGoods(goods);
  showOrders(); // The seconds that are left.
  if (letters) showLetters(letters);
  if (reports) showReports(reports);
}

document.addEventListener("keydown", (event) => {
  if (event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey) return;
  const bill = orders.find((each) => each.state === "AwaitsPayment");
  if (/^[1-9]$/.test(event.key)) at("goods").children[event.key - 1]?.click();
  else if (event.key === "p" && bill) pay(bill.number, false);
  else if (event.key === "d" && bill) pay(bill.number, true);
  else if (event.key === "k") ["orders", "orders coordinator"].forEach(kill);
});

watch("orders/watch", (all) => { orders = all; showOrders(); });
watch("shelves/watch", (all) => { shelves = all; });
wishes().forEach(send);
for (;; await pause()) await refresh();
