// Renders an overlay with kubectl and checks every object of it.
import { spawnSync } from "node:child_process";
import path from "node:path";
import YAML from "yaml";
import { root } from "./programs.mjs";
import { ruleErrors } from "./rules.mjs";
import { schemaErrors } from "./schema.mjs";

const folder = path.join(root, "deploy/k8s");

/** Secrets that docs/kubernetes.md lets the operator make. */
export const secretsByHand = ["ambrosia-database", "greeter-tls", "visitor-tls"];

/** All objects of an overlay. */
export function render(overlay) {
  const run = spawnSync("kubectl", ["kustomize", path.join(folder, overlay)], { encoding: "utf8", maxBuffer: 1 << 24 });
  if (run.status !== 0) throw new Error(`kubectl kustomize ${overlay}: ${run.stderr}${run.error ?? ""}`);
  if (run.stderr.trim() !== "") throw new Error(`kubectl kustomize ${overlay} warns: ${run.stderr}`);
  return YAML.parseAllDocuments(run.stdout, { schema: "core", uniqueKeys: true }).map(document => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
}

/** Everything that is wrong with an overlay's objects. */
export async function errorsOf(objects) {
  const bySchema = (await Promise.all(objects.map(schemaErrors))).flat();
  return bySchema.length > 0 ? bySchema : ruleErrors(objects, secretsByHand);
}
