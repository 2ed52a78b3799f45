// The images that deploy/publish-images.sh makes for this machine, on a base from a registry of the test's own.
// Unpacks them, so that the pods run what is in them. images.mjs FOLDER
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { check, end } from "./checks.mjs";
import { root } from "./programs.mjs";
import { startRegistry } from "./registry.mjs";

const folder = process.argv[2];
const registry = await startRegistry();
const publishing = spawn(path.join(root, "deploy/publish-images.sh"), ["--jit", "--archive", folder, "--base", registry.base],
  { env: { ...process.env, DOTNET_CONTAINER_INSECURE_REGISTRIES: registry.host }, stdio: ["ignore", "pipe", "pipe"] });
let said = "";
for (const stream of [publishing.stdout, publishing.stderr]) stream.on("data", piece => { said += piece; });
const code = await new Promise(resolve => publishing.on("close", resolve));
registry.stop();
check("the SDK makes both images", code === 0, code === 0 ? "" : said.trim().split("\n").slice(-8).join("\n"));

const images = { coordinator: "Ambrosia.ImmortalCoordinator", "hello-world": "HelloWorld" };
for (const [name, program] of Object.entries(images)) {
  const archive = path.join(folder, `${name}.tar.gz`), image = path.join(folder, name);
  if (!existsSync(archive)) continue;
  mkdirSync(path.join(image, "root"), { recursive: true });
  execFileSync("tar", ["-xf", archive, "-C", image]);
  const [{ Config, RepoTags, Layers }] = JSON.parse(readFileSync(path.join(image, "manifest.json"), "utf8"));
  const { config } = JSON.parse(readFileSync(path.join(image, Config), "utf8"));
  for (const layer of Layers) execFileSync("tar", ["-xf", path.join(image, layer), "-C", path.join(image, "root")]);
  check(`ambrosia/${name}: its name is that of the manifests`, RepoTags.join() === `ambrosia/${name}:0.1.0`, RepoTags.join());
  check(`ambrosia/${name}: user 10001, not the base's`, config.User === "10001", config.User);
  check(`ambrosia/${name}: the base's environment is kept`, config.Env.includes("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=true"));
  const app = path.join(image, "root/app");
  check(`ambrosia/${name}: the manifest's program is there and may be executed`, existsSync(path.join(app, program)) && (statSync(path.join(app, program)).mode & 0o133) === 0o111);
  check(`ambrosia/${name}: neither native symbols nor documentation`, !readdirSync(app).some(file => /\.(dbg|xml)$/.test(file)), readdirSync(app).filter(file => /\.(dbg|xml)$/.test(file)).join());
  check(`ambrosia/${name}: one half of the pair, not both`, (name === "coordinator") === readdirSync(app).includes("Ambrosia.ImmortalCoordinator.dll") && !readdirSync(app).includes("coordinator"));
}

end();
