// A registry on the loopback address, in memory, with a base image for two processors that this test invents: Microsoft's is not to be had everywhere.
import { createHash } from "node:crypto";
import http from "node:http";
import { gzipSync } from "node:zlib";

export const digest = bytes => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const docker = kind => `application/vnd.docker.${kind}`;
// As Microsoft's are.
const types = {
  list: docker("distribution.manifest.list.v2+json"),
  manifest: docker("distribution.manifest.v2+json"),
  config: docker("container.image.v1+json"),
  layer: docker("image.rootfs.diff.tar.gzip"),
};

/** Begins to serve it: HOST:PORT as `host`, the image in it as `base`, what `read` finds of an image, and `stop`. */
export async function startRegistry() {
  const blobs = new Map(), manifests = new Map(), uploads = new Map();
  inventBase(blobs, manifests);
  const server = http.createServer(async (request, answer) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const [code, headers, body] = respond(request, Buffer.concat(pieces));
    answer.writeHead(code, headers);
    answer.end(request.method === "HEAD" ? undefined : body);
  });

  function respond({ method, url, headers }, body) {
    const { pathname, searchParams } = new URL(url, "http://registry");
    const [, name, kind, key] = pathname.match(/^\/v2\/(.+)\/(manifests|blobs\/uploads|blobs)\/(.*)$/) ?? [];
    if (pathname === "/v2/") return [200, {}, "{}"];
    if (kind === "manifests" && method === "PUT") {
      for (const reference of [key, digest(body)]) manifests.set(`${name}:${reference}`, { type: headers["content-type"], body });
      return [201, { "Docker-Content-Digest": digest(body) }];
    }
    if (kind === "blobs/uploads") return upload(method, name, key, searchParams.get("digest"), body);
    const found = kind === "manifests" ? manifests.get(`${name}:${key}`) : kind && blobs.has(key) ? { type: "application/octet-stream", body: blobs.get(key) } : null;
    return found ? [200, { "Content-Type": found.type, "Content-Length": found.body.length, "Docker-Content-Digest": digest(found.body) }, found.body] : [404, {}];
  }

  function upload(method, name, key, as, body) {
    const id = method === "POST" ? `${uploads.size}` : key, all = Buffer.concat([uploads.get(id) ?? Buffer.alloc(0), body]);
    uploads.set(id, all);
    if (method !== "PUT") return [202, { Location: `/v2/${name}/blobs/uploads/${id}`, "Docker-Upload-UUID": id, Range: `0-${Math.max(all.length - 1, 0)}` }];
    if (as !== digest(all)) return [400, {}];
    blobs.set(as, all);
    return [201, { "Docker-Content-Digest": as }];
  }

  await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
  const host = `localhost:${server.address().port}`;
  return {
    host, base: `${host}/base:1`,
    /** Bytes that were pushed, by the digest of a blob or the name of a manifest. */
    read: (name, key) => manifests.get(`${name}:${key}`)?.body ?? blobs.get(key),
    stop: () => { server.closeAllConnections(); server.close(); },
  };
}

// A base with nothing in it but its user, which must not win, and a variable, which must stay.
function inventBase(blobs, manifests) {
  const stored = (bytes, mediaType) => {
    blobs.set(digest(bytes), bytes);
    return { mediaType, size: bytes.length, digest: digest(bytes) };
  };
  const emptyTar = Buffer.alloc(1024), layer = stored(gzipSync(emptyTar), types.layer);
  const each = ["amd64", "arm64"].map(architecture => {
    const config = { architecture, os: "linux", config: { User: "1654", Env: ["DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=true"] }, rootfs: { type: "layers", diff_ids: [digest(emptyTar)] } };
    const manifest = { schemaVersion: 2, mediaType: types.manifest, config: stored(Buffer.from(JSON.stringify(config)), types.config), layers: [layer] };
    const body = Buffer.from(JSON.stringify(manifest));
    manifests.set(`base:${digest(body)}`, { type: types.manifest, body });
    return { ...stored(body, types.manifest), platform: { architecture, os: "linux" } };
  });
  manifests.set("base:1", { type: types.list, body: Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: types.list, manifests: each })) });
}
