"use strict";

const test = require("node:test");
const assert = require("node:assert/strict");
const { all, api, call, demo, freshNumber, freshWord, missing, project, refused } = require("../support/client");

const START = Math.floor(Date.now() / 1000) + 365 * 24 * 3600;
const text = { content: "x", route_id: demo.test_phone_id };
const planned = () => ({ content: "x", to_number: freshNumber() });
const contact = () => call(project, "getOrCreateContact", { phone_number: freshNumber() });

// Of each kind: how one is made, and a field that only loading can tell.
const KINDS = {
  Contact: [contact, "time_created"],
  Group: [() => call(project, "getOrCreateGroup", `Group ${freshWord()}`), "name"],
  Label: [() => call(project, "getOrCreateLabel", `Label ${freshWord()}`), "name"],
  Phone: [() => call(project, "getPhoneById", demo.phones[0].id), "phone_number"],
  Route: [
    () => call(api, "doRequest", "POST", `/projects/${project.id}/routes`, {
      name: freshWord(), actions: [{ type: "use_phone", phone_ids: [demo.phones[0].id] }],
    }),
    "name",
  ],
  ScheduledMessage: [() => call(project, "scheduleMessage", { ...planned(), start_time: START }), "start_time"],
  RelativeScheduledMessage: [
    () => call(project, "createRelativeScheduledMessage", {
      ...planned(), date_variable: freshWord(), time_of_day: "09:00",
    }),
    "date_variable",
  ],
  Message: [() => call(project, "sendMessage", { ...text, to_number: freshNumber() }), "to_number"],
  Broadcast: [() => call(project, "sendBroadcast", { ...text, to_numbers: [freshNumber()] }), "time_created"],
};

for (const [kind, [make, field]] of Object.entries(KINDS)) {
  test(`a ${kind} that was made of its id alone loads when asked`, async () => {
    const made = await make();
    const lazy = project[`init${kind}ById`](made.id);
    assert.equal(lazy.id, made.id);
    assert.throws(() => lazy[field], /not loaded/);
    await call(lazy, "load");
    assert.ok(made[field]);
    assert.equal(lazy[field], made[field]);
  });
}

test("a contact has no rows and no states yet", async () => {
  const lazy = project.initContactById((await contact()).id);
  for (const [query, filter] of [
    ["queryDataRows", { time_created: { min: 1 } }],
    ["queryServiceStates", { id: { prefix: "a" }, vars: { step: { min: 1 } } }],
  ]) {
    assert.deepEqual(await all(lazy[query](filter)), []);
    assert.equal(await call(lazy[query](), "count"), 0);
    await missing(all(project.initContactById("CT0000000000000001")[query]()));
  }
  await refused(all(lazy.queryDataRows({ time_created: { prefix: 1 } })), "time_created[prefix]");
});
