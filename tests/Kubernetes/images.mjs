// The images that deploy/publish-images.sh makes, on a base that this test invents and serves from a registry of its own on the loopback address: Microsoft's is not to be had everywhere.
// Unpacks them, so that the pods run what is in them. images.mjs FOLDER
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { check, end } from "./checks.mjs";
import { root } from "./programs.mjs";

const folder = process.argv[2];
const digest = bytes => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

// A base with nothing in it but its user, which must not win, and a variable, which must stay.
function inventBase() {
  const emptyTar = Buffer.alloc(1024), layer = gzipSync(emptyTar);
  const architecture = process.arch === "arm64" ? "arm64" : "amd64";
  const config = Buffer.from(JSON.stringify({ architecture, os: "linux", config: { User: "1654", Env: ["DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=true"] }, rootfs: { type: "layers", diff_ids: [digest(emptyTar)] } }));
  const docker = "application/vnd.docker", manifestType = `${docker}.distribution.manifest.v2+json`;
  const manifest = Buffer.from(JSON.stringify({
    schemaVersion: 2, mediaType: manifestType,
    config: { mediaType: `${docker}.container.image.v1+json`, size: config.length, digest: digest(config) },
    layers: [{ mediaType: `${docker}.image.rootfs.diff.tar.gzip`, size: layer.length, digest: digest(layer) }],
  }));
  const blobs = new Map([[digest(config), config], [digest(layer), layer]]);
  return http.createServer((request, answer) => {
    const manifestAsked = request.url.startsWith("/v2/base/manifests/"), body = manifestAsked ? manifest : blobs.get(request.url.replace("/v2/base/blobs/", "")) ?? (request.url === "/v2/" ? Buffer.from("{}") : null);
    answer.writeHead(body ? 200 : 404, { "Content-Type": manifestAsked ? manifestType : "application/octet-stream", "Docker-Content-Digest": body ? digest(body) : "" });
    answer.end(request.method === "HEAD" ? undefined : body ?? undefined);
  });
}

const server = inventBase();
await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
const registry = `localhost:${server.address().port}`;
const publishing = spawn(path.join(root, "deploy/publish-images.sh"), ["--jit", "--archive", folder, "--base", `${registry}/base:1`],
  { env: { ...process.env, DOTNET_CONTAINER_INSECURE_REGISTRIES: registry }, stdio: ["ignore", "pipe", "pipe"] });
let said = "";
for (const stream of [publishing.stdout, publishing.stderr]) stream.on("data", piece => { said += piece; });
const code = await new Promise(resolve => publishing.on("close", resolve));
server.close();
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
