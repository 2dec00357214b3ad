"use strict";

const test = require("node:test");
const assert = require("node:assert/strict");
const { call, freshWord, ids, missing, project } = require("../support/client");

test("a table with its rows and fields is made, read, changed and deleted", async () => {
  const name = freshWord();
  const table = await call(project, "getOrCreateDataTable", name);
  assert.equal((await call(project, "getOrCreateDataTable", name)).id, table.id);
  const yes = await call(table, "createRow", { vars: { answer: "yes", age: 30 } });
  const no = await call(table, "createRow", { from_number: "+15005550107", vars: { answer: "no", age: 40 } });
  assert.deepEqual(await ids(table.queryRows({})), [yes.id, no.id]);
  assert.deepEqual(await ids(table.queryRows({ vars: { age: { min: 35 } } })), [no.id]);
  no.vars.answer = "yes";
  await call(no, "save");
  assert.deepEqual({ ...(await call(table, "countRowsByValue", "answer")) }, { yes: 2 });
  await call(table, "setFieldMetadata", "answer", { name: "Answer" });
  const fields = await call(table, "getFields");
  assert.deepEqual(fields.map((field) => field.name).sort(), ["Answer", "age"]);
  await call(yes, "delete");
  assert.equal((await call(table, "getRowById", no.id)).from_number, "+15005550107");
  table.show_stats = false;
  await call(table, "save");
  const again = await call(project, "getDataTableById", table.id);
  assert.deepEqual([again.show_stats, again.num_rows], [false, 1]);
  await call(table, "delete");
  await missing(call(project, "getDataTableById", table.id));
});
