// The pods of overlays/postgres and overlays/azure, beside a PostgreSQL server and Azurite: run as their manifests say while containers and nodes are killed under load. Both overlays at the same time.
import { mkdirSync, writeFileSync } from "node:fs";
import { check, end } from "./checks.mjs";
import { get, makeNetwork, makeSecrets, Pod, until } from "./kubelet.mjs";
import { render } from "./manifests.mjs";
import { startAzurite, startPostgres } from "./services.mjs";

let kills = 0;
const heard = /heard (\d+) greetings, (\d+) of them out of order/;
const set = (objects, name) => objects.find(object => object.kind === "StatefulSet" && object.metadata.name === `immortal-${name}`);
const serves = pod => until(`${pod.name} is ready`, () => pod.ready && pod.coordinator.pid && pod.app.pid);
const coordinatorOf = set => set.spec.template.spec.initContainers[0];

/** Kills what a pod of an overlay is made of, one after the other, and compares what the visitor has heard. */
async function run(overlay, objects) {
  set(objects, "visitor").spec.template.spec.containers[0].command[1] = "crowd"; // The visitor is in a hurry, or there would be no load.
  let [greeter, visitor] = await Promise.all(["greeter", "visitor"].map(name => new Pod(set(objects, name), objects).start()));
  await Promise.all([serves(greeter), serves(visitor)]);
  const told = [];
  const listen = () => told.push(...visitor.app.lines.splice(0).map(line => heard.exec(line)).filter(Boolean));
  const durable = async () => Number(/^ambrosia_log_durable_lsn{[^}]*} (\d+)/m.exec((await get(visitor.address, 4180, "/metrics")).text)?.[1] ?? 0);
  async function moves(records = 40) {
    const from = await until("the visitor answers", durable);
    await until("the load goes on", async () => await durable() > from + records);
  }

  const wanted = ({ spec }) => spec.securityContext?.runAsUser ?? greeter.spec.securityContext.runAsUser;
  const users = greeter.containers.map(container => ({ wanted: wanted(container), is: Number(container.status("Uid").trim().split(/\s+/)[0]), of: container.status("Groups").trim() }));
  check(`${overlay}: both pods serve, each container as the user that its manifest names`, users.length === 2 && users.every(user => user.is === user.wanted),
    `the greeter's containers are ${users.map(user => `${user.is} of ${user.of}`).join(" and ")}`);
  await moves();

  const starts = greeter.app.starts;
  greeter.ready = false;
  greeter.app.kill();
  kills++;
  await until("the app is started again", () => greeter.app.starts > starts && greeter.app.pid);
  await serves(greeter);
  await moves();
  check(`${overlay}: an app alone was killed and started again beside its coordinator, and the load goes on`, greeter.app.starts === starts + 1 && greeter.coordinator.starts === 1);

  // At the same time: only the node's successor has to wait until the lease of the dead is over.
  listen();
  const begin = Date.now(), bystander = greeter.app.pid;
  greeter.ready = false;
  const heir = greeter.coordinator.lines.length;
  greeter.coordinator.kill();
  await visitor.die();
  kills += 3;
  visitor = await new Pod(visitor.set, objects).start();
  const waits = await Promise.all([greeter, visitor].map(async pod => (await serves(pod), Date.now() - begin)));
  await moves();
  check(`${overlay}: a coordinator alone and a node were killed, and a new pod that brought nothing along goes on`, greeter.app.pid === bystander && visitor.coordinator.starts === 1, `they serve after ${waits.join(" and ")} ms`);
  const found = greeter.coordinator.lines.slice(heir).some(line => line.includes("which has died"));
  check(`${overlay}: the coordinator that was started in the place of the dead one saw that it is dead, and took its lease at once`, found);

  const { codes, took } = await greeter.end();
  check(`${overlay}: SIGTERM ends a pod in order, both containers with 0`, codes.every(code => code === 0), `${codes}, ${took} ms`);
  const ended = Date.now();
  greeter = await new Pod(greeter.set, objects).start();
  await serves(greeter);
  const next = Date.now() - ended;
  await moves();
  check(`${overlay}: the next pod goes on`, greeter.coordinator.starts === 1, `serves after ${next} ms: its predecessor has given the lease back`);

  listen();
  const before = told.length;
  await until("the visitor has heard a hundred greetings more", () => { listen(); return told.length > before; });
  const ends = await Promise.all([greeter.end(), visitor.end()]);
  listen();
  check(`${overlay}: every greeting was given once and in order, whatever was killed`, told.every(([, , surprises]) => surprises === "0"), told.at(-1)[0]);
  check(`${overlay}: both pods end in order at the end`, ends.every(end => end.codes.every(code => code === 0)), ends.map(end => `${end.codes} in ${end.took} ms`).join("; "));
}

/** As docs/operate/kubernetes.md says for containers that need different users: the app's is a member of the pod's group, and of nothing else that it shares with the coordinator. */
function separateUsers(objects) {
  const { spec } = set(objects, "greeter").spec.template;
  spec.containers[0].securityContext = { ...spec.containers[0].securityContext, runAsUser: 10002, runAsGroup: 10002 };
  spec.containers[0].env.push({ name: "AMBROSIA_COORDINATOR_USER", value: String(spec.securityContext.runAsUser) });
  coordinatorOf(set(objects, "greeter")).env.push({ name: "AMBROSIA_BINDING_GROUP", value: String(spec.securityContext.fsGroup) });
  return objects;
}

/** Azurite in the place of the account, and a key in the place of the workload identity, which only a cluster in Azure has. */
function withKey(objects, { store, catalog }) {
  const options = objects.find(object => object.kind === "ConfigMap").data;
  Object.assign(options, { AMBROSIA_STORE: store, AMBROSIA_CATALOG: catalog, AMBROSIA_STORE_SECRET_FILE: "/etc/ambrosia/storage/connection" });
  for (const name of ["greeter", "visitor"]) {
    coordinatorOf(set(objects, name)).volumeMounts.push({ name: "storage", mountPath: "/etc/ambrosia/storage", readOnly: true });
    set(objects, name).spec.template.spec.volumes.push({ name: "storage", secret: { secretName: "ambrosia-storage", defaultMode: 0o440 } });
  }
  return objects;
}

makeNetwork();
makeSecrets("greeter", "visitor");
const [, storage] = await Promise.all([startPostgres(), startAzurite()]);
await Promise.all([
  run("overlays/postgres", separateUsers(render("overlays/postgres"))),
  run("overlays/azure", withKey(render("overlays/azure"), storage)),
]);
if (process.env.AMBROSIA_REPORTS) {
  mkdirSync(`${process.env.AMBROSIA_REPORTS}/kills`, { recursive: true });
  writeFileSync(`${process.env.AMBROSIA_REPORTS}/kills/KubernetesStores.txt`, `${kills}\n`);
}

end();
