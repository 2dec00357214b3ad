"use strict";

const test = require("node:test");
const assert = require("node:assert/strict");
const { api, call, demo, freshWord, ids, missing, project } = require("../support/client");

test("the project is listed, loaded and changed", async () => {
  assert.ok((await ids(api.queryProjects())).includes(demo.project_id));
  const loaded = await call(api, "getProjectById", demo.project_id);
  assert.equal(loaded.organization_id, demo.organization_id);
  const word = freshWord();
  loaded.vars[word] = "kept";
  await call(loaded, "save");
  const again = await call(api, "getProjectById", demo.project_id);
  assert.equal(again.vars[word], "kept");
  again.vars[word] = null;
  await call(again, "save");
  assert.ok(!(word in (await call(api, "getProjectById", demo.project_id)).vars));
  assert.deepEqual(await call(project, "getUsers"), []);
  await missing(call(api, "getProjectById", "PJ0000000000000001"));
});

test("an organization makes projects and knows what it uses", async () => {
  assert.deepEqual(await ids(api.queryOrganizations()), [demo.organization_id]);
  const organization = await call(api, "getOrganizationById", demo.organization_id);
  const made = await call(organization, "createProject", { name: `Project ${freshWord()}`, timezone_id: "Africa/Nairobi" });
  assert.ok((await ids(organization.queryProjects({ name: made.name }))).includes(made.id));
  assert.ok((await call(organization, "getBillingDetails")).plan_name);
  assert.ok((await call(organization, "getUsage", "projects")) !== undefined);
});

test("a phone is listed, loaded and changed", async () => {
  const { id, phone_number } = demo.phones[0];
  assert.ok((await ids(project.queryPhones())).includes(id));
  const phone = await call(project, "getPhoneById", id);
  assert.equal(phone.phone_number, phone_number);
  const word = freshWord();
  phone.vars[word] = 1;
  await call(phone, "save");
  assert.equal((await call(project, "getPhoneById", id)).vars[word], 1);
  phone.vars[word] = null;
  await call(phone, "save");
});

test("a route that is not there is not found, and the list of routes is a list", async () => {
  await missing(call(project, "getRouteById", "RT0000000000000001"));
  assert.ok(Array.isArray(await ids(project.queryRoutes({ sort: "name" }))));
});
