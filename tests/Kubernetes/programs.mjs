// The programs that the containers' commands stand for, as this repository's build has made them.
import { spawnSync } from "node:child_process";
import path from "node:path";

/** This repository. */
export const root = process.env.AMBROSIA_ROOT;

/** Folders that an image has as /app, by the image's name without version. */
export const imageFolders = {
  "ambrosia/coordinator": path.join(root, "samples/HelloWorld/bin/Release/net8.0/coordinator"),
  "ambrosia/hello-world": path.join(root, "samples/HelloWorld/bin/Release/net8.0"),
};

export const folderOf = container => imageFolders[container.image.replace(/:[^:]*$/, "")] ?? (() => { throw new Error(`nobody builds the image ${container.image}`); })();

const known = new Map();

/** What a container's program says of its options under an environment. */
export function printedOptions(container, environment) {
  const key = JSON.stringify([container.image, container.command, container.args, environment]);
  if (!known.has(key)) known.set(key, askOptions(container, environment));
  return known.get(key);
}

function askOptions(container, environment) {
  const [program, ...args] = [...container.command, ...(container.args ?? [])];
  const { DOTNET_ROOT, PATH } = process.env;
  const run = spawnSync(program.replace(/^\/app\//, `${folderOf(container)}/`), [...args, "--print-config"], { env: { PATH, ...(DOTNET_ROOT && { DOTNET_ROOT }), ...environment }, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8", timeout: 30000 });
  return { code: run.status, text: `${run.stdout}${run.stderr}${run.error ?? ""}` };
}
