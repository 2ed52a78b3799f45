// What the schemas cannot say: that the objects fit together, that every pod is "restricted" in the sense of Kubernetes' pod security standards, and that the programs understand their environment.
import { printedOptions } from "./programs.mjs";

const allowedVolumes = ["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"];

/** What is wrong with all objects of one overlay together. expectedSecrets: names that the operator makes by hand. */
export function ruleErrors(objects, expectedSecrets) {
  const of = kind => objects.filter(object => object.kind === kind);
  return [
    ...of("StatefulSet").flatMap(set => [...security(set), ...volumes(set), ...ports(set), ...references(set, objects, expectedSecrets), ...options(set, objects)].map(text => `${set.metadata.name}: ${text}`)),
    ...of("Service").flatMap(service => serviceErrors(service, of("StatefulSet"))),
    ...of("StatefulSet").filter(set => set.spec.replicas > 1).flatMap(set => replicaErrors(set)),
    ...[...of("PodDisruptionBudget"), ...of("NetworkPolicy")].flatMap(object => coverage(object, of("StatefulSet"))),
    ...of("NetworkPolicy").flatMap(policy => policyErrors(policy)),
    ...objects.filter(object => object.kind !== "Namespace" && object.metadata.namespace !== "hello").map(object => `${object.kind} ${object.metadata.name} is outside of the namespace`),
  ];
}

export const containersOf = set => [...(set.spec.template.spec.initContainers ?? []), ...set.spec.template.spec.containers];

/** Whether an object's labels satisfy a selector's matchLabels. */
export const selects = (selector, labels) => Object.entries(selector ?? {}).every(([name, value]) => labels?.[name] === value);

function security(set) {
  const pod = set.spec.template.spec, own = pod.securityContext ?? {}, errors = [];
  const must = (holds, text) => holds || errors.push(text);
  must(own.runAsNonRoot === true && own.runAsUser > 0, "the pod may run as root");
  must(["RuntimeDefault", "Localhost"].includes(own.seccompProfile?.type), "no seccomp profile");
  must(!pod.hostNetwork && !pod.hostPID && !pod.hostIPC, "the pod shares namespaces of its host");
  must(pod.automountServiceAccountToken === false, "the pod gets a token of the cluster that it has no use for");
  for (const volume of pod.volumes ?? []) must(Object.keys(volume).every(key => key === "name" || allowedVolumes.includes(key)), `volume ${volume.name} is of a kind that restricted pods may not have`);
  for (const container of containersOf(set)) {
    const context = container.securityContext ?? {};
    must(context.allowPrivilegeEscalation === false && !context.privileged, `${container.name} may gain privileges`);
    must(context.capabilities?.drop?.includes("ALL") && !context.capabilities.add, `${container.name} keeps capabilities`);
    must(context.readOnlyRootFilesystem === true, `${container.name} may write to its image`);
    must(context.runAsUser === undefined || context.runAsUser === own.runAsUser, `${container.name} is another user than the pod: it could not use the socket`);
    must(context.runAsNonRoot !== false, `${container.name} may run as root`);
    must(container.resources?.limits?.memory && container.resources.requests?.cpu, `${container.name} has no memory limit or no request`);
    must(container.resources?.limits?.["ephemeral-storage"], `${container.name} may fill the disk of its node`);
    must(/^[\w./-]+(:\d+\/[\w./-]+)?(:[\w.-]+|(:[\w.-]+)?@sha256:[0-9a-f]{64})$/.test(container.image) && !container.image.endsWith(":latest"), `${container.name}: the image ${container.image} names no version`);
  }
  const volumes = sum((pod.volumes ?? []).filter(volume => volume.emptyDir && volume.emptyDir.medium !== "Memory").map(volume => volume.emptyDir.sizeLimit));
  const allowed = sum(containersOf(set).map(container => container.resources?.limits?.["ephemeral-storage"]));
  must(volumes < allowed, "its volumes on the node's disk may be larger than the containers' limits together: the kubelet would evict the pod for what it was given");
  return errors;
}

