"use strict";
// The hub is where this page is; the code stands behind the number sign, which browsers keep to themselves.
const hub = location.origin + location.pathname.replace(/\/pair\/?$/, "");
const byId = (id) => document.getElementById(id);
const isCode = (code) => /^[0-9A-Za-z -]{12,40}$/.test(code);
const link = (code) => "postrider://pair?hub=" + encodeURIComponent(hub) + "&code=" + encodeURIComponent(code);

function show() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code") || "";
  byId("scanned").hidden = !isCode(code);
  byId("typing").hidden = isCode(code);
  if (isCode(code)) byId("open").href = link(code);
}

byId("hub").textContent = hub;
byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const code = byId("code").value.trim();
  byId("wrong").hidden = isCode(code);
  if (isCode(code)) location.href = link(code);
});
window.addEventListener("hashchange", show);
show();
