/* ---------------------------------------------------------------- explorer */
const explore = (host, {names, measures, sets: packed, samples}) => {
  const K = names.length, MISSING = 65535, TOP = 65534, EVERY = [...names.keys()];
  const chips = make("div", {className: "chips", role: "group", "aria-label": "Candidates"}, ...EVERY.map(k => {
    const b = button("", () => pin(new Set([k])), {"aria-pressed": "false"});
    b.append(mark(k), make("bdi", {textContent: names[k]})); b.dataset.c = k;
    return b;
  }));
  host.append(chips);
  if (!packed.length) return null;

  /* ---- values, places, summaries; a place is the number of candidates that are better, as `shared_places` counts it */
  const unpack = (m, B, larger) => {
    const steps = new Uint16Array(bytes(m.v).buffer), sign = larger ? -1 : 1;
    const step = (k, b) => steps[k * B + b], here = m.order, places = [];
    for (let b = 0; b < B; b++) {
      if (here.some(k => step(k, b) === MISSING)) { places.push(null); continue; }
      const place = Array(K).fill(-1);
      for (const k of here) place[k] = here.filter(x => sign * (step(x, b) - step(k, b)) < 0).length;
      places.push(place);
    }
    const n = places.filter(Boolean).length;
    const at = (k, b) => { const s = step(k, b), t = m.lo + s / TOP * (m.hi - m.lo); return s === MISSING ? NaN : m.log ? 10 ** t : t; };
    const summary = (k, only) => {
      let n = 0, total = 0, best = 0;
      for (let b = 0; b < B; b++) if (!only || only.has(b)) { const x = at(k, b); if (x === x) { n++; total += x; best += places[b] !== null && places[b][k] === 0; } }
      return {n, mean: total / n, best};
    };
    const slots = Array(K).fill(0); here.forEach((k, i) => slots[k] = i);
    return {...m, places, n, at, summary, slots};
  };
  const cache = new Map();
  const get = i => {
    if (!cache.has(i)) { const s = packed[i], number = b => s.numbers ? s.numbers[b] : b + 1; cache.set(i, {...s, number, m: s.m.map((m, j) => unpack(m, s.B, measures[j].larger))}); }
    return cache.get(i);
  };
  const ordinal = p => p + 1 + ((p + 1) % 100 > 10 && (p + 1) % 100 < 14 ? "th" : ["th", "st", "nd", "rd"][(p + 1) % 10] || "th");
  const written = (x, m) => {
    const y = x * m.factor, size = Math.abs(y);
    if (!isFinite(y)) return "–";
    const text = size < 1e6 && m.decimals <= 8 ? fixed(y, m.decimals) : y.toPrecision(4).replace("e+", "e");
    return text.replace("-", "\u2212");
  };
  const withUnit = (x, m) => written(x, m) + (m.unit && m.unit !== "%" ? " " : "") + m.unit;

  /* ---- state: data set, measure on the left and on the right, selection, one replication */
  let now = get(0), left = 0, right = Math.min(1, measures.length - 1), chosen = null, followed = null;
  const ui = {}, single = measures.length === 1;

  /* ---- controls */
  const controls = make("div", {className: "controls"});
  if (packed.length > 1) {
    ui.set = select(packed.map((s, i) => option(s.name, i)), () => turn(+ui.set.value));
    const step = by => () => turn((+ui.set.value + by + packed.length) % packed.length);
    controls.append(make("div", {className: "steps"}, field("data set", ui.set), button("←", step(-1), {"aria-label": "previous data set"}), button("→", step(1), {"aria-label": "next data set"})));
  }
  const measured = () => measures.map((m, j) => option(m.name, j));
  ui.left = select(measured(), () => { left = +ui.left.value; if (measures.length > 1 && left === right) { right = left ? 0 : 1; ui.right.value = right; } redraw(); clear(); });
  ui.right = select(measured(), () => { right = +ui.right.value; redraw(); apply(); });
  ui.right.value = right;
  ui.whose = select([option("any candidate", ""), ...EVERY.map(k => option(names[k], k))], () => apply());
  [ui.from, ui.to] = [0, 1].map(() => select(EVERY.map(p => option(ordinal(p), p)), () => apply()));
  for (const [name, start] of [["low", 0], ["high", 1000]]) {
    ui[name] = make("input", {type: "range", min: 0, max: 1000, step: 5}); ui[name].value = start;
    ui[name + "Out"] = make("output"); ui[name].oninput = () => apply();
  }
  ui.one = make("input", {type: "number"});
  ui.one.oninput = () => follow(find(ui.one.value), true);
  if (!single) controls.append(field("select by", ui.left));
  if (measures.length > 2) controls.append(field("and show", ui.right));
  controls.append(field("whose", ui.whose), field("from place", ui.from), field("to place", ui.to), field("value from", ui.low, ui.lowOut), field("value to", ui.high, ui.highOut),
    field("one replication", ui.one), button("Clear", () => clear(), {className: "clear"}));
  const [status, say] = speaker();
  ui.head = make("tr"); ui.body = make("tbody");
  const panes = make("div", {className: "panes" + (single ? " single" : "")});
  const table = make("table", {className: "num"}, make("thead", {}, ui.head), ui.body);
  host.append(controls, panes, status, make("div", {className: "scroll", role: "region", tabIndex: 0, "aria-label": "All and selected replications"}, table));

  const find = text => { const n = +text, b = text === "" ? -1 : now.numbers ? now.numbers.indexOf(n) : n - 1; return Number.isInteger(b) && b >= 0 && b < now.B ? b : null; };

  /* ---- two benchmark experiment plots: dots by place and value, lines of replications, counts */
  const LEFT = 42, TOPS = 8, HIGH = 214, COUNTS = 44, FOOT = 34, PAD = 3, MOST = 12, FEW = 8;
  const p1 = x => x.toFixed(1);
  class Pane {
    constructor(isBrush) {
      this.svg = draw("svg", {role: "img"}); this.head = make("h3");
      this.box = make("div", {className: "pane" + (isBrush ? " brush" : "")}, this.head, this.svg);
      panes.append(this.box);
    }
    draw(j) {
      const m = this.m = now.m[j], a = m.axis, width = Math.max(230, this.svg.getBoundingClientRect().width || 424), n = m.order.length;
      this.shown = n > MOST ? FEW : n; this.wide = (width - LEFT) / this.shown; this.width = width; this.height = TOPS + HIGH + COUNTS + FOOT;
      const level = v => a.lo > 0 && this.isLog ? (Math.log(v) - Math.log(a.lo)) / (Math.log(a.hi) - Math.log(a.lo)) : (v - a.lo) / (a.hi - a.lo);
      this.isLog = m.log;
      this.y = x => TOPS + HIGH - Math.max(0, Math.min(1, level(x * a.factor))) * HIGH;
      const [least, most] = [m.lo, m.hi].map(x => m.log ? 10 ** x : x); /* the axis is longer than the values' range */
      this.value = f => (this.isLog ? a.lo * (a.hi / a.lo) ** f : a.lo + f * (a.hi - a.lo)) / a.factor;
      this.named = f => withUnit(Math.max(least, Math.min(most, this.value(f))), m);
      this.svg.setAttribute("viewBox", `0 0 ${p1(width)} ${this.height}`);
      const texts = [];
      for (let p = 0; p < this.shown; p++) texts.push(
        draw("rect", {x: LEFT + p * this.wide + PAD, y: TOPS, width: Math.max(1, this.wide - 2 * PAD), height: HIGH + COUNTS + 4, fill: "var(--band)"}),
        draw("text", {x: LEFT + (p + .5) * this.wide, y: TOPS + HIGH + COUNTS + 20, "text-anchor": "middle"}, this.wide < 30 ? String(p + 1) : ordinal(p)));
      for (const [v, text] of a.ticks) { const y = Math.round(this.y(v / a.factor)) + .5; texts.push(draw("path", {d: `M${LEFT - 4} ${y}H${LEFT}`, stroke: "var(--axis)"}), draw("text", {x: LEFT - 7, y: y + 4, "text-anchor": "end"}, text)); }
      [this.base, this.pick, this.hover] = ["base", "pick", "hover"].map(c => draw("g", {"class": c}));
      this.rect = draw("rect", {"class": "box", fill: "var(--ink)", "fill-opacity": .08, stroke: "var(--ink)", visibility: "hidden"});
      this.svg.replaceChildren(...texts, this.base, this.pick, this.hover, this.rect);
      this.head.replaceChildren(measures[j].name + " ", make("span", {textContent: (a.unit ? `(${a.unit}${n > this.shown ? `, the first ${this.shown} of ${n} places` : ""})` : "")}));
      this.svg.setAttribute("aria-label", `Benchmark experiment plot of ${measures[j].name} on ${now.name}; the status line below and the table say what is selected.`);
      this.marks(this.base, null);
    }
    x(p, k) { return LEFT + p * this.wide + PAD + (this.m.slots[k] + .5) * (this.wide - 2 * PAD) / this.m.order.length; }
    marks(group, only) {
      const m = this.m, dots = EVERY.map(() => []), counts = EVERY.map(() => Array(K).fill(0)), lines = [];
      for (let b = 0; b < now.B; b++) {
        const place = m.places[b];
        if (!place || only && !only.has(b)) continue;
        const points = EVERY.map(() => []);
        for (const k of m.order) { const p = place[k]; counts[k][p]++; if (p >= this.shown) continue; const at = p1(this.x(p, k)) + " " + p1(this.y(m.at(k, b))); dots[k].push("M" + at + "h0"); points[p].push(at); }
        lines.push("M" + points.flat().join("L"));
      }
      if (!only) this.most = Math.max(1, ...counts.flat());
      const n = m.order.length, wide = Math.max(1.5, (this.wide - 2 * PAD) / n * .78), foot = TOPS + HIGH + COUNTS + 4, size = only ? only.size : now.B;
      group.replaceChildren(draw("path", {d: lines.join("") || "M0 0", fill: "none", stroke: "var(--ink)", "stroke-opacity": only ? Math.max(.16, Math.min(.7, 6 / size)) : Math.max(.03, Math.min(.12, 8 / size))}),
        ...m.order.map(k => {
          const ink = `var(--c${k % 8})`, g = draw("g", {"data-c": k}, draw("path", {d: dots[k].join("") || "M0 0", fill: "none", stroke: ink, "stroke-width": only ? 4.6 : 4, "stroke-linecap": "round", "stroke-opacity": only ? .95 : .62}));
          counts[k].forEach((count, p) => { if (!count || p >= this.shown) return; const high = Math.max(1, count / this.most * (COUNTS - 4)); g.append(draw("rect", {x: p1(this.x(p, k) - wide / 2), y: p1(foot - high), width: p1(wide), height: p1(high), fill: ink})); });
          return g;
        }));
    }
    select() { this.base.setAttribute("opacity", chosen ? .16 : 1); chosen ? this.marks(this.pick, chosen) : this.pick.replaceChildren(); }
    follow() {
      const m = this.m, place = followed === null ? null : m.places[followed];
      if (!place) return this.hover.replaceChildren();
      const by = m.order.filter(k => place[k] < this.shown).sort((a, b) => place[a] - place[b]), at = k => [p1(this.x(place[k], k)), p1(this.y(m.at(k, followed)))];
      this.hover.replaceChildren(draw("path", {d: "M" + by.map(k => at(k).join(" ")).join("L"), fill: "none", stroke: "var(--ink)", "stroke-width": 2}),
        ...by.map(k => { const [x, y] = at(k); return draw("use", {href: "#m" + k, x: x - 6, y: y - 6, width: 12, height: 12}); }));
    }
    point(e) { const r = this.svg.getBoundingClientRect(); return [(e.clientX - r.left) / r.width * this.width, (e.clientY - r.top) / r.height * this.height]; }
    near(x, y) {
      let best = null, least = 64;
      this.m.places.forEach((place, b) => place && this.m.order.forEach(k => { if (place[k] >= this.shown) return; const q = (this.x(place[k], k) - x) ** 2 + (this.y(this.m.at(k, b)) - y) ** 2; if (q < least) { least = q; best = b; } }));
      return best;
    }
  }

  /* ---- what the panes, the figures above, the table and the status line show of the state */
  const figures = () => { /* only of one data set: the figures' marks are its replications */
    root.classList.toggle("picked", chosen !== null || followed !== null);
    root.style.setProperty("--chosen", followed !== null || !chosen ? .8 : Math.max(.16, Math.min(.7, 6 / (chosen.size || 1)))); /* of lines: many are thin */
    if (packed.length === 1) for (const g of all(".plots [data-r]")) if (g.children.length === now.B)
      [...g.children].forEach((e, b) => e.classList.toggle("sel", followed !== null ? b === followed : chosen !== null && chosen.has(b)));
  };
  const follow = (b, aloud) => {
    if (b === followed) return;
    followed = b;
    views.forEach(v => v.follow());
    figures();
    if (learning) learning.show(chosen, followed);
    if (!aloud) ui.one.value = b === null ? "" : now.number(b);
    if (b !== null) say(`Replication ${now.number(b)}: ` + shownMeasures().map(j => {
      const m = now.m[j], place = m.places[b], first = place && [...m.order].sort((x, y) => place[x] - place[y]).slice(0, 3);
      return measures[j].name + " " + (first ? first.map(k => `${names[k]} ${withUnit(m.at(k, b), m)}`).join(", ") : "incomplete");
    }).join("; ") + ".");
  };
  const shownMeasures = () => single ? [left] : [left, right];
  const tabulate = () => {
    ui.head.replaceChildren(make("th", {scope: "col", textContent: "candidate"}), ...shownMeasures().flatMap(j => [`${measures[j].name}, mean${now.m[j].unit ? " in " + now.m[j].unit : ""}`, "selected", "best or tied"].map(t => make("th", {scope: "col", textContent: t}))));
    ui.body.replaceChildren(...EVERY.map(k => {
      const row = make("tr", {}, make("th", {scope: "row"}, mark(k), " ", make("bdi", {textContent: names[k]})));
      row.dataset.c = k;
      for (const j of shownMeasures()) {
        const m = now.m[j], every = m.summary(k), some = chosen && m.summary(k, chosen);
        for (const t of [m.means[k], some && some.n ? written(some.mean, m) : "–", String((some || every).best)]) row.append(make("td", {textContent: t}));
      }
      return row;
    }));
    rest();
  };
  const apply = silent => {
    const m = now.m[left], view = views[0];
    let [p0, p1, f0, f1] = [ui.from, ui.to, ui.low, ui.high].map(x => +x.value);
    if (p0 > p1) [p0, p1] = [p1, p0];
    if (f0 > f1) [f0, f1] = [f1, f0];
    const any = ui.whose.value === "", who = +ui.whose.value, lo = f0 > 0 ? view.value(f0 / 1000) : -Infinity, hi = f1 < 1000 ? view.value(f1 / 1000) : Infinity;
    const whole = p0 === 0 && p1 === K - 1 && f0 === 0 && f1 === 1000;
    for (const [name, x] of [["low", +ui.low.value], ["high", +ui.high.value]]) { const text = view.named(x / 1000); ui[name + "Out"].textContent = text; ui[name].setAttribute("aria-valuetext", text); }
    chosen = null;
    if (!whole) {
      chosen = new Set();
      m.places.forEach((place, b) => { if (place && m.order.some(k => (any || k === who) && place[k] >= p0 && place[k] <= p1 && m.at(k, b) >= lo && m.at(k, b) <= hi)) chosen.add(b); });
    }
    const words = learning ? learning.words() : "";
    if (words) chosen = new Set([...chosen || Array(now.B).keys()].filter(learning.wants));
    views.forEach(v => v.select()); figures(); tabulate();
    if (learning) learning.show(chosen, followed);
    const right0 = Math.min(p1 + 1, view.shown), box = {x: LEFT + p0 * view.wide, y: TOPS + HIGH - f1 / 1000 * HIGH, width: Math.max(0, (right0 - p0) * view.wide), height: (f1 - f0) / 1000 * HIGH, visibility: whole ? "hidden" : "visible"};
    Object.entries(box).forEach(([k, v]) => view.rect.setAttribute(k, v));
    host.dataset.selected = chosen ? chosen.size : "";
    if (silent) return;
    if (!chosen) return say(`All ${now.B} replications of ${now.name}${m.n < now.B ? `; places are of the ${m.n} in which ${K > 2 ? "all" : "both"} candidates have a value` : ""}.`);
    let text = `${chosen.size} of ${now.B} replications selected${words}: ${any ? "any candidate" : names[who]} at ${p0 === p1 ? ordinal(p0) + " place" : ordinal(p0) + " to " + ordinal(p1) + " place"} with ${measures[left].name} from ${view.named(f0 / 1000)} to ${view.named(f1 / 1000)}.`;
    if (chosen.size) {
      const other = now.m[right], first = m.order.map(k => [k, m.summary(k, chosen).best]).sort((a, b) => b[1] - a[1])[0];
      const moved = other.order.map(k => [k, other.summary(k).mean, other.summary(k, chosen).mean]).filter(x => x[2] === x[2]).sort((a, b) => Math.abs(b[2] - b[1]) - Math.abs(a[2] - a[1]))[0];
      text += ` Among them ${names[first[0]]} is best or tied in ${first[1]}` + (moved ? `; the mean of ${names[moved[0]]} by ${measures[right].name} changes most, from ${withUnit(moved[1], other)} to ${withUnit(moved[2], other)}.` : ".");
    }
    say(text);
  };
  const clear = () => { ui.from.value = 0; ui.to.value = K - 1; ui.low.value = 0; ui.high.value = 1000; ui.whose.value = ""; if (learning) learning.clear(); follow(null); apply(); };
  const redraw = () => { views[0].draw(left); if (views[1]) views[1].draw(right); };
  const turn = i => { choose(i); keep(packed[i].name); };
  const choose = i => {
    if (ui.set) { ui.set.value = i; all(".picker a").forEach(a => a.hash === "#" + packed[i].anchor ? a.setAttribute("aria-current", "true") : a.removeAttribute("aria-current")); }
    follow(null);
    now = get(i);
    if (!now.numbers) Object.assign(ui.one, {min: 1, max: now.B});
    if (learning) learning.choose(now.name, now.B, now.number);
    redraw(); clear();
  };

  /* ---- brush and pointer */
  const views = single ? [new Pane(true)] : [new Pane(true), new Pane(false)], brush = views[0];
  const place = one("#samples"), learning = place && exploreSamples(place, names, samples, () => apply());
  let start = null, dragged = false;
  brush.svg.addEventListener("pointerdown", e => { start = brush.point(e); dragged = false; brush.svg.setPointerCapture(e.pointerId); });
  brush.svg.addEventListener("pointermove", e => {
    const at = brush.point(e);
    if (!start) return follow(brush.near(...at));
    if (!dragged && Math.hypot(at[0] - start[0], at[1] - start[1]) < 5) return;
    const place = x => Math.max(0, Math.min(brush.shown - 1, Math.floor((x - LEFT) / brush.wide))), share = y => Math.max(0, Math.min(1000, Math.round((TOPS + HIGH - y) / HIGH * 1000)));
    const [x0, x1] = [start[0], at[0]].sort((a, b) => a - b), [y0, y1] = [start[1], at[1]].sort((a, b) => a - b);
    follow(null);
    ui.from.value = place(x0); ui.to.value = place(x1); ui.low.value = share(y1); ui.high.value = share(y0);
    dragged = true; apply(true);
  });
  brush.svg.addEventListener("pointerup", () => { if (dragged) apply(); else if (start && brush.near(...start) === null) clear(); start = null; });
  brush.svg.addEventListener("pointercancel", () => { start = null; });
  brush.svg.addEventListener("click", e => { if (dragged) e.stopPropagation(); }); /* a drag pins nobody */
  views.forEach(v => v.svg.addEventListener("pointerleave", () => { if (!start) follow(null); }));
  if (views[1]) views[1].svg.addEventListener("pointermove", e => follow(views[1].near(...views[1].point(e))));
  d.addEventListener("pointerover", e => { /* a mark or a line of a figure is that replication everywhere */
    const g = e.target.parentNode;
    if (packed.length === 1 && g && g.dataset && g.dataset.r !== undefined && g.children.length === now.B) follow([...g.children].indexOf(e.target));
    else if (followed !== null && !host.contains(e.target)) follow(null);
  });

  let width = 0; /* the panes are drawn as wide as they stand */
  if ("ResizeObserver" in window) new ResizeObserver(() => { const w = brush.svg.getBoundingClientRect().width; if (w && Math.abs(w - width) > 1) { width = w; redraw(); apply(true); views.forEach(v => v.follow()); } }).observe(panes);
  choose(0);
  const other = i => { if (i >= 0 && i !== +(ui.set ? ui.set.value : 0)) choose(i); };
  return {clear, choose: name => other(packed.findIndex(s => s.name === name)), follow: anchor => other(packed.findIndex(s => s.anchor && s.anchor === anchor))};
};
