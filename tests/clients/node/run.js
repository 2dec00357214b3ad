// Starts the demo hub, runs every test file against it, and ends with the runner's summary.
"use strict";

const { spawn } = require("node:child_process");
const { readdirSync } = require("node:fs");
const path = require("node:path");
const { startDemo } = require("./support/demo");

const TESTS = path.join(__dirname, "tests");

function runTests(facts) {
  const files = readdirSync(TESTS).filter((name) => name.endsWith(".test.js")).sort();
  const runner = spawn(
    process.execPath,
    ["--test", "--test-reporter=tap", ...files.map((name) => path.join(TESTS, name))],
    { stdio: "inherit", env: { ...process.env, DEMO: JSON.stringify(facts) } },
  );
  return new Promise((resolve, reject) => {
    runner.on("error", reject);
    runner.on("exit", (code) => resolve(code ?? 1));
  });
}

async function main() {
  const demo = await startDemo();
  try {
    process.exitCode = await runTests(demo.facts);
  } finally {
    const { code, words } = await demo.stop();
    if (code !== 0 || words.includes("panicked")) {
      console.error(`the hub did not end cleanly (${code}):\n${words}`);
      process.exitCode = 1;
    }
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
