// The images that deploy/publish-images.sh makes for two processors under one name, by digests and contents: pushed to a registry of the test's own, and as archives with the native coordinator.
// platforms.mjs FOLDER: the coordinator for arm64 lies in FOLDER/arm64 then.
import { execFileSync, spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, renameSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { check as counted, end } from "./checks.mjs";
import { root } from "./programs.mjs";
import { digest, startRegistry } from "./registry.mjs";

const folder = process.argv[2];
const check = (sentence, holds, more) => counted(sentence, holds, holds ? "" : more);
const oci = kind => `application/vnd.oci.image.${kind}+json`;
// What the header of an executable calls a processor.
const machines = { amd64: 0x3e, arm64: 0xb7 };
const registry = await startRegistry();

async function publish(...options) {
  const publishing = spawn(path.join(root, "deploy/publish-images.sh"), [...options, "--base", registry.base],
    { env: { ...process.env, DOTNET_CONTAINER_INSECURE_REGISTRIES: registry.host }, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [publishing.stdout, publishing.stderr]) stream.on("data", piece => { said += piece; });
  return { code: await new Promise(resolve => publishing.on("close", resolve)), said: said.trim().split("\n").slice(-8).join("\n") };
}

function machineOf(file) {
  const header = Buffer.alloc(20), opened = openSync(file);
  readSync(opened, header, 0, 20, 0);
  closeSync(opened);
  return header.subarray(0, 4).toString("latin1") === "\x7fELF" ? header.readUInt16LE(18) : -1;
}

// Follows an index down to its files; each digest and size on the way is recomputed. Says where the program of each processor was unpacked.
function inspect(name, program, entrypoint, index, read) {
  const programs = {};
  const held = ({ digest: named, size }) => read(named)?.length === size && digest(read(named)) === named;
  check(`${name}: an OCI index of amd64 and arm64`, index.mediaType === oci("index.v1") && index.manifests.map(({ platform }) => `${platform.os}/${platform.architecture}`).join() === "linux/amd64,linux/arm64", JSON.stringify(index));
  for (const entry of index.manifests) {
    const { architecture } = entry.platform, image = `${name} for ${architecture}`;
    const manifest = JSON.parse(read(entry.digest)), config = JSON.parse(read(manifest.config.digest));
    check(`${image}: an OCI manifest`, [entry.mediaType, manifest.mediaType].every(type => type === oci("manifest.v1")) && manifest.config.mediaType === oci("config.v1"), manifest.mediaType);
    check(`${image}: what it names is there, with those digests and sizes`, [entry, manifest.config, ...manifest.layers].every(held));
    check(`${image}: its layers unpack to what the configuration names`, manifest.layers.map(layer => digest(gunzipSync(read(layer.digest)))).join() === config.rootfs.diff_ids.join());
    check(`${image}: the configuration says the same processor`, config.os === "linux" && config.architecture === architecture, config.architecture);
    check(`${image}: user 10001, the base's environment, its own entry point`,
      config.config.User === "10001" && config.config.Env.includes("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=true") && config.config.Entrypoint.join(" ") === entrypoint, JSON.stringify(config.config));
    const labels = config.config.Labels;
    check(`${image}: labels are whole`, labels["org.opencontainers.image.base.name"] === registry.base && !Number.isNaN(Date.parse(labels["org.opencontainers.image.created"]))
      && labels["org.opencontainers.image.description"].endsWith("."), JSON.stringify(labels));
    const unpacked = mkdtempSync(path.join(folder, `${architecture}-`));
    for (const layer of manifest.layers) execFileSync("tar", ["-xzf", "-", "-C", unpacked], { input: read(layer.digest) });
    programs[architecture] = path.join(unpacked, "app", program);
    check(`${image}: its program is for ${architecture}`, machineOf(programs[architecture]) === machines[architecture], `machine ${machineOf(programs[architecture])}`);
    check(`${image}: neither native symbols nor documentation`, !readdirSync(path.join(unpacked, "app")).some(file => /\.(dbg|xml)$/.test(file)));
  }
  return programs;
}

const refused = await publish("--platform", "linux/s390x");
check("a platform that is not there is refused by its name", refused.code === 64 && refused.said.includes("There is no platform linux/s390x here"), refused.said);

const base = (...options) => execFileSync("dotnet", ["msbuild", path.join(root, "src/ImmortalCoordinator"), "-p:ExecutableFramework=net10.0", '-p:ContainerRuntimeIdentifiers="linux-x64;linux-arm64"', ...options,
  "-t:ComputeContainerBaseImage", "-getProperty:ContainerBaseImage"], { encoding: "utf8" }).trim();
for (const [options, image] of [[[], "aspnet"], [["-p:PublishAot=true"], "runtime-deps"]]) {
  const put = base(...options);
  check(`Microsoft's image for it is that of ${image}`, put === `mcr.microsoft.com/dotnet/${image}:10.0-noble-chiseled`, put);
}

const both = ["--platform", "linux/amd64,linux/arm64"];
const pushed = await publish("--jit", ...both, "--registry", registry.host);
check("the SDK pushes both images for both processors", pushed.code === 0, pushed.said);
for (const [name, program] of Object.entries({ coordinator: "Ambrosia.ImmortalCoordinator", "hello-world": "HelloWorld" })) {
  const read = key => registry.read(`ambrosia/${name}`, key), index = read("0.1.0");
  if (index) inspect(`ambrosia/${name} in the registry`, program, `dotnet /app/${program}.dll`, JSON.parse(index), read);
}

const archived = await publish(...both, "--archive", folder);
check("the SDK makes archives for both processors, the coordinator native", archived.code === 0, archived.said);
registry.stop();
if (archived.code === 0) {
  const layout = path.join(folder, "layout");
  mkdirSync(layout);
  execFileSync("tar", ["-xf", path.join(folder, "coordinator.tar.gz"), "-C", layout]);
  const read = key => readFileSync(path.join(layout, "blobs", key.replace(":", "/")));
  const { manifests: [only, ...more] } = JSON.parse(readFileSync(path.join(layout, "index.json"), "utf8"));
  check("the archive has one name", more.length === 0 && only.mediaType === oci("index.v1") && only.annotations["io.containerd.image.name"] === "docker.io/ambrosia/coordinator:0.1.0", JSON.stringify(only));
  check("the archive's index is there, with that digest", digest(read(only.digest)) === only.digest);
  const programs = inspect("ambrosia/coordinator in the archive", "Ambrosia.ImmortalCoordinator", "/app/Ambrosia.ImmortalCoordinator", JSON.parse(read(only.digest)), read);
  renameSync(programs.arm64, path.join(folder, "arm64"));
}

end();
