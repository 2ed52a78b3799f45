// The chart of deploy/helm: the same objects as deploy/k8s by default and for every store, each value has its effect, bad ones are refused with words, and the pages' commands work.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import YAML from "yaml";
import { differences, folder, helm, renderChart } from "./chart.mjs";
import { check, end } from "./checks.mjs";
import { errorsOf, parse, render } from "./manifests.mjs";
import { root } from "./programs.mjs";
import { monitorErrors } from "./rules.mjs";
import { schemaErrors } from "./schema.mjs";

const none = (sentence, errors) => check(sentence, errors.length === 0, errors.join("; "));
const read = (...file) => readFileSync(path.join(...file), "utf8");
const all = (objects, kind) => objects.filter(object => object.kind === kind);
const of = (objects, kind, name) => objects.find(object => object.kind === kind && (!name || object.metadata.name === name));
const pod = objects => of(objects, "StatefulSet").spec.template.spec;
const coordinator = objects => pod(objects).initContainers[0];
const app = objects => pod(objects).containers[0];
const variable = (container, name) => container.env.find(item => item.name === name)?.value;

const version = helm(["version", "--template", "{{.Version}}"]);
check("Helm answers", version.code === 0, version.text || version.errors);
const lint = helm(["lint", "--strict", folder]);
check("Helm's own rules find nothing in the chart", lint.code === 0, lint.code === 0 ? "" : lint.text);

// The same as the manifests, so that neither changes without the other.
const azure = { kind: "azure", azure: { account: "youraccount", clientId: "00000000-0000-0000-0000-000000000000" } };
const postgres = { kind: "postgres" };
const overlays = [["overlays/files", {}], ["overlays/postgres", { store: postgres }], ["overlays/azure", { store: azure }], ["overlays/replicas", { store: postgres, replicas: 3 }]];
for (const [overlay, values] of overlays) {
  const objects = renderChart(values);
  none(`the chart's ${objects.length} objects with ${JSON.stringify(values)} are those of ${overlay}`, differences(render(overlay), objects));
  none(`they are what Kubernetes knows, fit together and are restricted, and the programs understand their options`, await errorsOf(objects));
}

const monitored = renderChart({ metrics: { podMonitor: { enabled: true } } }), monitor = of(monitored, "PodMonitor");
monitor.spec.selector.matchLabels = Object.fromEntries(Object.entries(monitor.spec.selector.matchLabels).filter(([name]) => name !== "app.kubernetes.io/part-of")); // A namespace may have two releases.
none("with metrics.podMonitor the monitor is that of deploy/k8s/monitoring, and finds every instance", [
  ...differences(render("monitoring"), [monitor]), ...await schemaErrors(monitor), ...monitorErrors(monitor, all(monitored, "StatefulSet"))]);

const certified = renderChart({ certificates: { certManager: { enabled: true, issuer: { name: "ours" } } } });
none("with certificates.certManager each instance has a certificate, which cert-manager knows, in the secret that its pod has", [
  ...(await Promise.all(all(certified, "Certificate").map(schemaErrors))).flat(),
  ...all(certified, "StatefulSet").filter(set => {
    const instance = set.metadata.labels["app.kubernetes.io/instance"], { spec } = of(certified, "Certificate", `immortal-${instance}`);
    return spec.secretName !== set.spec.template.spec.volumes.find(({ name }) => name === "tls").secret.secretName || spec.uris.join() !== `spiffe://hello/${instance}`;
  }).map(set => `${set.metadata.name} has another one`)]);

