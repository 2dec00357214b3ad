"use strict";

const test = require("node:test");
const assert = require("node:assert/strict");
const { all, call, freshNumber, freshWord, ids, missing, project, refused, until } = require("../support/client");

const create = (options) => call(project, "getOrCreateContact", options);
const reload = (contact) => call(project, "getContactById", contact.id);

test("a contact is found again by its number, changed, cleared and deleted", async () => {
  const number = freshNumber();
  const first = await create({ name: "Ann", phone_number: number, vars: { shoe: 41, hat: "red" } });
  const again = await create({ phone_number: number, name: "Anne" });
  assert.equal(again.id, first.id);
  again.vars.shoe = null;
  delete again.vars.hat;
  again.vars.coat = true;
  again.send_blocked = true;
  await call(again, "save");
  const after = await reload(first);
  assert.deepEqual({ ...after.vars }, { coat: true });
  assert.equal(after.name, "Anne");
  assert.equal(after.send_blocked, true);
  await call(after, "delete");
  await missing(reload(first));
});

test("contacts are filtered by what they are and counted", async () => {
  const tag = freshWord();
  const made = [];
  for (let age = 20; age < 26; age++) {
    made.push((await create({ phone_number: freshNumber(), name: `${tag} ${age}`, vars: { tag, age } })).id);
  }
  const found = (vars, more) => project.queryContacts({ vars: { tag, ...vars }, ...more });
  assert.deepEqual(await ids(found({}, { page_size: 2 })), made);
  assert.deepEqual(await ids(found({ age: { min: 22, max: 24 } })), made.slice(2, 4));
  assert.deepEqual(await ids(found({}, { sort: "name", sort_dir: "desc" })), [...made].reverse());
  assert.deepEqual(await ids(project.queryContacts({ name: { prefix: `${tag} 21`.toUpperCase() } })), [made[1]]);
  assert.equal(await call(found({}), "count"), 6);
  await refused(all(project.queryContacts({ name: { like: "x" } })), "name[like]");
});

test("an import keeps its order and fills a group", async () => {
  const group = await call(project, "getOrCreateGroup", `Imported ${freshWord()}`);
  const numbers = Array.from({ length: 120 }, freshNumber);
  const { contacts } = await call(project, "importContacts", {
    contacts: numbers.map((phone_number, place) => ({ phone_number, vars: { place } })),
    add_group_ids: [group.id],
  });
  assert.deepEqual(await ids(group.queryContacts({ page_size: 50 })), contacts.map((contact) => contact.id));
  assert.equal((await call(project, "getContactById", contacts[77].id)).vars.place, 77);
});

test("a contact joins a group and leaves it", async () => {
  const group = await call(project, "getOrCreateGroup", `Group ${freshWord()}`);
  const contact = await create({ phone_number: freshNumber() });
  await call(contact, "addToGroup", group);
  assert.ok(contact.isInGroup(group));
  assert.ok((await reload(contact)).isInGroup(group));
  assert.deepEqual(await ids(contact.queryGroups()), [group.id]);
  assert.equal((await call(project, "getGroupById", group.id)).num_members, 1);
  await call(contact, "removeFromGroup", group);
  assert.ok(!(await reload(contact)).isInGroup(group));
  group.name = `Renamed ${freshWord()}`;
  await call(group, "save");
  assert.deepEqual(await ids(project.queryGroups({ name: group.name })), [group.id]);
  await call(group, "delete");
  await missing(call(project, "getGroupById", group.id));
});

test("a label is made once, renamed and deleted", async () => {
  const name = `Label ${freshWord()}`;
  const label = await call(project, "getOrCreateLabel", name);
  assert.equal((await call(project, "getOrCreateLabel", name.toUpperCase())).id, label.id);
  label.name = `${name} renamed`;
  label.vars.colour = "red";
  await call(label, "save");
  assert.deepEqual(await ids(project.queryLabels({ name: { prefix: name } })), [label.id]);
  assert.equal((await call(project, "getLabelById", label.id)).vars.colour, "red");
  await call(label, "delete");
  await missing(call(project, "getLabelById", label.id));
});

test("fields follow the variables and are customised", async () => {
  const variable = freshWord();
  await create({ phone_number: freshNumber(), vars: { [variable]: "x" } });
  assert.ok((await call(project, "getContactFields")).some((field) => field.variable === variable));
  const field = await call(project, "setContactFieldMetadata", variable, {
    name: "Size", type: "select", items: [{ value: "s", label: "Small" }],
  });
  assert.equal(field.type, "select");
  await call(project, "sendMessage", { to_number: freshNumber(), content: "x", vars: { [variable]: 5 } });
  assert.ok((await call(project, "getMessageFields")).some((item) => item.variable === variable));
  assert.equal((await call(project, "setMessageFieldMetadata", variable, { hide_values: true })).hide_values, true);
});

test("counters of a contact follow its messages", async () => {
  const contact = await create({ phone_number: freshNumber() });
  const sent = await call(project, "sendMessage", { contact_id: contact.id, content: "out" });
  await until(async () => (await call(project, "getMessageById", sent.id)).status === "delivered", "delivered");
  const after = await reload(contact);
  assert.equal(after.outgoing_message_count, 1);
  assert.equal(after.last_message_id, sent.id);
});