/** Bytes of quantities such as 64Mi and 6Gi; infinitely many if one has no limit. */
const sum = quantities => quantities.reduce((all, text) => all + (parseInt(text, 10) * { Mi: 2 ** 20, Gi: 2 ** 30 }[/[A-Z]i$/.exec(text)?.[0]] || Infinity), 0);

function volumes(set) {
  const pod = set.spec.template.spec;
  const there = [...(pod.volumes ?? []).map(volume => volume.name), ...(set.spec.volumeClaimTemplates ?? []).map(claim => claim.metadata.name)];
  const mounted = containersOf(set).flatMap(container => (container.volumeMounts ?? []).map(mount => mount.name));
  return [
    ...mounted.filter(name => !there.includes(name)).map(name => `there is no volume ${name}`),
    ...there.filter(name => !mounted.includes(name)).map(name => `nobody mounts the volume ${name}`),
  ];
}

function ports(set) {
  return containersOf(set).flatMap(container => ["startupProbe", "livenessProbe", "readinessProbe"].flatMap(probe => {
    const port = container[probe]?.httpGet?.port;
    const known = (container.ports ?? []).some(({ name, containerPort }) => port === name || port === containerPort);
    return port === undefined || known ? [] : [`the ${probe} of ${container.name} asks port ${port}, which it does not name`];
  }));
}

function references(set, objects, expectedSecrets) {
  const has = (kind, name) => objects.some(object => object.kind === kind && object.metadata.name === name);
  const secrets = (set.spec.template.spec.volumes ?? []).filter(volume => volume.secret).map(volume => volume.secret.secretName);
  const maps = containersOf(set).flatMap(container => (container.envFrom ?? []).map(source => source.configMapRef?.name));
  return [
    ...maps.filter(name => !has("ConfigMap", name)).map(name => `there is no ConfigMap ${name}`),
    ...secrets.filter(name => !has("Secret", name) && !expectedSecrets.includes(name)).map(name => `there is no Secret ${name}`),
    ...[set.spec.template.spec.serviceAccountName].filter(name => name && !has("ServiceAccount", name)).map(name => `there is no ServiceAccount ${name}`),
    ...(has("Service", set.spec.serviceName) ? [] : [`there is no Service ${set.spec.serviceName}`]),
    ...(selects(set.spec.selector.matchLabels, set.spec.template.metadata.labels) ? [] : ["its selector does not fit its own pods"]),
  ];
}

function serviceErrors(service, sets) {
  const chosen = sets.filter(set => selects(service.spec.selector, set.spec.template.metadata.labels));
  if (chosen.length !== 1) return [`Service ${service.metadata.name} leads to ${chosen.length} StatefulSets`];
  const names = containersOf(chosen[0]).flatMap(container => (container.ports ?? []).map(port => port.name));
  return service.spec.ports.filter(port => !names.includes(port.targetPort)).map(port => `Service ${service.metadata.name}: no container names its port ${port.targetPort}`);
}

// Without numbers all pods but one would wait for a lock, and a log on a volume of each pod's own cannot be followed by the others.
function replicaErrors(set) {
  const numbered = containersOf(set)[0].env?.some(({ name, valueFrom }) => name === "AMBROSIA_REPLICA_ID" && valueFrom?.fieldRef?.fieldPath === "metadata.labels['apps.kubernetes.io/pod-index']");
  return [
    ...(numbered ? [] : [`${set.metadata.name} has replicas without numbers`]),
    ...((set.spec.volumeClaimTemplates ?? []).length === 0 ? [] : [`${set.metadata.name} has replicas with logs of their own`]),
  ];
}

