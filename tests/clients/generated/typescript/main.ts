import createClient from "openapi-fetch";
import type { paths } from "./api.js";

const [baseUrl, key, project_id, to_number] = process.argv.slice(2) as [string, string, string, string];
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Basic ${btoa(`${key}:`)}` } });
const path = { project_id };

const sent = await client.POST("/projects/{project_id}/messages/send", {
  params: { path },
  body: { to_number, content: "Hello!", vars: { count: 2, name: "Ann", done: false } },
});
if (!sent.data?.contact_id) throw new Error(sent.error?.error.message ?? "no contact");

const listed = await client.GET("/projects/{project_id}/messages", {
  params: { path, query: { contact_id: sent.data.contact_id, count: false } },
});
if (!listed.data) throw new Error(listed.error.error.message);
if (!("data" in listed.data)) throw new Error("a number in place of a list");

console.log(JSON.stringify([sent.data.id, listed.data.data.map((message) => message.id)]));
