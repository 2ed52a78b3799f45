// Renders the chart of deploy/helm by Helm itself, and compares what it makes with what Kustomize makes of deploy/k8s.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { parse } from "./manifests.mjs";
import { root } from "./programs.mjs";

/** The chart's folder. */
export const folder = path.join(root, "deploy/helm");

/** What Helm says: code, stdout, stderr. Values are read from standard input ("-f -"). */
export function helm(args, values = {}) {
  const run = spawnSync(process.env.AMBROSIA_HELM, args, { input: JSON.stringify(values), encoding: "utf8", maxBuffer: 1 << 24, timeout: 60000 });
  return { code: run.status, text: run.stdout, errors: `${run.stderr}${run.error ?? ""}` };
}

/** All objects that a release "hello" in the namespace "hello" has with these values. */
export function renderChart(values = {}, chart = folder) {
  const { code, text, errors } = helm(["template", "hello", chart, "--namespace", "hello", "-f", "-"], values);
  if (code !== 0 || errors.trim() !== "") throw new Error(`helm template: ${errors}`);
  return parse(text);
}

/** How two renderings differ, in sentences that name the object and the field; none if a cluster would do the same. */
export function differences(kustomized, charted) {
  // Helm makes the namespace by --create-namespace, if at all.
  const [ours, theirs] = [kustomized.filter(({ kind }) => kind !== "Namespace"), charted].map(objects => new Map(objects.map(object => [`${object.kind} ${common(object.metadata.name)}`, plain(object)])));
  return [
    ...[...ours.keys()].filter(name => !theirs.has(name)).map(name => `the chart has no ${name}`),
    ...[...theirs.keys()].filter(name => !ours.has(name)).map(name => `the chart has ${name}, which the manifests do not have`),
    ...[...ours].filter(([name]) => theirs.has(name)).flatMap(([name, object]) => compare(object, withLabelsOf(object, theirs.get(name)), name)),
  ];
}

// Kustomize names a map by a hash of what it holds, the chart shared objects by its release: both may stand twice in a cluster.
const names = [[/^ambrosia-[a-z0-9]{10}$/, "ambrosia"], [/^hello-options$/, "ambrosia"], [/^hello-immortals$/, "immortals"], [/^(hello-store|database|azure)$/, "store"]];
const common = text => names.reduce((name, [pattern, plain]) => name.replace(pattern, plain), text);

function plain(object) {
  const copy = structuredClone(object), template = copy.spec?.template;
  copy.metadata.name = common(copy.metadata.name);
  if (!template) return copy;
  // In the place of the hash in the map's name: other options are other pods.
  if (template.metadata.annotations) {
    delete template.metadata.annotations["checksum/options"];
    if (Object.keys(template.metadata.annotations).length === 0) delete template.metadata.annotations;
  }
  if (template.spec.serviceAccountName) template.spec.serviceAccountName = common(template.spec.serviceAccountName);
  for (const { envFrom } of template.spec.initContainers) for (const { configMapRef } of envFrom) configMapRef.name = common(configMapRef.name);
  return copy;
}

// An object's own labels are for people: a chart has more of them. Those of pods, and what selects by them, are compared whole.
function withLabelsOf(ours, theirs) {
  const wanted = Object.keys(ours.metadata.labels ?? {});
  const { labels = {}, ...metadata } = theirs.metadata;
  return { ...theirs, metadata: { ...metadata, ...(wanted.length > 0 && { labels: Object.fromEntries(Object.entries(labels).filter(([name]) => wanted.includes(name))) }) } };
}

function compare(ours, theirs, where) {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    const named = [...ours, ...theirs].every(item => item?.name !== undefined);
    return named ? compare(byName(ours), byName(theirs), where) : compare({ ...ours }, { ...theirs }, where);
  }
  if (!isObject(ours) || !isObject(theirs)) return JSON.stringify(ours) === JSON.stringify(theirs) ? [] : [`${where}: ${JSON.stringify(ours)} in the manifests, ${JSON.stringify(theirs)} in the chart`];
  return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].flatMap(name => compare(ours[name], theirs[name], `${where}/${name}`));
}

const isObject = value => value !== null && typeof value === "object" && !Array.isArray(value);

// Kubernetes knows the items of such lists by name; their order says nothing, but that a variable stands after those that it names, which the programs themselves are asked about.
const byName = list => Object.fromEntries(list.map(item => [item.mountPath ? `${item.name} at ${item.mountPath}` : item.protocol ? `${item.name} of ${item.protocol}` : item.name, item]));
