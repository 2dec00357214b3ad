// The client with what every test needs of it.
"use strict";

const assert = require("node:assert/strict");
const { readdirSync } = require("node:fs");
const path = require("node:path");
const telerivet = require("telerivet");

const demo = JSON.parse(process.env.DEMO);
const api = new telerivet.API(demo.api_key, demo.base_url);
const project = api.initProjectById(demo.project_id);

/** Calls a method that takes a callback last, and resolves with what the callback is given. */
function call(object, method, ...values) {
  return new Promise((resolve, reject) => {
    object[method](...values, (error, result) => (error ? reject(error) : resolve(result)));
  });
}

/** Returns every item of a cursor, over all of its pages. */
const all = (cursor) => call(cursor, "all");

/** Returns the ids of a cursor's items, in order. */
const ids = async (cursor) => (await all(cursor)).map((item) => item.id);

/** Expects a refusal by `invalid_param` that names the parameter. */
async function refused(promise, param) {
  await assert.rejects(promise, (error) => {
    assert.equal(error.name, "InvalidParameterError");
    assert.equal(error.code, "invalid_param");
    assert.equal(error.param, param);
    return true;
  });
}

/** Expects `not_found`. */
const missing = (promise) => assert.rejects(promise, { name: "NotFoundError", code: "not_found" });

/** Waits until `check` gives something true, and returns it. */
async function until(check, what) {
  const end = process.hrtime.bigint() + 20_000_000_000n;
  for (;;) {
    const value = await check();
    if (value) return value;
    assert.ok(process.hrtime.bigint() < end, `never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// Files run side by side, each in a process of its own and with numbers of its own.
const FOLDER = path.join(__dirname, "../tests");
const FILES = readdirSync(FOLDER).sort();
const NUMBERS = Math.floor(9000 / FILES.length);
const file = FILES.indexOf(path.basename(process.argv[1]));
let used = 0;

/** Returns a number that no other test uses. */
function freshNumber() {
  assert.ok(used < NUMBERS, "this file has no number left");
  return `+1500555${1000 + file * NUMBERS + used++}`;
}

/** Returns a word that no other test uses. */
const freshWord = () => `w${freshNumber().slice(-4)}`;

module.exports = { all, api, call, demo, freshNumber, freshWord, ids, missing, project, refused, telerivet, until };
