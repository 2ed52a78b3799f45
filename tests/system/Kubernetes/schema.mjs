// Validates an object against Kubernetes' own OpenAPI schemas, as the package kubernetes-models has compiled them with Ajv, and refuses fields that the schemas do not know.
import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import path from "node:path";

const packages = path.join(path.dirname(fileURLToPath(import.meta.url)), "node_modules");
// Kubernetes' own kinds, and those of the Prometheus operator and of cert-manager.
const models = ["kubernetes-models", "@kubernetes-models/prometheus-operator", "@kubernetes-models/cert-manager"].map(name => path.join(packages, name));

/** What is wrong with an object, in sentences that name the field. */
export async function schemaErrors(object) {
  const { apiVersion, kind } = object ?? {};
  const named = /^[\w./-]+$/.test(String(apiVersion)) && /^\w+$/.test(String(kind));
  const file = named && models.map(folder => path.join(folder, apiVersion, `${kind}.js`)).find(existsSync);
  if (!file) return [`Kubernetes has no ${kind} of ${apiVersion}`];
  const Model = (await import(pathToFileURL(file)))[kind];
  const seen = new Map();
  try {
    Model.prototype.validate.call(watched(object, seen));
  } catch (error) {
    return error.message.split(", data/").map(text => text.replace(/^(data\/)?/, `${kind} `));
  }
  return unknownFields(object, seen, kind);
}

// The compiled schemas let unknown fields pass, as OpenAPI does. But they look at every field that they know: what was never looked at is not one of theirs.
function watched(value, seen) {
  if (value === null || typeof value !== "object") return value;
  const names = seen.get(value) ?? new Set();
  seen.set(value, names);
  return new Proxy(value, {
    get(target, name) {
      names.add(name);
      return watched(target[name], seen);
    },
  });
}

function unknownFields(value, seen, where) {
  if (value === null || typeof value !== "object") return [];
  return Object.keys(value).flatMap(name =>
    seen.get(value)?.has(name) ? unknownFields(value[name], seen, `${where} ${name}`.replace(/^(\w+) /, "$1/")) : [`${where}/${name} is not a field that Kubernetes knows`]);
}
