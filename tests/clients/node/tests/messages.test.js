"use strict";

const test = require("node:test");
const assert = require("node:assert/strict");
const { all, api, call, demo, freshNumber, freshWord, ids, missing, project, refused, telerivet, until } = require("../support/client");

const reload = (message) => call(project, "getMessageById", message.id);
const delivered = (message) =>
  until(async () => (await reload(message)).status === "delivered", "delivered");

test("a message is sent, delivered and told of in whole", async () => {
  const number = freshNumber();
  const sent = await call(project, "sendMessage", { to_number: number, content: "Grüße 👋", vars: { order: 7 } });
  assert.equal(sent.status, "queued");
  await delivered(sent);
  const message = await reload(sent);
  assert.equal(message.content, "Grüße 👋");
  assert.equal(message.to_number, number);
  assert.equal(message.vars.order, 7);
  assert.equal(message.direction, "outgoing");
});

test("a message that is not loaded says so until it is", async () => {
  const sent = await call(project, "sendMessage", { to_number: freshNumber(), content: "lazy" });
  const lazy = project.initMessageById(sent.id);
  assert.throws(() => lazy.content, /not loaded/);
  await call(lazy, "load");
  assert.equal(lazy.content, "lazy");
});

test("many are sent at once, and a batch says the same to each", async () => {
  const numbers = [freshNumber(), freshNumber(), freshNumber()];
  const batch = await call(project, "sendMessages", { content: "all alike", to_numbers: numbers });
  assert.equal(batch.count_queued, 3);
  const multi = await call(project, "sendMulti", {
    messages: numbers.map((to_number, n) => ({ to_number, content: `number ${n}` })),
  });
  assert.deepEqual(
    await Promise.all(multi.messages.map(async ({ id }) => (await call(project, "getMessageById", id)).content)),
    ["number 0", "number 1", "number 2"],
  );
});

test("a long request goes gzipped and comes back whole", async () => {
  const content = Array(60).fill("a long text.").join(" ");
  const sent = await call(project, "sendMessage", { to_number: freshNumber(), content });
  assert.equal((await reload(sent)).content, content);
});

test("variables are written, changed and cleared with null", async () => {
  const sent = await call(project, "sendMessage", { to_number: freshNumber(), content: "x", vars: { a: 1, b: "two" } });
  const message = await reload(sent);
  message.vars.a = null;
  message.vars.b = "three";
  message.starred = true;
  await call(message, "save");
  const after = await reload(sent);
  assert.deepEqual({ ...after.vars }, { b: "three" });
  assert.equal(after.starred, true);
});

test("labels are put on and taken off", async () => {
  const label = await call(project, "getOrCreateLabel", `Label ${freshWord()}`);
  const message = await reload(await call(project, "sendMessage", { to_number: freshNumber(), content: "x" }));
  await call(message, "addLabel", label);
  assert.ok(message.hasLabel(label));
  assert.ok((await reload(message)).hasLabel(label));
  assert.deepEqual(await ids(label.queryMessages()), [message.id]);
  await call(message, "removeLabel", label);
  assert.ok(!(await reload(message)).hasLabel(label));
  assert.deepEqual(await ids(label.queryMessages()), []);
});

test("a queued message is cancelled, and may be sent again", async () => {
  const phone = await call(project, "getPhoneById", demo.phones[1].id);
  phone.send_paused = true;
  await call(phone, "save");
  try {
    const sent = await call(project, "sendMessage", { to_number: freshNumber(), content: "x", route_id: phone.id });
    const cancelled = await call(sent, "cancel");
    assert.equal((await reload(cancelled)).status, "cancelled");
    const again = await call(cancelled, "resend", { route_id: demo.phones[0].id });
    await delivered(again);
  } finally {
    phone.send_paused = false;
    await call(phone, "save");
  }
});

test("an incoming message is received, and deleted", async () => {
  const number = freshNumber();
  const came = await call(project, "receiveMessage", { content: "hello", from_number: number, phone_id: demo.phones[0].id });
  assert.equal(came.direction, "incoming");
  assert.equal((await reload(came)).from_number, number);
  await call(came, "delete");
  await missing(reload(came));
});

test("a message without media has no parts", async () => {
  const sent = await call(project, "sendMessage", { to_number: freshNumber(), content: "x" });
  assert.deepEqual(await call(sent, "getMMSParts"), []);
});

test("a cursor walks several pages, counts, and stops at its limit", async () => {
  const number = freshNumber();
  const sent = [];
  for (let n = 0; n < 7; n++) {
    sent.push((await call(project, "sendMessage", { to_number: number, content: `page ${n}` })).id);
  }
  const { contact_id } = await call(project, "getMessageById", sent[0]);
  const of = (more) => project.queryMessages({ contact_id, ...more });
  const before = api.numRequests;
  assert.deepEqual(await ids(of({ page_size: 3 })), sent);
  assert.equal(api.numRequests - before, 3);
  assert.deepEqual(await ids(of({ page_size: 2, sort_dir: "desc" })), [...sent].reverse());
  assert.deepEqual(await ids(of({ page_size: 7 })), sent, "a full page after which nothing follows");
  assert.deepEqual(await ids(of().limit(4)), sent.slice(0, 4));
  assert.equal(await call(of({ page_size: 1 }), "count"), 7);
  const contact = await call(project, "getContactById", contact_id);
  assert.deepEqual(await ids(contact.queryMessages({ direction: "outgoing" })), sent);
  const walked = [];
  await new Promise((resolve, reject) => {
    of({ page_size: 4 }).each((error, item) => (error ? reject(error) : item ? walked.push(item.id) : resolve()));
  });
  assert.deepEqual(walked, sent);
  const phone = await call(project, "getPhoneById", demo.phones[0].id);
  assert.ok((await all(phone.queryMessages({ contact_id }))).every((message) => message.phone_id === phone.id));
});

test("each kind of refusal has its name", async () => {
  await refused(call(project, "sendMessage", { content: "to nobody" }), "to_number");
  await refused(all(project.queryMessages({ status: "lost" })), "status");
  await missing(call(project, "getMessageById", "SM0000000000000001"));
  const stranger = new telerivet.API("nobody's key", demo.base_url);
  await assert.rejects(call(stranger, "getProjectById", demo.project_id), (error) => {
    assert.equal(error.name, "APIError");
    assert.ok(!["invalid_param", "not_found"].includes(error.code));
    return true;
  });
});