/** What is wrong with a PodMonitor for these StatefulSets: it must find their pods, and a port that they name. */
export function monitorErrors(monitor, sets) {
  const found = sets.filter(set => selects(monitor.spec.selector.matchLabels, set.spec.template.metadata.labels) && set.metadata.namespace === monitor.metadata.namespace);
  const missed = sets.filter(set => !found.includes(set)).map(set => `PodMonitor ${monitor.metadata.name} does not find the pods of ${set.metadata.name}`);
  const names = found.flatMap(set => containersOf(set).flatMap(container => (container.ports ?? []).map(port => port.name)));
  const labels = found.every(set => set.spec.template.metadata.labels[monitor.spec.jobLabel]) ? [] : [`PodMonitor ${monitor.metadata.name}: no label ${monitor.spec.jobLabel}`];
  return [...missed, ...labels, ...monitor.spec.podMetricsEndpoints.filter(({ port }) => !names.includes(port)).map(({ port }) => `PodMonitor ${monitor.metadata.name}: no container names its port ${port}`)];
}

function coverage(object, sets) {
  const selector = (object.spec.selector ?? object.spec.podSelector)?.matchLabels;
  return sets.filter(set => !selects(selector, set.spec.template.metadata.labels)).map(set => `${object.kind} ${object.metadata.name} does not cover the pods of ${set.metadata.name}`);
}

/** What is wrong with a NetworkPolicy alone: a rule that selects pods which are none of those it means cuts them off without a word. */
export function policyErrors(policy) {
  const peers = [...(policy.spec.ingress ?? []).flatMap(rule => rule.from ?? []), ...(policy.spec.egress ?? []).flatMap(rule => rule.to ?? [])];
  const anywhere = (policy.spec.egress ?? []).filter(rule => !rule.to && (rule.ports ?? [{ port: 53 }]).some(({ port }) => port === 53));
  // What a cluster's own pods have as labels, this application does not decide: one of its labels more, and nobody is reached.
  const foreign = peers.filter(peer => peer.podSelector && peer.namespaceSelector && Object.keys(peer.podSelector.matchLabels ?? {}).some(name => name.startsWith("app.kubernetes.io/")));
  return [...anywhere.map(() => `NetworkPolicy ${policy.metadata.name} lets names be asked of anybody, and so a way out`),
    ...foreign.map(() => `NetworkPolicy ${policy.metadata.name} looks in another namespace for pods with this application's own labels, and finds none`), ...peers.filter(peer => peer.podSelector && !peer.namespaceSelector && JSON.stringify(peer.podSelector) !== JSON.stringify(policy.spec.podSelector))
    .map(() => `NetworkPolicy ${policy.metadata.name} lets pods in or out that are no immortals`)];
}

/** The environment of a container as Kubernetes makes it: of ConfigMaps, of fields of the pod, and with $(NAME) filled in. */
export function environmentOf(container, set, objects, podIP) {
  const values = {};
  for (const source of container.envFrom ?? []) Object.assign(values, objects.find(object => object.kind === "ConfigMap" && object.metadata.name === source.configMapRef.name)?.data);
  for (const { name, value, valueFrom } of container.env ?? []) values[name] = valueFrom ? field(valueFrom.fieldRef.fieldPath, set, podIP) : String(value).replace(/\$\((\w+)\)/g, (_, known) => values[known]);
  return values;
}

function field(fieldPath, set, podIP) {
  const label = /^metadata\.labels\['(.+)'\]$/.exec(fieldPath);
  if (label?.[1] === "apps.kubernetes.io/pod-index") return "0"; // Set by the StatefulSet's controller; any pod will do here.
  if (label) return set.spec.template.metadata.labels[label[1]];
  if (fieldPath === "status.podIP") return podIP;
  throw new Error(`a field that this test does not know: ${fieldPath}`);
}

// The programs themselves say which variables they have read: a misspelt one is read by nobody.
function options(set, objects) {
  return containersOf(set).flatMap(container => {
    const environment = environmentOf(container, set, objects, "10.1.2.3");
    const { code, text } = printedOptions(container, environment);
    const unread = Object.keys(environment).filter(name => name.startsWith("AMBROSIA_") && !["AMBROSIA_HOME", "AMBROSIA_STORE_SECRET_FILE"].includes(name) && !new RegExp(`\\s\\[?${name}\\]?$`, "m").test(text));
    return [...unread.map(name => `${container.name} does not know ${name}`), ...(code === 0 ? [] : [`${container.name} refuses its options: ${text.trim()}`])];
  });
}
