// As much of a kubelet as a pod of ours needs: pods in network namespaces of their own, containers as their manifest says, probes, restarts, an orderly end.
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { folderOf } from "./programs.mjs";
import { environmentOf } from "./rules.mjs";

const here = process.env.AMBROSIA_PODS;
export const run = (program, ...args) => execFileSync(program, args, { stdio: ["ignore", "pipe", "pipe"] });
export const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

/** Waits until a condition holds, asked again and again under a deadline. */
export async function until(what, condition, seconds = 60) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(20)) {
    const value = await condition();
    if (value) return value;
  }
  throw new Error(`waited ${seconds} s in vain until ${what}`);
}

/** GET of a pod's address, as the kubelet asks: the code and the text; code 0 when nobody answers. */
export function get(address, port, url, seconds = 1) {
  return new Promise(resolve => {
    const request = http.get({ host: address, port, path: url, timeout: seconds * 1000, agent: false }, answer => {
      let text = "";
      answer.on("data", piece => { text += piece; }).on("end", () => resolve({ code: answer.statusCode, text }));
    });
    request.on("timeout", () => request.destroy()).on("error", () => resolve({ code: 0, text: "" }));
  });
}

/** The network that the pods' cables lead to, and where the kubelet stands. */
export function makeNetwork() {
  run("ip", "link", "set", "lo", "up");
  run("ip", "link", "add", "br0", "type", "bridge");
  run("ip", "address", "add", "10.244.0.1/24", "dev", "br0");
  run("ip", "link", "set", "br0", "up");
}

/** The names that the cluster's name service would know, in the file that all pods have as /etc/hosts. Written in place, because it is mounted. */
const names = new Map();
const hostsFile = path.join(here, "hosts");
export function publish(host, address) {
  names.set(host, address);
  writeFileSync(hostsFile, `127.0.0.1 localhost\n${[...names].map(([name, at]) => `${at} ${name}\n`).join("")}`);
}

const at = name => path.join(here, name), ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

/** The secrets that docs/operate/kubernetes.md lets the operator make: an authority, and a certificate for each instance. */
export function makeSecrets(...instances) {
  run("openssl", "req", "-x509", ...ec, "-days", "30", "-subj", "/CN=our authority", "-keyout", at("authority.key"), "-out", at("authority.pem"));
  for (const name of instances) certify(`${name}-tls`, `URI:spiffe://hello/${name}`);
}

/** A folder with a certificate for a name, its key, and the certificate of the authority. */
export function certify(folder, name) {
  const secret = at(folder);
  mkdirSync(secret);
  run("openssl", "req", ...ec, "-subj", `/CN=${folder}`, "-keyout", path.join(secret, "tls.key"), "-out", at(`${folder}.csr`));
  writeFileSync(at(`${folder}.ext`), `subjectAltName=${name}\nextendedKeyUsage=serverAuth,clientAuth\n`);
  run("openssl", "x509", "-req", "-in", at(`${folder}.csr`), "-CA", at("authority.pem"), "-CAkey", at("authority.key"), "-CAcreateserial", "-days", "10", "-extfile", at(`${folder}.ext`), "-out", path.join(secret, "tls.crt"));
  copyFileSync(at("authority.pem"), path.join(secret, "ca.crt"));
  return secret;
}

/** A secret whose files hold these texts. */
export function makeSecret(name, files) {
  mkdirSync(at(name));
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(at(name), file), text);
}

let pods = 0;

/** One pod of a StatefulSet; its claims outlive it. */
export class Pod {
  constructor(set, objects) {
    this.set = set;
    this.objects = objects;
    this.name = set.metadata.name;
    this.number = ++pods;
    this.address = `10.244.0.${10 + this.number}`;
    this.folder = path.join(here, `${this.name}.${this.number}`);
    this.spec = set.spec.template.spec;
    this.ready = false;
    this.liveness = 0;
    this.reasons = new Set();
  }

  async start() {
    mkdirSync(this.folder);
    await this.joinNetwork();
    publish(this.set.spec.serviceName, this.address);
    for (const volume of this.spec.volumes ?? []) this.makeVolume(volume);
    this.containers = [...this.spec.initContainers, ...this.spec.containers].map(spec => new Container(this, spec));
    this.coordinator = this.containers[0];
    this.app = this.containers[1];
    this.coordinator.start();
    const { startupProbe } = this.coordinator.spec;
    await until(`the coordinator of ${this.name} has started`, async () => (await this.ask(startupProbe)).code === 200, startupProbe.periodSeconds * startupProbe.failureThreshold);
    this.app.start();
    this.probing = Promise.all([this.probe("readinessProbe", answer => {
      this.ready = answer.code === 200;
      this.reasons.add(answer.text.trim());
    }), this.probe("livenessProbe", answer => { this.liveness = answer.code === 200 ? 0 : this.liveness + 1; })]);
    return this;
  }

  /** Asks a probe once. */
  ask({ httpGet, timeoutSeconds }) {
    return get(this.address, this.coordinator.spec.ports.find(({ name }) => name === httpGet.port).containerPort, httpGet.path, timeoutSeconds);
  }

  /** Ends the pod as the kubelet does: the app, then the sidecar, both within the grace period. Gives their exit codes and the milliseconds it took. */
  async end() {
    this.ending = true;
    const begin = Date.now();
    for (const container of [this.app, this.coordinator]) {
      process.kill(container.pid, "SIGTERM");
      await Promise.race([container.ended, sleep(this.spec.terminationGracePeriodSeconds * 1000)]);
    }
    const codes = [await this.app.ended, await this.coordinator.ended];
    const took = Date.now() - begin;
    await this.remove();
    return { codes, took };
  }

