// The baseline of "bench/run outside-restate": an echo as a service and as a virtual object of Restate. service.mjs PORT SERVER
import process from "node:process";

// The SDK uses it, and Node.js has it from version 22 on only.
Promise.withResolvers ??= function () {
  let resolve, reject;
  const promise = new this((onValue, onError) => ([resolve, reject] = [onValue, onError]));
  return { promise, resolve, reject };
};

// Two lines for each call would be most of what this process does.
process.env.RESTATE_LOGGING = "ERROR";
process.env.NODE_ENV = "production";
const restate = await import("@restatedev/restate-sdk");

const [port, server] = process.argv.slice(2).map(Number);
const handlers = { Echo: async (_context, body) => body.payload };

// The program that started both holds our standard input. When that ends, we end, and end the server, whose id we were told.
process.stdin.resume().on("end", () => {
  try {
    process.kill(server, "SIGKILL");
  } catch {
    // It has ended before.
  }
  process.exit(0);
});

await restate.serve({
  port,
  services: [restate.service({ name: "sink", handlers }), restate.object({ name: "object", handlers })],
});
console.log("ready");
