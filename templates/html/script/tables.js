/* ---------------------------------------------------------------- tables: sorting, filtering */
const value = (row, i) => {
  const text = row.cells[i].textContent.replace(/\u2212/g, "-").replace(/,(?=\d{3})/g, "").trim(), n = parseFloat(text.replace(/^[<●◐○]\s*/, ""));
  return text === "–" ? null : isNaN(n) ? text.toLowerCase() : text[0] === "<" ? n * .999 : n;
};
const order = (a, b) => typeof a === typeof b ? (a > b) - (a < b) : typeof a === "number" ? -1 : 1;
all("table.sortable").forEach(table => [...table.tHead.rows[0].cells].forEach((th, i) => {
  const b = make("button", {type: "button"}); b.append(...th.childNodes); th.append(b);
  b.onclick = () => {
    const up = th.getAttribute("aria-sort") !== "ascending", body = table.tBodies[0];
    all("th[aria-sort]", table).forEach(x => x.removeAttribute("aria-sort")); th.setAttribute("aria-sort", up ? "ascending" : "descending");
    [...body.rows].map(r => [value(r, i), r]).sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null) : up ? order(a, b) : order(b, a)).forEach(([, r]) => body.append(r));
  };
}));

all("table.filterable").forEach((table, k) => {
  const rows = [...table.tBodies[0].rows], box = make("input", {type: "search", id: "filter-" + k}), found = make("span", {role: "status"});
  const bar = make("label", {className: "filter", htmlFor: box.id}, "Show data sets with ", box, found);
  box.oninput = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = rows.filter(r => { const t = r.textContent.toLowerCase(); r.hidden = !words.every(w => t.includes(w)); return !r.hidden; });
    found.textContent = words.length ? kept.length + " of " + rows.length : "";
  };
  table.closest(".scroll").before(bar);
});
