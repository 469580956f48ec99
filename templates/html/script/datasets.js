/* ---------------------------------------------------------------- linked data sets: in summary plot, interaction, regret, tables */
all("main .data, .picker a").forEach(e => e.dataset.d = e.textContent);
all("tbody tr").forEach(r => { const e = r.cells.length && one("[data-d]", r.cells[0]); if (e) r.dataset.d = e.dataset.d; });
let kept = null, placed = null;
const frame = e => { /* the row that a name in a figure stands before; measured first, drawn later */
  const svg = e.ownerSVGElement, box = e.getBBox(), scale = svg.getScreenCTM().inverse().multiply(e.getScreenCTM());
  const [x, y] = [box.x * scale.a + scale.e - 3, box.y * scale.d + scale.f - 2];
  const rect = draw("rect", {"class": "frame", x, y, width: svg.viewBox.baseVal.width - x - 1, height: box.height * scale.d + 4, fill: "none", stroke: "var(--ink)", "stroke-width": 1.5});
  return () => svg.append(rect);
};
const place = name => {
  placed = name;
  root.classList.toggle("placed", name !== null);
  all(".frame").forEach(e => e.remove());
  const marks = all("[data-d]"), at = marks.filter(e => e.dataset.d === name);
  marks.forEach(e => e.classList.toggle("at", e.dataset.d === name));
  at.filter(e => e.localName === "g" && e.getClientRects().length).map(frame).forEach(append => append());
};
const keep = name => place(kept = name);
const overSet = e => {
  const at = e.target.closest && e.target.closest("[data-d]"), name = at ? at.dataset.d : kept;
  if (name !== placed) place(name);
};
d.addEventListener("pointerover", overSet);
d.addEventListener("focusin", overSet);
d.addEventListener("click", e => {
  const at = e.target.closest(".plots [data-d]");
  if (!at) return;
  keep(at.dataset.d === kept ? null : at.dataset.d);
  if (kept && explorer) explorer.choose(kept);
});
d.addEventListener("keydown", e => { if (e.key === "Escape") keep(null); });
