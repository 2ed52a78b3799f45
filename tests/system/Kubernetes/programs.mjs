// The programs that the containers' commands stand for: those of the images that were made of this repository.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

/** This repository. */
export const root = process.env.AMBROSIA_ROOT;

/** The folder that a container's image has as /app. */
export function folderOf(container) {
  const [, name] = /^ambrosia\/([\w-]+)(?::|@sha256:)[\w.-]+$/.exec(container.image) ?? [];
  const folder = path.join(process.env.AMBROSIA_IMAGES, String(name), "root/app");
  if (!existsSync(folder)) throw new Error(`nobody makes the image ${container.image}`);
  return folder;
}

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
