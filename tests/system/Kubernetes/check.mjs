// Every overlay must pass, and every mistake that is planted into a rendered overlay must be found.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { errorsOf, parse, render } from "./manifests.mjs";
import { root } from "./programs.mjs";
import { monitorErrors, policyErrors } from "./rules.mjs";
import { schemaErrors } from "./schema.mjs";

let passed = 0, failed = 0;
const check = (sentence, errors) => {
  if (errors.length === 0) passed++; else failed++;
  console.log(`${errors.length === 0 ? "ok      " : "FAILED  "}${sentence}${errors.map(text => `\n          ${text}`).join("")}`);
};

const kinds = objects => objects.map(object => object.kind).sort().filter((kind, at, all) => kind !== all[at - 1]).join(", ");
for (const overlay of ["overlays/files", "overlays/postgres", "overlays/azure", "overlays/replicas"]) {
  const objects = render(overlay);
  check(`${overlay}: ${objects.length} objects (${kinds(objects)}) are what Kubernetes knows, fit together and are restricted`, await errorsOf(objects));
}

// The template's manifests are given the base when they are packed.
const solution = mkdtempSync(path.join(os.tmpdir(), "solution-"));
try {
  cpSync(path.join(root, "packaging/Ambrosia.Templates/templates/immortal-solution/k8s"), solution, { recursive: true });
  cpSync(path.join(root, "deploy/k8s/base"), path.join(solution, "base"), { recursive: true });
  const objects = render(solution), policies = objects.filter(object => object.kind === "NetworkPolicy");
  check(`the template immortal-solution: ${objects.length} objects are what Kubernetes knows, and its policies mean pods that are there`, [
    ...(await Promise.all(objects.map(schemaErrors))).flat(), ...(policies.length > 0 ? policies.flatMap(policyErrors) : ["it has no policy"])]);
} finally {
  rmSync(solution, { recursive: true });
}

