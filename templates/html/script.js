/* Adds, never carries: theme, sorting, filtering, enlarging, saving, place in the contents. The page is whole without it. */
(() => {
  "use strict";
  const d = document, root = d.documentElement, all = (s, e = d) => [...e.querySelectorAll(s)];
  root.classList.add("scripted");
  const make = (tag, props = {}) => Object.assign(d.createElement(tag), props);
  const save = (blob, name) => { const a = make("a", {href: URL.createObjectURL(blob), download: name}); a.click(); setTimeout(() => URL.revokeObjectURL(a.href), 9e3); };

  const theme = d.getElementById("theme"), system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  const show = () => { theme.textContent = dark() ? "Light" : "Dark"; theme.setAttribute("aria-label", "Use " + (dark() ? "light" : "dark") + " colours"); };
  theme.onclick = () => { root.dataset.theme = dark() ? "light" : "dark"; show(); };
  system.addEventListener("change", show);
  show();

  all("[data-svg]").forEach(b => b.onclick = () => {
    const was = root.dataset.theme; root.dataset.theme = "light"; /* saved figures are light */
    const style = getComputedStyle(root), svg = d.querySelector("#" + b.dataset.svg + " svg.desk").cloneNode(true);
    all(".on-dark", svg).forEach(x => x.remove());
    const text = new XMLSerializer().serializeToString(svg).replace(/var\((--\w+)\)/g, (_, v) => style.getPropertyValue(v).trim());
    if (was) root.dataset.theme = was; else delete root.dataset.theme;
    save(new Blob([text], {type: "image/svg+xml"}), b.dataset.svg.replace(/^figure-/, "") + ".svg");
  });

  if ("DecompressionStream" in window) all("[data-unpack]").forEach(a => a.onclick = e => {
    e.preventDefault();
    const bytes = Uint8Array.from(atob(a.href.split(",")[1]), c => c.charCodeAt(0));
    new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).blob()
      .then(b => save(new Blob([b], {type: "text/csv"}), a.download.replace(/\.gz$/, "")));
  });

  const zoom = d.getElementById("zoom"), stage = zoom.querySelector(".stage");
  let home = null, opener = null;
  all("[data-zoom]").forEach(b => b.onclick = () => {
    const svg = d.querySelector("#" + b.dataset.zoom + " svg.desk"); /* moved, not copied: ids stay unique */
    opener = b; home = d.createComment(""); svg.replaceWith(home); stage.replaceChildren(svg); zoom.showModal();
  });
  zoom.addEventListener("close", () => { home.replaceWith(stage.firstElementChild); opener.focus({preventScroll: true}); });
  zoom.addEventListener("click", e => { if (e.target === zoom || e.target === stage) zoom.close(); });

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
    const rows = [...table.tBodies[0].rows], box = make("input", {type: "search", id: "filter-" + k}), found = make("span");
    found.setAttribute("role", "status");
    const bar = make("label", {className: "filter", htmlFor: box.id}); bar.append("Show data sets with ", box, found);
    const filter = () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      const kept = rows.filter(r => { const t = r.textContent.toLowerCase(); r.hidden = !words.every(w => t.includes(w)); return !r.hidden; });
      found.textContent = words.length ? kept.length + " of " + rows.length : "";
    };
    box.oninput = filter; table.closest(".scroll").before(bar);
  });

  if ("IntersectionObserver" in window) {
    const links = new Map(all(".toc a").map(a => [a.hash.slice(1), a]));
    const seen = new IntersectionObserver(entries => entries.forEach(e => {
      const a = links.get(e.target.id);
      if (e.isIntersecting && a) { links.forEach(x => x.removeAttribute("aria-current")); a.setAttribute("aria-current", "true"); }
    }), {rootMargin: "-10% 0px -80% 0px"});
    all("main > section, main > article").forEach(s => seen.observe(s));
  }
})();
