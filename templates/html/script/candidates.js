/* ---------------------------------------------------------------- linked candidates */
const whose = e => e.dataset.c.split(" ").map(Number);
all("tbody tr").forEach(r => { /* a row belongs to those that its head names */
  const found = r.cells.length && all("[data-c]", r.cells[0]).flatMap(whose);
  if (found && found.length) r.dataset.c = found.join(" ");
});
const NONE = new Set();
let pinned = NONE, lit = NONE;
const same = (a, b) => a.size === b.size && [...a].every(k => b.has(k));
const light = set => { /* a pair's row is lit by both its candidates, all else by one */
  lit = set;
  root.classList.toggle("linked", set.size > 0);
  for (const e of all("[data-c]")) { const k = whose(e); e.classList.toggle("on", set.size === 2 && k.length === 2 ? k.every(x => set.has(x)) : k.some(x => set.has(x))); }
};
const rest = () => light(pinned);
const over = e => {
  const at = e.target.closest && e.target.closest("[data-c]"), set = at ? new Set(whose(at)) : pinned;
  if (!same(set, lit)) light(set);
};
const pin = set => {
  pinned = same(set, pinned) ? NONE : set;
  all(".chips button").forEach(b => b.setAttribute("aria-pressed", String(pinned.has(+b.dataset.c))));
  rest();
};
d.addEventListener("pointerover", over);
d.addEventListener("focusin", over);
d.addEventListener("focusout", e => { if (!e.relatedTarget) rest(); });
d.addEventListener("click", e => { const at = e.target.closest(".plots [data-c], .one [data-c], .pane [data-c]"); if (at) pin(new Set(whose(at))); });
d.addEventListener("keydown", e => { if (e.key === "Escape") { pin(pinned); if (explorer) explorer.clear(); } });