const command = path.join(root, "src/Ambrosia/bin/Release/net8.0/ambrosia");
// What 'ambrosia manifests' makes of an application's file; certificates are made by hand.
const made = mkdtempSync(path.join(os.tmpdir(), "made-"));
try {
  const file = path.join(made, "app.json");
  writeFileSync(file, JSON.stringify({
    name: "shop",
    immortals: {
      orders: { program: ["dotnet", "Orders.dll"], arguments: ["off", "$(A)", "0440"], ports: [8080], image: "shop-orders:1.0.0", options: ["--segment-size=16MiB"] },
      stock: { program: ["dotnet", "Stock.dll"], environment: { GREETING: "yes: \"no\"" }, image: `shop-stock@sha256:${"0".repeat(64)}` },
    },
    programs: { web: { program: ["dotnet", "Web.dll"], ports: [8081], image: "shop-web:1.0.0" } },
  }));
  const run = spawnSync(command, ["manifests", "kubernetes", "-f", file, "--output", path.join(made, "k8s")], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(`ambrosia manifests: ${run.stderr}${run.error ?? ""}`);
  const objects = render(path.join(made, "k8s")), policies = objects.filter(object => object.kind === "NetworkPolicy");
  check(`ambrosia manifests kubernetes: ${objects.length} objects (${kinds(objects)}) are what Kubernetes knows, and its policies mean pods that are there`, [
    ...(await Promise.all(objects.map(schemaErrors))).flat(), ...(policies.length === 2 ? policies.flatMap(policyErrors) : [`it has ${policies.length} policies`])]);
  const app = objects.find(object => object.kind === "StatefulSet" && object.metadata.name === "immortal-orders").spec.template.spec;
  check("ambrosia manifests kubernetes: arguments, options and images arrive as they were written", [
    ...(app.containers[0].args.join("|") === "off|$$(A)|0440" ? [] : [`arguments: ${app.containers[0].args.join("|")}`]),
    ...(app.containers[0].image === "shop-orders:1.0.0" ? [] : [`image: ${app.containers[0].image}`]),
    ...(app.initContainers[0].env.some(({ name, value }) => name === "AMBROSIA_SEGMENT_SIZE" && value === "16MiB") ? [] : ["the coordinator's option is not there"])]);
  const compose = spawnSync(command, ["manifests", "compose", "-f", file], { encoding: "utf8" });
  const services = parse(compose.stdout)[0].services;
  check("ambrosia manifests compose: services, arguments and variables are what the file says", [
    ...(Object.keys(services).join() === "ambrosia-volumes,orders,stock,web" ? [] : [Object.keys(services).join()]),
    ...(services.orders.command.join("|") === "off|$$(A)|0440" ? [] : [services.orders.command.join("|")]),
    ...(services.stock.environment.GREETING === "yes: \"no\"" ? [] : [services.stock.environment.GREETING])]);
} finally {
  rmSync(made, { recursive: true });
}

// Beside every overlay, because only clusters with the operator know its kinds.
const [monitor, ...others] = render("monitoring");
const sets = render("overlays/replicas").filter(object => object.kind === "StatefulSet");
check("monitoring: the Prometheus operator knows the monitor, which finds the pods of every instance and their port", [
  ...await schemaErrors(monitor), ...others.map(({ kind }) => `a ${kind} more`), ...monitorErrors(monitor, sets)]);
for (const [sentence, plant, expected] of [
  ["a monitor of a port that nobody names", spec => { spec.podMetricsEndpoints[0].port = "metrics"; }, /no container names its port metrics/],
  ["a monitor of other pods", spec => { spec.selector.matchLabels["app.kubernetes.io/component"] = "mortal"; }, /does not find the pods/],
  ["a misspelt field of a monitor", spec => { spec.podMetricEndpoints = []; }, /podMetricEndpoints is not a field/],
]) {
  const [planted] = render("monitoring");
  plant(planted.spec);
  const errors = [...await schemaErrors(planted), ...monitorErrors(planted, sets)];
  check(`found: ${sentence}`, errors.some(text => expected.test(text)) ? [] : [`expected ${expected}, got: ${errors.join("; ") || "nothing"}`]);
}

const of = (objects, kind) => objects.find(object => object.kind === kind);
const pod = objects => of(objects, "StatefulSet").spec.template.spec;
const coordinator = objects => pod(objects).initContainers[0];
const mistakes = [
  ["a misspelt field of a container", all => { coordinator(all).livenesProbe = coordinator(all).livenessProbe; }, /livenesProbe is not a field/],
  ["a misspelt field of a pod", all => { pod(all).automountServiceAcountToken = false; }, /automountServiceAcountToken is not a field/],
  ["a field in the wrong place", all => { of(all, "StatefulSet").spec.restartPolicy = "Always"; }, /spec\/restartPolicy is not a field/],
  ["a field of the object itself that is none", all => { of(all, "Service").spce = {}; }, /spce is not a field/],
  ["a number where a text belongs", all => { pod(all).containers[0].env[0].name = 7; }, /name must be string/],
  ["a text where a number belongs", all => { of(all, "StatefulSet").spec.replicas = "one"; }, /replicas must be integer/],
  ["a value that is none of the known ones", all => { coordinator(all).imagePullPolicy = "Sometimes"; }, /imagePullPolicy must be equal to one of/],
  ["a required field left out", all => { delete of(all, "StatefulSet").spec.selector; }, /required property selector/],
  ["a kind that does not exist", all => { of(all, "PodDisruptionBudget").kind = "PodDisruptionBuget"; }, /has no PodDisruptionBuget/],
  ["a version that no longer exists", all => { of(all, "PodDisruptionBudget").apiVersion = "policy/v2"; }, /of policy\/v2/],
  ["a pod that may be root", all => { pod(all).securityContext.runAsNonRoot = false; }, /may run as root/],
  ["a container that keeps capabilities", all => { coordinator(all).securityContext.capabilities.add = ["NET_ADMIN"]; }, /keeps capabilities/],
  ["a container of another user", all => { pod(all).containers[0].securityContext.runAsUser = 10002; }, /could not use the socket/],
  ["a folder of the node", all => { pod(all).volumes.push({ name: "host", hostPath: { path: "/" } }); }, /restricted pods may not have/],
  ["a volume that is not there", all => { of(all, "StatefulSet").spec.volumeClaimTemplates = []; }, /no volume data/],
  ["a probe of a port that nobody names", all => { coordinator(all).readinessProbe.httpGet.port = "admin"; }, /asks port admin/],
  ["a service that leads nowhere", all => { of(all, "Service").spec.selector["app.kubernetes.io/instance"] = "greeting"; }, /leads to 0/],
  ["a policy that cuts immortals off", all => { of(all, "NetworkPolicy").spec.ingress[0].from[0].podSelector.matchLabels["app.kubernetes.io/component"] = "immortals"; }, /are no immortals/],
  ["a policy that asks names of pods of this application", all => { of(all, "NetworkPolicy").spec.egress[1].to[0].podSelector.matchLabels = { "app.kubernetes.io/part-of": "hello" }; }, /finds none/],
  ["a policy that lets names be asked of anybody", all => { delete of(all, "NetworkPolicy").spec.egress[1].to; }, /names be asked of anybody/],
  ["a container that may fill its node's disk", all => { delete coordinator(all).resources.limits["ephemeral-storage"]; }, /may fill the disk/],
  ["a volume larger than the pod's limits", all => { pod(all).volumes.find(({ name }) => name === "tmp").emptyDir.sizeLimit = "1Gi"; }, /evict the pod/],
  ["replicas without numbers", all => { of(all, "StatefulSet").spec.replicas = 3; }, /replicas without numbers/],
  ["replicas on volumes of their own", all => { of(all, "StatefulSet").spec.replicas = 3; }, /logs of their own/],
  ["an image by a digest that is none", all => { coordinator(all).image = "ambrosia/coordinator@sha256:0.1.0"; }, /names no version/],
  ["a misspelt option", all => { of(all, "ConfigMap").data.AMBROSIA_CLUSTRE = "hello"; }, /does not know AMBROSIA_CLUSTRE/],
  ["an option with a wrong value", all => { of(all, "ConfigMap").data.AMBROSIA_LOG_FORMAT = "yaml"; }, /refuses its options/],
];
for (const [sentence, plant, expected] of mistakes) {
  const objects = render("overlays/files");
  plant(objects);
  const errors = await errorsOf(objects);
  check(`found: ${sentence}`, errors.some(text => expected.test(text)) ? [] : [`expected ${expected}, got: ${errors.join("; ") || "nothing"}`]);
}

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
