// Renders an overlay with kubectl and checks every object of it.
import { spawnSync } from "node:child_process";
import path from "node:path";
import YAML from "yaml";
import { root } from "./programs.mjs";
import { ruleErrors } from "./rules.mjs";
import { schemaErrors } from "./schema.mjs";

const folder = path.join(root, "deploy/k8s");

/** Secrets that docs/operate/kubernetes.md lets the operator make. */
export const secretsByHand = ["ambrosia-database", "greeter-tls", "visitor-tls"];

/** All objects of an overlay of deploy/k8s, or of another folder by its whole path. */
export function render(overlay) {
  const run = spawnSync("kubectl", ["kustomize", path.resolve(folder, overlay)], { encoding: "utf8", maxBuffer: 1 << 24 });
  if (run.status !== 0) throw new Error(`kubectl kustomize ${overlay}: ${run.stderr}${run.error ?? ""}`);
  if (run.stderr.trim() !== "") throw new Error(`kubectl kustomize ${overlay} warns: ${run.stderr}`);
  return parse(run.stdout);
}

/** All objects of a text. Texts that the older YAML of Kubernetes' tools would read in another way, such as "0440" and "off", are refused. */
export function parse(text) {
  const [objects, older] = [{ schema: "core" }, { version: "1.1" }].map(options => YAML.parseAllDocuments(text, { ...options, uniqueKeys: true }).map(document => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  }).filter(object => object !== null));
  if (JSON.stringify(objects) !== JSON.stringify(older)) throw new Error("the text means something else in YAML 1.1");
  return objects;
}

/** Everything that is wrong with an overlay's objects. */
export async function errorsOf(objects) {
  const bySchema = (await Promise.all(objects.map(schemaErrors))).flat();
  return bySchema.length > 0 ? bySchema : ruleErrors(objects, secretsByHand);
}
