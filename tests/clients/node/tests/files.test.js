"use strict";

const test = require("node:test");
const assert = require("node:assert/strict");
const { api, call, demo, freshNumber, missing, project, refused } = require("../support/client");

const DOT = Buffer.from("R0lGODlhAQABAAAAACw=", "base64");
const path = `/projects/${project.id}/files`;
const request = (method, at, params) => call(api, "doRequest", method, path + at, params);

/** Gives a file whose content nobody else gives. */
const upload = (name) =>
  request("POST", "", { data: Buffer.concat([DOT, Buffer.from(name)]).toString("base64"), type: "image/gif", filename: name });

test("a file is given, found, renamed and removed", async () => {
  const file = await upload("of node.gif");
  assert.equal(file.source, "api");
  assert.equal((await upload("of node.gif")).id, file.id);
  assert.equal((await request("GET", `/${file.id}`, {})).sha256, file.sha256);
  const found = await request("GET", "", { filename: { prefix: "of node" }, type: "image/*" });
  assert.deepEqual(found.data.map((one) => one.id), [file.id]);
  assert.equal((await request("POST", `/${file.id}`, { description: "A dot." })).description, "A dot.");
  await request("DELETE", `/${file.id}`, null);
  await missing(request("GET", `/${file.id}`, {}));
});

test("a message carries a file, and an address with its type", async () => {
  const file = await upload("sent by node.gif");
  const sent = await call(project, "sendMessage", {
    message_type: "mms", to_number: freshNumber(), route_id: demo.test_phone_id,
    media: [{ file_id: file.id }, { url: "https://files.example/a", type: "audio/mpeg", filename: "a.mp3" }],
  });
  const shown = await call(project, "getMessageById", sent.id);
  assert.deepEqual(shown.media.map((one) => one.type), ["image/gif", "audio/mpeg"]);
  assert.equal(shown.media[0].size, file.size);
  await refused(call(project, "sendMessage", { content: "x", to_number: freshNumber(), media_urls: ["data:text/html,x"] }), "media_urls[0]");
});
