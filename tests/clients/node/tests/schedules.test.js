"use strict";

const test = require("node:test");
const assert = require("node:assert/strict");
const { call, freshNumber, freshWord, ids, missing, project, refused, until } = require("../support/client");

const YEAR_S = 365 * 24 * 3600;
const inAYear = () => Math.floor(Date.now() / 1000) + YEAR_S;

test("a schedule is made, listed, changed and deleted", async () => {
  const start_time = inAYear();
  const contact = await call(project, "getOrCreateContact", { phone_number: freshNumber() });
  const made = await call(project, "scheduleMessage", {
    contact_id: contact.id, content: "weekly", start_time, rrule: "FREQ=WEEKLY;COUNT=3", timezone_id: "Europe/Paris",
  });
  assert.equal(made.next_time, start_time);
  assert.equal(made.occurrences, 0);
  assert.deepEqual(await ids(contact.queryScheduledMessages()), [made.id]);
  assert.ok((await ids(project.queryScheduledMessages({ next_time: { min: start_time } }))).includes(made.id));
  made.content = "changed";
  await call(made, "save");
  assert.equal((await call(project, "getScheduledMessageById", made.id)).content, "changed");
  await call(made, "delete");
  await missing(call(project, "getScheduledMessageById", made.id));
});

test("a schedule of a group is the group's", async () => {
  const group = await call(project, "getOrCreateGroup", `Group ${freshWord()}`);
  const made = await call(project, "scheduleMessage", { group_id: group.id, content: "all", start_time: inAYear() });
  assert.deepEqual(await ids(group.queryScheduledMessages()), [made.id]);
  await call(made, "delete");
});

test("an impossible rule is refused by its name", async () => {
  await refused(
    call(project, "scheduleMessage", { to_number: freshNumber(), content: "x", start_time: inAYear(), rrule: "FREQ=OFTEN" }),
    "rrule",
  );
});

test("a relative schedule follows its contact's date", async () => {
  const variable = freshWord();
  const group = await call(project, "getOrCreateGroup", `Group ${freshWord()}`);
  const year = new Date().getFullYear() + 1;
  const contact = await call(project, "getOrCreateContact", {
    phone_number: freshNumber(), vars: { [variable]: `${year}-05-05` }, add_group_ids: [group.id],
  });
  const made = await call(project, "createRelativeScheduledMessage", {
    group_id: group.id, content: "a day before", date_variable: variable, time_of_day: "09:00",
    offset_scale: "D", offset_count: -1,
  });
  assert.ok((await ids(project.queryRelativeScheduledMessages({ group_id: group.id }))).includes(made.id));
  const [single] = await until(async () => {
    const found = await ids(contact.queryScheduledMessages());
    return found.length > 0 && found;
  }, "its own schedule");
  assert.equal((await call(project, "getScheduledMessageById", single)).relative_scheduled_id, made.id);
  made.content = "changed";
  await call(made, "save");
  assert.equal((await call(project, "getRelativeScheduledMessageById", made.id)).content, "changed");
  await call(made, "delete");
  await missing(call(project, "getRelativeScheduledMessageById", made.id));
});
