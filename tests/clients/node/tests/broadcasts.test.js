"use strict";

const test = require("node:test");
const assert = require("node:assert/strict");
const { api, call, demo, freshNumber, freshWord, ids, missing, project, refused, until } = require("../support/client");

const send = (options) => call(project, "sendBroadcast", { content: "x", route_id: demo.test_phone_id, ...options });
const shown = (broadcast) => call(project, "getBroadcastById", broadcast.id);

test("a broadcast goes to each number once, is listed and complete", async () => {
  const numbers = [freshNumber(), freshNumber()];
  const made = await send({ to_numbers: numbers, title: "News", vars: { round: 1 } });
  assert.equal(made.title, "News");
  assert.equal(made.vars.round, 1);
  const done = await until(async () => {
    const now = await shown(made);
    return now.status === "complete" && now;
  }, "the broadcast is complete");
  assert.equal(done.message_count, 2);
  const sent = project.queryMessages({ broadcast_id: made.id });
  assert.deepEqual((await call(sent, "all")).map((message) => message.to_number).sort(), numbers.sort());
  assert.ok((await ids(project.queryBroadcasts({ time_created: { min: done.time_created } }))).includes(made.id));
  assert.equal(await call(project.queryBroadcasts({ time_created: { min: done.time_created + 3600 } }), "count"), 0);
});

test("a cancelled broadcast sends nothing more", async () => {
  const path = `/projects/${project.id}/phones`;
  const phone = await call(api, "doRequest", "POST", path, {
    phone_type: "simulated", phone_number: freshNumber(), name: "Waits", send_paused: true,
  });
  const made = await send({ to_numbers: [freshNumber(), freshNumber()], route_id: phone.id });
  await until(async () => (await shown(made)).message_count === 2, "its messages are made");
  const lazy = project.initBroadcastById(made.id);
  assert.equal((await call(lazy, "cancel")).status, "cancelled");
  assert.equal((await shown(made)).status_counts.cancelled, 2);
  await call(api, "doRequest", "DELETE", `${path}/${phone.id}`, null);
});

test("a broadcast to nobody is refused, and one of nothing is missing", async () => {
  await refused(call(project, "sendBroadcast", { content: freshWord() }), "to_numbers");
  await missing(call(project, "getBroadcastById", "BC0000000000000001"));
});
