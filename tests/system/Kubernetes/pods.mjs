// The two pods of overlays/files, run as their manifests say: same commands, environment, user, volumes and probes, on a read-only root, while containers and pods are killed under load.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import YAML from "yaml";
import { check, end } from "./checks.mjs";
import { get, makeNetwork, makeSecrets, Pod, until } from "./kubelet.mjs";
import { render } from "./manifests.mjs";
import { root } from "./programs.mjs";

makeNetwork();
makeSecrets("greeter", "visitor");
const objects = render("overlays/files");
const set = name => objects.find(object => object.kind === "StatefulSet" && object.metadata.name === name);
// The only change: the visitor is in a hurry, or there would be no load.
set("immortal-visitor").spec.template.spec.containers[0].command[1] = "crowd";

const begin = Date.now();
let [greeter, visitor] = await Promise.all(["immortal-greeter", "immortal-visitor"].map(name => new Pod(set(name), objects).start()));
const serves = async pod => { await until(`${pod.name} is ready`, () => pod.ready && pod.coordinator.pid && pod.app.pid); };
const metric = async (pod, name) => Number(new RegExp(`^${name}{[^}]*} (\\d+)`, "m").exec((await get(pod.address, 4180, "/metrics")).text)?.[1] ?? -1);
const progress = async () => Math.max(await metric(visitor, "ambrosia_log_durable_lsn"), 0);
// The load goes on: more records than before are durable.
async function moves(records = 40) {
  const from = await until("the visitor answers", progress);
  await until("the load goes on", async () => await progress() > from + records);
}

await Promise.all([serves(greeter), serves(visitor)]);
console.log(`        both pods are ready after ${Date.now() - begin} ms`);

for (const container of [...greeter.containers, ...visitor.containers]) {
  const root = readFileSync(`/proc/${container.pid}/mountinfo`, "utf8").split("\n").find(line => line.split(" ")[4] === "/");
  const rights = ["CapInh", "CapPrm", "CapEff", "CapBnd"].map(name => container.status(name));
  const user = container.status("Uid").split("\t")[0];
  check(`${container.pod.name}/${container.spec.name} is user 10001 without rights on a root that cannot be written`,
    user === "10001" && rights.every(right => /^0+$/.test(right)) && container.status("NoNewPrivs") === "1" && root.split(" ")[5].split(",").includes("ro"));
}

await moves();
let kills = 0;
for (const pod of [greeter, visitor]) {
  for (const name of ["app", "coordinator"]) {
    const victim = pod[name], other = pod[name === "app" ? "coordinator" : "app"];
    const bystander = other.pid, starts = victim.starts;
    let release;
    victim.held = new Promise(resolve => { release = resolve; });
    victim.kill();
    kills++;
    await victim.ended;
    if (name === "app") {
      const answer = await until("the pod is not ready", async () => { const now = await pod.ask(pod.coordinator.spec.readinessProbe); return now.code === 503 && now; });
      check(`${pod.name} without its app is alive and not ready, and says why`, (await pod.ask(pod.coordinator.spec.livenessProbe)).code === 200 && answer.text === "not ready: no app is attached\n", answer.text.trim());
    } else {
      check(`${pod.name} without its coordinator answers no probe, and its app waits`, (await pod.ask(pod.coordinator.spec.readinessProbe)).code === 0 && other.pid === bystander);
    }

    pod.ready = false;
    release();
    victim.held = undefined;
    await until(`the ${name} of ${pod.name} is started again`, () => victim.starts > starts && victim.pid);
    await serves(pod);
    await moves();
    check(`${pod.name}: its ${name} alone was killed and started again, and the load goes on`, other.pid === bystander);
  }
}

const { codes, took } = await greeter.end();
check("SIGTERM ends a pod in order, app first, both with 0", codes.every(code => code === 0), `${codes}, ${took} ms of ${greeter.spec.terminationGracePeriodSeconds} s`);
check("its coordinator had nothing to wait for", took < 10000);
const old = greeter.address;
greeter = await new Pod(set("immortal-greeter"), objects).start();
await serves(greeter);
await moves();
check("a new pod with another address goes on with the volume, and its peer finds it by its name", greeter.address !== old, `${old}, then ${greeter.address}`);

for (const name of ["greeter", "visitor"]) {
  const pod = name === "greeter" ? greeter : visitor;
  await pod.die();
  kills += 2;
  const next = await new Pod(pod.set, objects).start();
  if (name === "greeter") greeter = next; else visitor = next;
  await serves(next);
  if (name === "greeter") await moves();
  check(`${pod.name}: its node died, and a new pod goes on`, next.app.starts === 1);
}

const heard = /heard (\d+) greetings, (\d+) of them out of order/;
const told = () => visitor.app.lines.map(line => heard.exec(line)).filter(Boolean);
const last = await until("the visitor has heard many greetings", () => told().find(([, count]) => count >= 3000), 120);
check("every greeting was given once and in order, whatever was killed", told().every(([, , surprises]) => surprises === "0"), `${last[0]}; ${kills} SIGKILLs`);
check("liveness never failed where nobody was killed", [greeter, visitor].every(pod => pod.liveness === 0));

const rules = YAML.parse(readFileSync(path.join(root, "deploy/prometheus/ambrosia-rules.yaml"), "utf8")).groups.flatMap(group => group.rules);
const metricsPage = readFileSync(path.join(root, "docs/operate/metrics.md"), "utf8");
const metrics = (await get(visitor.address, 4180, "/metrics")).text;
const unknown = rules.flatMap(rule => rule.expr.match(/ambrosia_\w+/g) ?? []).filter(name => name !== "ambrosia_instance" && !new RegExp(`^${name}[{ ]`, "m").test(metrics));
check(`the ${rules.length} alerts ask for metrics that a coordinator has, and metrics.md explains each`, rules.length > 0 && unknown.length === 0 && rules.every(rule => metricsPage.includes(`| \`${rule.alert}\` |`)), unknown.join());

for (const pod of [greeter, visitor]) {
  for (const container of pod.containers) {
    const most = Math.round(parseInt(container.status("VmHWM"), 10) / 1024), limit = parseInt(container.spec.resources.limits.memory, 10);
    check(`${pod.name}/${container.spec.name} stays within its memory`, most < limit, `${most} MiB of ${limit} MiB`);
  }
}

const ends = await Promise.all([greeter.end(), visitor.end()]);
check("both pods end in order at the end", ends.every(end => end.codes.every(code => code === 0)), ends.map(end => `${end.codes} in ${end.took} ms`).join("; "));
if (process.env.AMBROSIA_REPORTS) {
  mkdirSync(`${process.env.AMBROSIA_REPORTS}/kills`, { recursive: true });
  writeFileSync(`${process.env.AMBROSIA_REPORTS}/kills/Kubernetes.txt`, `${kills}\n`);
}

end();
