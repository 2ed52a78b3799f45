// The services that two of the overlays count on, beside the pods' network: a PostgreSQL server, and Azurite for Azure.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { certify, makeSecret, publish, run, until } from "./kubelet.mjs";

const here = process.env.AMBROSIA_PODS;
const address = "10.244.0.1";

const answers = port => new Promise(resolve => {
  const socket = net.connect(port, address, () => { socket.destroy(); resolve(true); });
  socket.on("error", () => resolve(false));
});

function serve(name, command, environment) {
  const child = spawn(command[0], command.slice(1), { env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", piece => appendFileSync(path.join(here, `${name}.log`), piece));
}

/** A server as overlays/postgres expects it: at its name, encrypted, with the user, the database and the secret that docs/operate/kubernetes.md and docs/operate/stores.md speak of. */
export async function startPostgres() {
  const versions = "/usr/lib/postgresql";
  const programs = existsSync(versions) ? readdirSync(versions).map(version => path.join(versions, version, "bin")).filter(folder => existsSync(path.join(folder, "initdb"))).sort().at(-1) : "/usr/bin";
  const asUser = (program, ...args) => ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", path.join(programs, program), ...args];
  const folder = path.join(here, "database"), data = path.join(folder, "data"), password = randomBytes(16).toString("hex");
  mkdirSync(folder);
  const [certificate, key] = ["tls.crt", "tls.key"].map(file => path.join(here, "database-server", file));
  certify("database-server", "DNS:postgres.database");
  run("chown", "-R", "postgres", folder, path.dirname(key));
  run("chmod", "600", key);
  const [initdb, ...initArgs] = asUser("initdb", "-D", data, "-U", "postgres", "--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync", "--locale=C", "--encoding=UTF8");
  run(initdb, ...initArgs);
  appendFileSync(path.join(data, "pg_hba.conf"), "hostssl all all 10.244.0.0/24 scram-sha-256\n");
  const settings = { listen_addresses: address, unix_socket_directories: folder, ssl: "on", ssl_cert_file: certificate, ssl_key_file: key };
  serve("postgres", asUser("postgres", "-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])), { LC_ALL: "C" });
  await until("PostgreSQL answers", () => spawnSync(path.join(programs, "pg_isready"), ["-qh", folder]).status === 0);
  for (const statement of [`create role ambrosia login password '${password}'`, "create database ambrosia owner ambrosia"]) run(path.join(programs, "psql"), "-h", folder, "-U", "postgres", "-qc", statement);
  publish("postgres.database", address);
  makeSecret("ambrosia-database", { password });
  run("cp", path.join(here, "authority.pem"), path.join(here, "ambrosia-database/ca.crt"));
}

/** Azurite in the place of an account, with the secret that shows who may use it. Gives the addresses of the store and of the catalog. */
export async function startAzurite() {
  const account = "ambrosiatests", key = randomBytes(64).toString("base64");
  const [blob, table, queue] = [10000, 10002, 10001];
  serve("azurite", ["node", path.join(process.env.AMBROSIA_AZURITE, "node_modules/azurite/dist/src/azurite.js"), "--silent", "--disableTelemetry", "--skipApiVersionCheck", "--location", path.join(here, "azurite"),
    "--blobHost", address, "--blobPort", String(blob), "--tableHost", address, "--tablePort", String(table), "--queueHost", address, "--queuePort", String(queue)], { AZURITE_ACCOUNTS: `${account}:${key}` });
  await until("Azurite answers", async () => await answers(blob) && await answers(table));
  makeSecret("ambrosia-storage", { connection: `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${key};EndpointSuffix=core.windows.net` });
  return { store: `azblob://${address}:${blob}/${account}/logs?tls=off`, catalog: `aztable://${address}:${table}/${account}/catalog?tls=off` };
}
