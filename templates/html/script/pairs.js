/* ---------------------------------------------------------------- pairs: those of a candidate, not significant ones, other areas */
const explorePairs = (host, names, families) => {
  const MOST = 150, NOW = 7; /* rows of all candidates shown at once; the reported words of a row */
  const which = select(families.map((f, i) => option(f.name, i)), () => change());
  const who = select([option("all candidates", ""), ...names.map(option)], () => show());
  const open = make("input", {type: "checkbox", onchange: () => show()}), out = make("output");
  const area = make("input", {type: "range", min: 0, max: 200, oninput: () => { now = largest * area.value / 200; show(); }});
  const back = button("as reported", () => { now = null; show(); }), [status, say] = speaker();
  const head = make("tr"), body = make("tbody"), more = make("p", {className: "hint"});
  let family, largest, now; /* half the width of the area, of ratios its logarithm; null as reported */

  const unpack = ({both, numbers, said, which}) => { /* rows of a family that is written by columns */
    const pair = new Uint16Array(bytes(both).buffer), x = new Float64Array(bytes(numbers).buffer);
    return Array.from(bytes(which), (w, p) => [...pair.slice(2 * p, 2 * p + 2), ...Array.from(x.slice(3 * p, 3 * p + 3), v => v === v ? v : null), ...said[w]]);
  };
  const level = x => family.ratio ? Math.log(x) : x;
  const written = x => (family.ratio ? x < 6.9 ? Math.exp(x).toPrecision(3) : fixed(Math.exp(x), 0) : fixed(x * family.factor, family.decimals)).replace("-", "\u2212");
  const named = x => !x ? "none" : family.ratio ? `${written(-x)} to ${written(x)}` : `±${written(x)} ${family.unit}`;
  const decide = ([, , , low, high, way, isOpen, words]) => { /* as `decide` of reportgen.stats.decisions, the first against the second */
    if (now === null || isOpen || low === null) return words;
    const a = level(low), b = level(high);
    if (now && a > now) return "better, relevant";
    if (now && b < -now) return "worse, relevant";
    if (now && a > -now && b < now) return way ? (way > 0 ? "better" : "worse") + ", not relevant" : "equivalent";
    return a > 0 ? "better" : b < 0 ? "worse" : "not significant";
  };
  const range = (rows, from) => rows.reduce(([least, most], r) => { /* of the finite numbers of rows, and 0 */
    const ends = r.slice(from, 5).map(level).filter(isFinite); /* null is 0, or of ratios none */
    return [Math.min(least, ...ends), Math.max(most, ...ends)];
  }, [0, 0]);
  const show = () => {
    const rows = family.rows.map(r => [r, decide(r)]), counts = {};
    const kept = rows.filter(([r, w]) => (!who.value || r.slice(0, 2).includes(+who.value)) && (!open.checked || w.startsWith("not ")));
    kept.forEach(([, w]) => counts[w] = (counts[w] || 0) + 1);
    const [from, to] = now !== null ? [-now, now] : (family.area || [1, 1].map(x => family.ratio ? x : 0)).map(level);
    const [least, most] = range(kept.map(([r]) => r), 2), span = (most - least || 1) * 1.1, start = (least + most - span) / 2;
    const at = x => (100 * Math.max(0, Math.min(1, (x - start) / span))).toFixed(2) + "%";
    const line = (x1, x2, y1, y2) => draw("line", {x1: at(x1), x2: at(x2), y1, y2});
    const scale = draw("svg", {"aria-hidden": "true"});
    head.replaceChildren(...["pair", scale, "now", "reported"].map(x => make("th", {scope: "col", className: "txt"}, x)));
    head.cells[1].append(make("span", {className: "sr", textContent: `advantage of the first${family.ratio ? " as a ratio" : family.unit && ", " + family.unit}`}));
    const n = who.value ? kept.length : MOST;
    body.replaceChildren(...kept.slice(0, n).map(([r, words]) => {
      const [i, j, middle, low, high] = r;
      const picture = draw("svg", {role: "img", "aria-label": low === null ? "no interval" : [low, high].map(level).map(written).join(" to ")},
        draw("rect", {x: at(from), width: parseFloat(at(to)) - parseFloat(at(from)) + "%", height: "100%"}), line(0, 0, 0, "100%"));
      if (low !== null) picture.append(line(level(low), level(high), "50%", "50%"));
      if (middle !== null) picture.append(draw("circle", {cx: at(level(middle)), cy: "50%", r: 3.6, fill: /^(better|worse)/.test(words) ? "var(--ink)" : "var(--paper)"}));
      const row = make("tr", {className: words === r[NOW] ? "" : "changed"}, make("th", {scope: "row"}, ...[i, j].map(k => make("span", {}, mark(k), make("bdi", {textContent: names[k]})))),
        make("td", {}, picture), ...[words, r[NOW]].map(textContent => make("td", {className: "txt wrap", textContent})));
      row.dataset.c = i + " " + j;
      return row;
    }));
    more.textContent = kept.length > n ? `The first ${n} of ${kept.length} pairs; a candidate has all of its own.` : "";
    area.value = Math.round(200 * Math.min(to / (largest || 1), 1));
    out.textContent = now === null ? "as reported" : named(now);
    area.setAttribute("aria-valuetext", out.textContent);
    back.disabled = now === null;
    host.dataset.area = now ?? "";
    const width = scale.getBoundingClientRect().width, taken = [];
    [0, least, most].forEach(x => { /* of its numbers those that have room beside one another */
      const text = scale.appendChild(draw("text", {y: 11}, written(x))), half = text.getComputedTextLength() / 2;
      const middle = Math.max(half, Math.min(width - half, (x - start) / span * width));
      text.setAttribute("x", middle);
      taken.some(([m, h]) => Math.abs(m - middle) < h + half + 6) ? text.remove() : taken.push([middle, half]);
    });
    say((rows.length === 1 ? `The pair: ${Object.keys(counts)[0] || "not shown"}` : `${kept.length} of ${rows.length} pairs: ` + (Object.entries(counts).map(([w, n]) => n + " " + w).join("; ") || "none")) + "."
      + (now === null ? "" : ` Exploratory, as the area was chosen after the intervals were seen: ${rows.filter(([r, w]) => w !== r[NOW]).length} of ${rows.length} decisions differ from the report, whose verdicts stay.`));
    rest();
  };
  const change = () => {
    family = families[+which.value]; now = null;
    family.rows ||= unpack(family.packed);
    largest = Math.max(...range(family.rows, 3).map(Math.abs));
    area.disabled = !largest;
    show();
  };
  host.append(make("div", {className: "controls"}, ...(families.length > 1 ? [field("of", which)] : []), ...(names.length > 2 ? [field("pairs with", who),
    make("label", {className: "tick"}, open, "not significant or not tested")] : []), field("area of equivalence", area, out), back),
    make("div", {className: "scroll", role: "region", tabIndex: 0, "aria-label": "Pairs of candidates"}, make("table", {className: "num pairs"}, make("thead", {}, head), body)), more, status);
  change();
  new ResizeObserver(show).observe(status); /* as wide as the rows */
};