  /** Ends the pod as the death of its node does. */
  async die() {
    this.ending = true;
    for (const container of this.containers) container.kill();
    await Promise.all(this.containers.map(container => container.ended));
    await this.remove();
  }

  async remove() {
    await this.probing;
    this.pause.kill("SIGKILL");
  }

  // The process that keeps the pod's network namespace, as the "pause" container does.
  async joinNetwork() {
    this.pause = spawn("unshare", ["--net", "sleep", "infinity"], { stdio: "ignore" });
    const own = () => { try { return run("readlink", `/proc/${this.pause.pid}/ns/net`).toString(); } catch { return ""; } };
    const ours = run("readlink", "/proc/self/ns/net").toString();
    await until("the pod has a network", () => own() !== "" && own() !== ours);
    const inside = (...command) => run("nsenter", `--net=/proc/${this.pause.pid}/ns/net`, "--", ...command);
    run("ip", "link", "add", `pod${this.number}`, "type", "veth", "peer", "name", "eth0", "netns", String(this.pause.pid));
    run("ip", "link", "set", `pod${this.number}`, "master", "br0", "up");
    inside("ip", "link", "set", "lo", "up");
    inside("ip", "address", "add", `${this.address}/24`, "dev", "eth0");
    inside("ip", "link", "set", "eth0", "up");
  }

  // With the modes that the kubelet gives: open to all, and to the pod's group.
  makeVolume({ name, emptyDir, secret }) {
    const folder = path.join(this.folder, name);
    mkdirSync(folder);
    if (secret) return this.fillSecret(folder, secret);
    if (!emptyDir) throw new Error(`this kubelet cannot make the volume ${name}`);
    if (emptyDir.medium === "Memory") run("mount", "-t", "tmpfs", "-o", `size=${emptyDir.sizeLimit.replace("i", "").toLowerCase()}`, "tmpfs", folder);
    chownSync(folder, 0, this.spec.securityContext.fsGroup);
    chmodSync(folder, 0o2777);
  }

  // Names that lead by way of ..data to a folder that is exchanged as a whole when the secret changes.
  fillSecret(folder, { secretName, defaultMode }) {
    const version = path.join(folder, "..1");
    mkdirSync(version);
    symlinkSync("..1", path.join(folder, "..data"));
    for (const file of readdirSync(path.join(here, secretName))) {
      copyFileSync(path.join(here, secretName, file), path.join(version, file));
      chownSync(path.join(version, file), 0, this.spec.securityContext.fsGroup);
      chmodSync(path.join(version, file), defaultMode);
      symlinkSync(path.join("..data", file), path.join(folder, file));
    }
  }

  /** Where a volume lies on this machine. */
  volume(name) {
    const claim = (this.set.spec.volumeClaimTemplates ?? []).find(template => template.metadata.name === name);
    if (!claim) return path.join(this.folder, name);
    const folder = path.join(here, `claim-${name}-${this.name}`);
    if (!existsSync(folder)) {
      mkdirSync(folder);
      chownSync(folder, 0, this.spec.securityContext.fsGroup);
      chmodSync(folder, 0o2775);
    }
    return folder;
  }

  async probe(kind, take) {
    const probe = this.coordinator.spec[kind];
    while (!this.ending) {
      take(await this.ask(probe));
      // Ten times as often as the manifest says, or this test would only wait.
      await sleep((probe.periodSeconds ?? 10) * 100);
    }
  }
}

class Container {
  constructor(pod, spec) {
    this.pod = pod;
    this.spec = spec;
    this.lines = [];
    this.starts = 0;
    this.codes = [];
    this.log = path.join(here, `${pod.name}.${pod.number}.${spec.name}.log`);
  }

  start() {
    const { pod, spec } = this, { runAsUser, runAsGroup, fsGroup } = { ...pod.spec.securityContext, ...spec.securityContext };
    const root = path.join(pod.folder, `root-${spec.name}`);
    mkdirSync(root, { recursive: true });
    const mounts = (spec.volumeMounts ?? []).map(mount => `${pod.volume(mount.name)}:${mount.mountPath}:${mount.readOnly ? "ro" : "rw"}`);
    const environment = environmentOf(spec, pod.set, pod.objects, pod.address);
    this.child = spawn("nsenter", [`--net=/proc/${pod.pause.pid}/ns/net`, "--", "unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", path.join(import.meta.dirname, "container.sh"),
      root, folderOf(spec), hostsFile, runAsUser, runAsGroup, fsGroup, ...mounts, "--", ...spec.command, ...(spec.args ?? [])].map(String),
    { env: { PATH: "/usr/sbin:/usr/bin", HOME: "/", AMBROSIA_TEST_RUN: process.env.AMBROSIA_TEST_RUN ?? "", ...environment }, stdio: ["ignore", "pipe", "pipe"] });
    this.starts++;
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on("data", piece => { appendFileSync(this.log, piece); this.lines.push(...piece.toString().split("\n")); });
    this.ended = new Promise(resolve => this.child.on("close", (code, signal) => resolve(signal ?? code)));
    this.ended.then(async code => {
      this.codes.push(code);
      if (pod.ending) return;
      await (this.held ?? sleep(200));
      if (!pod.ending) this.start();
    });
  }

  /** The program itself: the child of the process that made its namespaces. */
  get pid() {
    try {
      return Number(readFileSync(`/proc/${this.child.pid}/task/${this.child.pid}/children`, "utf8").trim()) || 0;
    } catch {
      return 0;
    }
  }

  status(field) {
    return new RegExp(`^${field}:\\s*(.*)$`, "m").exec(readFileSync(`/proc/${this.pid}/status`, "utf8"))?.[1];
  }

  kill() {
    const { pid } = this;
    if (pid) process.kill(pid, "SIGKILL");
    return pid;
  }
}
