/* ---------------------------------------------------------------- search: words of the report, in folded parts too */
{
  const BLOCKS = "p,li,dt,dd,td,th,figcaption,summary,small,pre,h1,h2,h3,h4", OUTSIDE = "svg,script,math,.js,.sr,.tools,nav";
  const box = make("input", {type: "search", id: "search", placeholder: "Search", autocomplete: "off"}), found = make("span", {className: "found", role: "status"});
  const step = by => () => { if (hits.length) { at = (at + by + hits.length) % hits.length; go(); } };
  const [back, on] = [["↑", "previous", -1], ["↓", "next", 1]].map(([t, name, by]) => button(t, step(by), {"aria-label": name + " place", hidden: true}));
  let hits = [], at = -1;
  const paint = (name, ranges) => { if (CSS.highlights) CSS.highlights.set(name, new Highlight(...ranges)); };
  const search = () => {
    const words = box.value.trim().split(/\s+/).map(w => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/[-\u2212\u2013]/g, "[-\u2212\u2013]"));
    hits = []; at = -1;
    if (box.value.trim().length > 1) {
      const walk = d.createTreeWalker(one("main"), NodeFilter.SHOW_TEXT, n => n.parentElement.closest(OUTSIDE) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
      const blocks = new Map(), sought = new RegExp(words.join("\\s+"), "gi");
      while (walk.nextNode()) { const n = walk.currentNode, b = n.parentElement.closest(BLOCKS) || n.parentElement; blocks.set(b, [...blocks.get(b) || [], n]); }
      for (const nodes of blocks.values()) for (const m of nodes.map(n => n.data).join("").matchAll(sought)) {
        const range = new Range();
        let from = m.index, to = from + m[0].length;
        for (const n of nodes) {
          if (from >= 0 && from < n.length) range.setStart(n, from);
          if (to > 0 && to <= n.length) range.setEnd(n, to);
          from -= n.length; to -= n.length;
        }
        hits.push(range);
      }
    }
    paint("found", hits); paint("here", []);
    back.hidden = on.hidden = !hits.length;
    found.textContent = box.value.trim().length > 1 ? hits.length + (hits.length === 1 ? " place" : " places") : "";
  };
  const go = () => {
    const e = hits[at].startContainer.parentElement;
    open(e);
    paint("here", [hits[at]]);
    found.textContent = `${at + 1} of ${hits.length}`;
    e.scrollIntoView({block: "center", behavior: "instant"});
  };
  box.oninput = search;
  box.onkeydown = e => {
    if (e.key === "Enter") step(e.shiftKey ? -1 : 1)();
    else if (e.key === "Escape") { box.value = ""; search(); }
  };
  one(".bar .seek").append(make("label", {className: "sr", htmlFor: "search", textContent: "Search in this report"}), box, found, back, on);
}