// What makes them differ is found, on either side.
const scratch = mkdtempSync(path.join(os.tmpdir(), "chart-"));
try {
  const files = render("overlays/files");
  for (const [file, from, to, expected] of [
    ["templates/statefulsets.yaml", "value: wait", "value: stop", /containers\/app\/env\/AMBROSIA_ON_COORDINATOR_EXIT\/value: "wait" in the manifests, "stop" in the chart/],
    ["templates/statefulsets.yaml", "path: /readyz", "path: /healthz", /readinessProbe\/httpGet\/path/],
    ["templates/statefulsets.yaml", "          restartPolicy: Always\n", "", /coordinator\/restartPolicy: "Always" in the manifests/],
    ["templates/statefulsets.yaml", "whenDeleted: Retain", "whenDeleted: Delete", /whenDeleted/],
    ["templates/statefulsets.yaml", "/app/Ambrosia.ImmortalCoordinator\"]", "/app/Ambrosia.ImmortalCoordinator\", \"--no-log\"]", /coordinator\/command\/1/],
    ["templates/statefulsets.yaml", "              readOnly: true\n", "", /volumeMounts\/tls at .*readOnly/],
    ["templates/services.yaml", "publishNotReadyAddresses: true", "publishNotReadyAddresses: false", /Service immortal-greeter\/spec\/publishNotReadyAddresses/],
    ["templates/networkpolicies.yaml", "values: [kube-dns]", "values: [dns]", /NetworkPolicy immortals\/spec\/egress/],
    ["templates/disruptionbudget.yaml", "AlwaysAllow", "IfHealthyBudget", /PodDisruptionBudget immortals/],
    ["templates/_helpers.tpl", "app.kubernetes.io/component: immortal", "app.kubernetes.io/component: mortal", /selector\/matchLabels/],
    ["values.yaml", "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", /coordinator\/securityContext\/readOnlyRootFilesystem/],
    ["values.yaml", "memory: 512Mi", "memory: 513Mi", /resources\/limits\/memory/],
  ]) {
    const chart = path.join(scratch, "ambrosia"), changed = path.join(chart, file);
    cpSync(folder, chart, { recursive: true });
    if (!read(changed).includes(from)) throw new Error(`${file} does not hold ${from}`);
    writeFileSync(changed, read(changed).replace(from, to));
    const found = differences(files, renderChart({}, chart));
    check(`found: a chart with ${JSON.stringify(to.trim())} in the place of ${JSON.stringify(from.trim())}`, found.some(text => expected.test(text)), found.join("; ") || "nothing");
    rmSync(chart, { recursive: true });
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
for (const [what, plant, expected] of [
  ["an option more", objects => { of(objects, "ConfigMap").data.AMBROSIA_WATCHDOG = "1s"; }, /AMBROSIA_WATCHDOG: "1s" in the manifests, undefined in the chart/],
  ["an object more", objects => objects.push({ kind: "Secret", metadata: { name: "mine" } }), /the chart has no Secret mine/],
  ["an object less", objects => objects.splice(objects.findIndex(({ kind }) => kind === "PodDisruptionBudget"), 1), /which the manifests do not have/],
]) {
  const changed = render("overlays/files");
  plant(changed);
  const found = differences(changed, renderChart());
  check(`found: manifests with ${what}`, found.some(text => expected.test(text)), found.join("; ") || "nothing");
}

// Every value of values.yaml has its effect.
const one = (more = {}) => ({ instances: [{ name: "till", command: ["/app/HelloWorld"], ...more }] });
const options = objects => of(objects, "ConfigMap").data;
const policy = (objects, name = "hello-immortals") => of(objects, "NetworkPolicy", name)?.spec;
const digest = `sha256:${"a".repeat(64)}`;
const tls = objects => pod(objects).volumes.find(({ name }) => name === "tls").secret.secretName;
const issued = { certificates: { certManager: { enabled: true, issuer: { name: "ours", kind: "ClusterIssuer", group: "pki.example" }, duration: "24h", renewBefore: "8h" } } };
const toleration = { key: "disk", operator: "Exists" }, spread = { maxSkew: 2, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" };
const rule = { ports: [{ port: 8080, protocol: "TCP" }] };
const cases = [
  [{ cluster: "bank" }, all => options(all).AMBROSIA_CLUSTER, "bank"],
  [{ cluster: "bank", ...issued }, all => of(all, "Certificate").spec.uris, ["spiffe://bank/greeter"]],
  [one(), objects => all(objects, "StatefulSet").map(set => set.metadata.name), ["immortal-till"]],
  [one({ args: ["--fast"] }), all => app(all).args, ["--fast"]],
  [one({ env: [{ name: "AMBROSIA_UPGRADE", value: "true" }] }), all => variable(app(all), "AMBROSIA_UPGRADE"), "true"],
  [one({ image: { tag: "7" } }), all => app(all).image, "ambrosia/hello-world:7"],
  [one({ image: { repository: "shop/till" } }), all => app(all).image, "shop/till:0.1.0"],
  [{ ...one({ image: { tag: "7" } }), images: { app: { digest } } }, all => app(all).image, "ambrosia/hello-world:7"],
  [{ ...one({ replicas: 2 }), store: postgres }, all => of(all, "StatefulSet").spec.replicas, 2],
  [one({ resources: { limits: { memory: "1Gi" } } }), all => app(all).resources, { limits: { memory: "1Gi" } }],
  [one({ certificateSecret: "mine" }), tls, "mine"],
  [{ replicas: 3, store: postgres }, objects => all(objects, "StatefulSet").map(set => set.spec.replicas), [3, 3]],
  [{ images: { coordinator: { repository: "r.example/c", tag: "1" } } }, all => coordinator(all).image, "r.example/c:1"],
  [{ images: { coordinator: { digest } } }, all => coordinator(all).image, `ambrosia/coordinator@${digest}`],
  [{ images: { app: { repository: "r.example:5000/a", tag: "2" } } }, all => app(all).image, "r.example:5000/a:2"],
  [{ images: { app: { digest } } }, all => app(all).image, `ambrosia/hello-world@${digest}`],
  [{ images: { pullPolicy: "Always" } }, all => [coordinator(all).imagePullPolicy, app(all).imagePullPolicy], ["Always", "Always"]],
  [{ images: { pullSecrets: ["login"] } }, all => pod(all).imagePullSecrets, [{ name: "login" }]],
  [{ store: { kind: "file", file: { size: "20Gi", storageClass: "fast", accessMode: "ReadWriteOnce" } } }, all => of(all, "StatefulSet").spec.volumeClaimTemplates[0].spec,
    { accessModes: ["ReadWriteOnce"], storageClassName: "fast", resources: { requests: { storage: "20Gi" } } }],
  [{ store: { kind: "postgres", postgres: { host: "db", port: 5433, user: "u", database: "d", schema: "blue", sslmode: "require" } } }, all => options(all).AMBROSIA_STORE,
    "postgres://u@db:5433/d?sslmode=require&schema=blue"],
  [{ store: { kind: "postgres", postgres: { user: "svc@tenant", database: "my logs" } } }, all => options(all).AMBROSIA_STORE,
    "postgres://svc%40tenant@postgres.database/my%20logs?sslmode=verify-full&sslrootcert=/etc/ambrosia/database/ca.crt"],
  [{ store: { kind: "file", file: { storageClass: "123" } }, pod: { priorityClassName: "1e3" } }, all => [of(all, "StatefulSet").spec.volumeClaimTemplates[0].spec.storageClassName, pod(all).priorityClassName], ["123", "1e3"]],
  [{ store: { kind: "postgres", postgres: { port: 5433, namespace: "" } } }, all => policy(all, "hello-store").egress, [{ ports: [{ port: 5433, protocol: "TCP" }] }]],
  [{ store: { kind: "postgres", postgres: { secretName: "mine" } } }, all => pod(all).volumes.find(({ name }) => name === "database").secret.secretName, "mine"],
  [{ store: { ...azure, azure: { ...azure.azure, account: "acme", container: "c", table: "t", endpointSuffix: "example.cn" } } }, all => [options(all).AMBROSIA_STORE, options(all).AMBROSIA_CATALOG],
    ["azblob://acme.blob.example.cn/c", "aztable://acme.table.example.cn/t"]],
  [{ store: { kind: "azure", azure: { account: "acme", clientId: "me" } } }, all => of(all, "ServiceAccount").metadata.annotations, { "azure.workload.identity/client-id": "me" }],
  [{ store: { ...postgres, scratch: { size: "7Gi", containerLimit: "8Gi" } } }, all => [pod(all).volumes.find(({ name }) => name === "scratch").emptyDir.sizeLimit, coordinator(all).resources.limits["ephemeral-storage"]],
    ["7Gi", "8Gi"]],
  [{ certificates: { secretName: "cert-{instance}" } }, tls, "cert-greeter"],
  [issued, all => (({ issuerRef, duration, renewBefore }) => [issuerRef, duration, renewBefore])(of(all, "Certificate").spec), [{ name: "ours", kind: "ClusterIssuer", group: "pki.example" }, "24h", "8h"]],
  [{ coordinator: { options: { AMBROSIA_LOG_FORMAT: "text", AMBROSIA_QUARANTINE_AFTER: 3 } } }, all => [options(all).AMBROSIA_LOG_FORMAT, options(all).AMBROSIA_QUARANTINE_AFTER], ["text", "3"]],
  [{ coordinator: { options: { AMBROSIA_MAX_MESSAGE_SIZE: 16777216, AMBROSIA_MAX_TURN_BYTES: 1073741824 } } }, all => [options(all).AMBROSIA_MAX_MESSAGE_SIZE, options(all).AMBROSIA_MAX_TURN_BYTES], ["16777216", "1073741824"]],
  [{ coordinator: { resources: { requests: { cpu: 1 } } } }, all => coordinator(all).resources.requests.cpu, 1],
  [{ coordinator: { resources: { requests: { memory: "1Gi", "ephemeral-storage": "1Mi" }, limits: { memory: "1Gi", "ephemeral-storage": "1Gi" } } } }, all => coordinator(all).resources.limits, { memory: "1Gi", "ephemeral-storage": "1Gi" }],
  [{ coordinator: { securityContext: { runAsUser: 7 } } }, all => coordinator(all).securityContext.runAsUser, 7],
  [{ app: { env: [{ name: "REGION", value: "north" }] } }, all => variable(app(all), "REGION"), "north"],
  [{ app: { tmpSize: "1Gi" } }, all => pod(all).volumes.find(({ name }) => name === "tmp").emptyDir.sizeLimit, "1Gi"],
  [{ app: { resources: { requests: { cpu: "2" } } } }, all => app(all).resources.requests.cpu, "2"],
  [{ app: { securityContext: { runAsUser: 7 } } }, all => app(all).securityContext.runAsUser, 7],
  [{ ports: { peers: 5100, health: 5180 } }, all => [variable(coordinator(all), "AMBROSIA_PEER_ADDRESS"), variable(coordinator(all), "AMBROSIA_HEALTH"), options(all).AMBROSIA_CATALOG,
    coordinator(all).ports.map(port => port.containerPort), of(all, "Service").spec.ports.map(({ port }) => port), policy(all).ingress.map(({ ports }) => ports[0].port), policy(all).egress[0].ports[0].port],
    ["tcp:$(POD_IP):5100", "tcp:$(POD_IP):5180", "dns:immortal-{instance}:5100", [5100, 5180], [5100, 5180], [5100, 5180], 5100]],
  [{ admin: { enabled: true, port: 5170 } }, all => variable(coordinator(all), "AMBROSIA_ADMIN"), "tcp:127.0.0.1:5170"],
  [{ admin: { enabled: false } }, all => [variable(coordinator(all), "AMBROSIA_ADMIN"), pod(all).volumes.filter(({ name }) => name === "admin").length], ["off", 0]],
  [{ metrics: { namespace: "prometheus" } }, all => policy(all).ingress[1].from[0].namespaceSelector.matchLabels, { "kubernetes.io/metadata.name": "prometheus" }],
  [{ metrics: { namespace: "" } }, all => policy(all).ingress.length, 1],
  [{ metrics: { podMonitor: { enabled: true, interval: "1m", labels: { release: "prometheus" } } } }, all => [of(all, "PodMonitor").spec.podMetricsEndpoints[0].interval, of(all, "PodMonitor").metadata.labels.release], ["1m", "prometheus"]],
  [{ probes: { startup: { periodSeconds: 3, failureThreshold: 9 } } }, all => coordinator(all).startupProbe, { httpGet: { path: "/healthz", port: "health" }, periodSeconds: 3, failureThreshold: 9 }],
  [{ probes: { liveness: { periodSeconds: 3, timeoutSeconds: 1, failureThreshold: 9 } } }, all => coordinator(all).livenessProbe, { httpGet: { path: "/healthz", port: "health" }, periodSeconds: 3, timeoutSeconds: 1, failureThreshold: 9 }],
  [{ probes: { readiness: { periodSeconds: 3, timeoutSeconds: 1, failureThreshold: 9 } } }, all => coordinator(all).readinessProbe, { httpGet: { path: "/readyz", port: "health" }, periodSeconds: 3, timeoutSeconds: 1, failureThreshold: 9 }],
  [{ podDisruptionBudget: { enabled: false } }, objects => all(objects, "PodDisruptionBudget").length, 0],
  [{ podDisruptionBudget: { maxUnavailable: "25%" } }, all => of(all, "PodDisruptionBudget").spec.maxUnavailable, "25%"],
  [{ networkPolicy: { enabled: false }, store: postgres }, objects => all(objects, "NetworkPolicy").length, 0],
  [{ networkPolicy: { ingress: [rule], egress: [rule] } }, all => [policy(all).ingress.at(-1), policy(all).egress.at(-1)], [rule, rule]],
  [{ pod: { annotations: { team: "shop" } } }, all => of(all, "StatefulSet").spec.template.metadata.annotations.team, "shop"],
  [{ pod: { labels: { team: "shop" } } }, all => of(all, "StatefulSet").spec.template.metadata.labels.team, "shop"],
  [{ pod: { nodeSelector: { disk: "fast" } } }, all => pod(all).nodeSelector, { disk: "fast" }],
  [{ pod: { tolerations: [toleration] } }, all => pod(all).tolerations, [toleration]],
  [{ pod: { affinity: { nodeAffinity: {} } } }, all => pod(all).affinity, { nodeAffinity: {} }],
  [{ pod: { priorityClassName: "high" } }, all => pod(all).priorityClassName, "high"],
  [{ pod: { topologySpreadConstraints: [spread] }, replicas: 3, store: postgres }, all => pod(all).topologySpreadConstraints, [spread]],
  [{ pod: { terminationGracePeriodSeconds: 60 } }, all => pod(all).terminationGracePeriodSeconds, 60],
  [{ pod: { securityContext: { runAsNonRoot: true, runAsUser: 7, runAsGroup: 7, fsGroup: 7, fsGroupChangePolicy: "Always", seccompProfile: { type: "Localhost", localhostProfile: "p" } } } }, all => pod(all).securityContext,
    { runAsNonRoot: true, runAsUser: 7, runAsGroup: 7, fsGroup: 7, fsGroupChangePolicy: "Always", seccompProfile: { type: "Localhost", localhostProfile: "p" } }],
];
for (const [values, look, expected] of cases) {
  const objects = renderChart(values), wrong = (await Promise.all(objects.map(schemaErrors))).flat();
  const [is, must] = [look(objects), expected].map(sorted);
  none(`${JSON.stringify(values).slice(0, 110)} has its effect`, [...(is === must ? [] : [`${is} instead of ${must}`]), ...wrong]);
}

/** A value as text, whatever the order of its fields. */
function sorted(value) {
  return JSON.stringify(value, (_, part) => part && typeof part === "object" && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort()) : part);
}

// Whatever they are called: Kubernetes takes names that are numbers to other programs, and refuses numbers.
const numbered = helm(["template", "123", folder, "--namespace", "456", "-f", "-"], { store: postgres });
none("a release and a namespace whose names are numbers make what Kubernetes takes", numbered.code !== 0 ? [numbered.errors]
  : (await Promise.all(parse(numbered.text).map(schemaErrors))).flat());

const checksum = values => of(renderChart(values), "StatefulSet").spec.template.metadata.annotations["checksum/options"];
check("other options are other pods", checksum({}) !== checksum({ coordinator: { options: { AMBROSIA_WATCHDOG: "1s" } } }) && checksum({}) === checksum({ app: { tmpSize: "1Gi" } }));

const leaves = (value, at = "") => value && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0 ? Object.entries(value).flatMap(([name, part]) => leaves(part, at ? `${at}.${name}` : name)) : [at];
const given = leaves(YAML.parse(read(folder, "values.yaml"))), seen = new Set(cases.flatMap(([values]) => leaves(values)));
const untried = given.filter(name => ![...seen].some(other => other === name || other.startsWith(`${name}.`) || name.startsWith(`${other}.`)) && !/^(coordinator|app)\.securityContext\./.test(name) && !/^app\.resources\./.test(name));
none(`each of the ${given.length} values of values.yaml is tried above`, untried);

// The chart's own page.
const page = read(folder, "README.md"), rows = [...page.matchAll(/^\| `([\w.[\]]+)` \|/gm)].map(match => match[1]);
none("the chart's page explains every value", given.filter(name => !rows.some(row => name === row || name.startsWith(`${row}.`))));
none("and none that is not there", rows.filter(row => !row.startsWith("instances[]") && !given.some(name => name === row || name.startsWith(`${row}.`))));
const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(match => YAML.parse(match[1]));
for (const values of blocks) {
  const objects = renderChart(values);
  none(`the page's example ${JSON.stringify(values).slice(0, 60)}... is what Kubernetes knows`, (await Promise.all(objects.map(schemaErrors))).flat());
}
check("the page has examples", blocks.length >= 2, `${blocks.length}`);

const commands = [read(root, "docs/operate/kubernetes.md"), page].flatMap(text => [...text.matchAll(/^helm ((?:[^\n]*\\\n)*[^\n#|]*)/gm)].map(match => match[1].replaceAll("\\\n", " ").trim().split(/\s+/)));
for (const args of commands) {
  if (args[0] === "uninstall") continue; // Asks a cluster.
  const files = args.flatMap((word, at) => word === "-f" ? [args[at + 1]] : []), verb = args[0] === "install" || args[0] === "upgrade" ? "template" : args[0];
  if (files.length > 0 && files.some(file => file !== "values.yaml")) throw new Error(`an example with ${files}`);
  // The file that a command names is the page's first example.
  const { code, errors } = helm([verb, ...args.slice(1).filter(word => word !== "--install").map(word => word === "deploy/helm" ? folder : word === "values.yaml" ? "-" : word)], blocks[0]);
  check(`helm ${args.join(" ")} works`, code === 0, errors.trim());
}
check("the pages show commands", commands.length >= 3, `${commands.length}`);

// What is said after an installation. A dry run asks no cluster.
for (const [values, wanted] of [
  [{}, [/2 immortals of the cluster hello/, /greeter-tls, for spiffe:\/\/hello\/greeter/, /visitor-tls, for spiffe:\/\/hello\/visitor/, /port-forward immortal-greeter-0 4170/]],
  [{ store: postgres }, [/in PostgreSQL at postgres\.database/, /ambrosia-database, too/]],
  [{ store: azure, ...issued, admin: { enabled: false } }, [/in the Azure storage account youraccount/, /cert-manager makes their certificates/]],
]) {
  const { code, text, errors } = helm(["install", "hello", folder, "--namespace", "hello", "--dry-run=client", "-f", "-"], values);
  const notes = text.split("NOTES:")[1] ?? "";
  none(`the notes of ${JSON.stringify(values).slice(0, 60)} say what to do`, [...(code === 0 ? [] : [errors]), ...wanted.filter(pattern => !pattern.test(notes)).map(pattern => `no ${pattern}`), ...(/<no value>|<nil>/.test(notes) ? ["a value is missing"] : [])]);
}

// Bad values are refused, and the words name the value and say what is wrong.
const bad = [
  [{ stroe: { kind: "file" } }, /additional properties 'stroe' not allowed/],
  [{ store: { kind: "disk" } }, /'\/store\/kind': value must be one of 'file', 'postgres', 'azure'/],
  [{ store: { kind: "postgres", postgres: { password: "secret" } } }, /'\/store\/postgres': additional properties 'password' not allowed/],
  [{ store: { kind: "postgres", postgres: { sslmode: "on" } } }, /'\/store\/postgres\/sslmode': value must be one of 'disable', 'prefer'/],
  [{ store: { kind: "azure", azure: { clientId: "me" } } }, /store\.azure\.account is missing: write the name of the storage account/],
  [{ store: { kind: "azure", azure: { account: "acme" } } }, /store\.azure\.clientId is missing: write the client id/],
  [{ store: { file: { size: "10" } } }, /store\.file\.size: '10' is not a size: write a number and Mi, Gi or Ti, such as 10Gi/],
  [{ store: { file: { accessMode: "ReadWriteMany" } } }, /'\/store\/file\/accessMode': value must be one of 'ReadWriteOncePod', 'ReadWriteOnce'/],
  [{ store: { scratch: { size: "much" } } }, /store\.scratch\.size: 'much' is not a size/],
  [{ replicas: "three" }, /'\/replicas': got string, want integer/],
  [{ replicas: 0 }, /'\/replicas': minimum: got 0, want 1/],
  [{ replicas: 3 }, /'greeter' cannot have more than one pod with store\.kind=file, because each pod would have a log of its own: choose store\.kind=postgres or azure/],
  [one({ replicas: 2 }), /'till' cannot have more than one pod with store\.kind=file/],
  [{ instances: [] }, /'\/instances': minItems: got 0, want 1/],
  [{ instances: [{ name: "till" }] }, /'\/instances\/0': missing property 'command'/],
  [{ instances: [{ name: "till", command: ["/app/Till"] }, { name: "till", command: ["/app/Till"] }] }, /'till' is there twice: give each instance a name of its own/],
  [{ instances: [{ name: "The_Till", command: ["/app/Till"] }] }, /'The_Till' is not a name: write 1 to 43 small letters, digits or '-'/],
  [{ instances: [{ name: "t".repeat(44), command: ["/app/Till"] }] }, /is not a name: write 1 to 43/],
  [one({ env: [{ name: "AMBROSIA_SOCKET", value: "/tmp/s" }] }), /the chart sets AMBROSIA_SOCKET itself/],
  [one({ secret: "mine" }), /'\/instances\/0': additional properties 'secret' not allowed/],
  [{ cluster: "the bank" }, /cluster: 'the bank' is not a name: write 1 to 63 letters, digits/],
  [{ images: { app: { digest: "sha256:0.1.0" } } }, /images\.app\.digest: 'sha256:0\.1\.0' is not a digest: write sha256: and 64 hexadecimal digits/],
  [{ images: { app: { tag: 1 } } }, /'\/images\/app\/tag': got number, want string/],
  [{ images: { pullPolicy: "Sometimes" } }, /'\/images\/pullPolicy': value must be one of '', 'Always', 'IfNotPresent', 'Never'/],
  [{ ports: { peers: 0 } }, /'\/ports\/peers': minimum: got 0, want 1/],
  [{ ports: { peers: 70000 } }, /'\/ports\/peers': maximum: got 70,?000, want 65,?535/],
  [{ admin: { port: 4100 } }, /ports\.peers, ports\.health and admin\.port are 4100, 4180, 4100: give each a number of its own/],
  [{ certificates: { secretName: "tls" } }, /certificates\.secretName: 'tls' would be one secret for all instances.*write \{instance\}/],
  [{ certificates: { certManager: { enabled: true } } }, /certificates\.certManager\.issuer\.name is missing/],
  [{ coordinator: { options: { LOG_LEVEL: "debug" } } }, /coordinator\.options: 'LOG_LEVEL' is not an option: write the name of its variable, such as AMBROSIA_LOG_LEVEL/],
  [{ coordinator: { options: { AMBROSIA_STORE: "file:/tmp" } } }, /coordinator\.options: the chart sets AMBROSIA_STORE itself: use store/],
  [{ coordinator: { resources: { limit: {} } } }, /'\/coordinator\/resources': additional properties 'limit' not allowed/],
  [{ probes: { liveness: { path: "/" } } }, /'\/probes\/liveness': additional properties 'path' not allowed/],
  [{ podDisruptionBudget: { maxUnavailable: 0 } }, /'\/podDisruptionBudget\/maxUnavailable': minimum: got 0, want 1/],
  [{ podDisruptionBudget: { maxUnavailable: "half" } }, /maxUnavailable: 'half' is neither a number nor a percentage: write 1 or more, or such as '25%'/],
  [{ pod: { terminationGracePeriodSeconds: "30s" } }, /'\/pod\/terminationGracePeriodSeconds': got string, want integer/],
];
for (const [values, expected] of bad) {
  const { code, text, errors } = helm(["template", "hello", folder, "-f", "-"], values);
  check(`refused: ${JSON.stringify(values).slice(0, 100)}`, code !== 0 && text === "" && expected.test(errors.replaceAll("\n", " ")), errors.trim().replaceAll("\n", " ") || "nothing is said");
}

const built = /<Version>(.+?)<\/Version>/.exec(read(root, "Directory.Build.props"))[1], named = YAML.parse(read(folder, "Chart.yaml"));
check("the chart's version and that of its images are the product's", named.version === built && named.appVersion === built, `${named.version}, ${named.appVersion}, ${built}`);

end();
