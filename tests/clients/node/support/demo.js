// `route-hub demo --json` as a process, on a folder of its own.
"use strict";

const { spawn } = require("node:child_process");
const { mkdtempSync, rmSync } = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const readline = require("node:readline");

const ROOT = path.resolve(__dirname, "../../../..");
const TARGET = process.env.CARGO_TARGET_DIR || path.join(ROOT, "target");

/** Starts the demo hub and resolves when it says its facts: `{ facts, stop }`. */
async function startDemo() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "postrider-node-"));
  const hub = spawn(
    path.join(TARGET, "debug", "route-hub"),
    ["demo", "--json", "--dir", path.join(folder, "demo"), "--listen", "127.0.0.1:0", "--phones", "2"],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let words = "";
  hub.stderr.on("data", (chunk) => (words += chunk));
  const ended = new Promise((resolve) => hub.on("close", resolve));
  const stop = async () => {
    hub.kill("SIGTERM");
    const code = await ended;
    rmSync(folder, { recursive: true, force: true });
    return { code, words };
  };
  const facts = await Promise.race([
    new Promise((resolve, reject) => {
      hub.on("error", reject);
      readline.createInterface({ input: hub.stdout }).once("line", (line) => resolve(JSON.parse(line)));
    }),
    ended.then((code) => Promise.reject(new Error(`the demo hub ended with ${code}:\n${words}`))),
  ]);
  return { facts, stop };
}

module.exports = { startDemo };
