/* ---------------------------------------------------------------- learning samples, observations, fitted curves of one data set */
const exploreSamples = (host, names, kept, changed) => {
  const LEFT = 42, TOP = 8, HIGH = 214, FOOT = 36, NEAR = 15;
  const one = make("input", {type: "number", min: 1, oninput: () => pick(+one.value - 1)});
  const way = select([["", "all"], ["1", "with it"], ["0", "without it"]].map(([v, t]) => option(t, v)), () => changed());
  const [across, up] = [0, 1].map(() => select([], () => show())), axes = [["across", across], ["upwards", up]].map(([t, s]) => field(t, s));
  const [status, say] = speaker();
  const panes = [0, 1].map(() => { const svg = draw("svg", {role: "img"}), head = make("h3"); return {svg, head, box: make("div", {className: "pane"}, head, svg)}; });
  const [bars, plot] = panes;
  let own = null, n = 0, seen = null, picked = null, chosen = null, followed = null; /* observations count from 0 here */

  const isIn = (b, i) => own.learn[b * n + i] > 0;
  const share = (i, only) => { let found = 0; only.forEach(b => found += isIn(b, i)); return found / (only.length || 1); };
  const shownOnes = () => followed !== null ? [followed] : chosen ? [...chosen] : own.every;
  const short = x => x === null ? "–" : String(+x.toPrecision(4)).replace("-", "\u2212");
  const ticks = (lo, hi) => {
    const rough = (hi - lo || 1) / 4, power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].find(s => s * power >= rough) * power, found = [];
    for (let t = Math.ceil(lo / step); t * step <= hi; t++) found.push(+(t * step).toPrecision(12));
    return found;
  };
  const range = (values, room) => { const known = values.filter(x => x !== null), lo = Math.min(...known), hi = Math.max(...known), more = room * (hi - lo || 1); return [lo - more, hi + more]; };
  const text = (x, y, words, anchor) => draw("text", {x, y, "text-anchor": anchor}, words);
  const at = pane => pane.svg.getBoundingClientRect().width || 424;
  const ground = (pane, width, parts) => { pane.svg.setAttribute("viewBox", `0 0 ${width} ${TOP + HIGH + FOOT}`); pane.svg.replaceChildren(...parts); };

  const show = () => {
    if (!own) return;
    const these = shownOnes(), shares = own.numbers.map(i => share(i, these)), focus = seen !== null ? seen : picked;
    const width = at(bars), room = (width - LEFT - 4) / n, y = s => TOP + HIGH - s * HIGH, left = i => LEFT + i * room;
    bars.place = (px) => Math.max(0, Math.min(n - 1, Math.floor((px - LEFT) / room)));
    ground(bars, width, [
      ...[0, .5, 1].flatMap(s => [draw("path", {d: `M${LEFT} ${y(s)}H${width}`, stroke: "var(--rule)"}), text(LEFT - 7, y(s) + 4, 100 * s + "%", "end")]),
      ...own.numbers.map(i => draw("rect", {x: left(i), y: y(shares[i]), width: Math.max(1, room - (room > 3)), height: shares[i] * HIGH, fill: i === focus ? "var(--c0)" : "var(--ink2)", "fill-opacity": focus === null || i === focus ? 1 : .5})),
      ...own.numbers.map(i => draw("path", {d: `M${left(i)} ${y(own.shares[i])}h${Math.max(1, room)}`, stroke: "var(--ink)"})),
      ...own.numbers.filter(i => !i || (i + 1) % (n > 60 ? 10 ** Math.floor(Math.log10(n)) / (n < 200 ? 5 : 1) : 10) === 0).map(i => text(left(i + .5), TOP + HIGH + 15, i + 1, "middle")),
      text((LEFT + width) / 2, TOP + HIGH + 31, "observation", "middle")]);
    bars.head.textContent = followed !== null ? `In the learning sample of replication ${own.number(followed)}` : "In how many learning samples";
    bars.svg.setAttribute("aria-label", "Share of learning samples that hold each observation; the line below says it of the one that is chosen.");

    const [xs, ys] = [across, up].map(s => own.values[+s.value]), isCurved = own.curves && ys === own.values[1], wide = at(plot) - LEFT - 4;
    const [x0, x1] = range(xs, .04), [y0, y1] = range(ys, .06), X = x => LEFT + (x - x0) / (x1 - x0) * wide, Y = v => TOP + HIGH - (v - y0) / (y1 - y0) * HIGH;
    const parts = [...ticks(y0, y1).flatMap(t => [draw("path", {d: `M${LEFT} ${Y(t)}h${wide}`, stroke: "var(--rule)"}), text(LEFT - 7, Y(t) + 4, short(t), "end")]),
      ...ticks(x0, x1).map(t => text(X(t), TOP + HIGH + 15, short(t), "middle")), text(LEFT + wide / 2, TOP + HIGH + 31, own.vars[+across.value], "middle")];
    if (isCurved) {
      const inner = draw("svg", {x: LEFT, y: TOP, width: wide, height: HIGH, viewBox: `${LEFT} ${TOP} ${wide} ${HIGH}`, overflow: "hidden"}), alone = followed !== null;
      for (const [k, curve] of Object.entries(own.curves)) inner.append(draw("g", {"data-c": k, "class": "curves"}, ...these.map(b => {
        let d = "", isOn = false;
        own.grid.forEach((x, g) => { const v = curve(b, g); if (v === null) isOn = false; else { d += (isOn ? "L" : "M") + X(x).toFixed(1) + " " + Y(v).toFixed(1); isOn = true; } });
        return draw("path", {d: d || "M0 0", "data-b": b, fill: "none", stroke: `var(--c${k % 8})`, "stroke-width": alone ? 2 : 1.2, "stroke-opacity": alone ? 1 : Math.max(.1, Math.min(.8, 5 / these.length))});
      })));
      parts.push(inner);
    }
    plot.points = own.numbers.map(i => xs[i] === null || ys[i] === null ? null : [X(xs[i]), Y(ys[i])]);
    plot.points.forEach((p, i) => { if (p) parts.push(draw("circle", {cx: p[0], cy: p[1], r: i === focus ? 6 : 3.4, stroke: i === focus ? "var(--c0)" : "var(--ink)", "stroke-width": i === focus ? 2.5 : 1, fill: shares[i] ? "var(--ink)" : "var(--paper)", "fill-opacity": shares[i] ? Math.max(.15, shares[i]) : 1})); });
    ground(plot, at(plot), parts);
    plot.head.textContent = `${own.vars[+up.value]} by ${own.vars[+across.value]}`;
    plot.svg.setAttribute("aria-label", `The observations${isCurved ? ", and the curves that candidates fit to the selected learning samples" : ""}; open where none of these samples holds it.`);
    host.dataset.shares = shares.map(s => s.toFixed(4)).join(" ");
    if (focus !== null) say(`Observation ${focus + 1}: ${own.vars.map((v, j) => v + " " + short(own.values[j][focus])).join(", ")}. It is in ${Math.round(own.shares[focus] * own.every.length)} of ${own.every.length} learning samples`
      + (followed !== null ? `; in that of replication ${own.number(followed)} ${own.learn[followed * n + focus]} times.` : these === own.every ? "." : `, and in ${Math.round(shares[focus] * these.length)} of the ${these.length} selected.`));
    else say("Choose an observation by its number, or point at it.");
    light(lit);
  };
  const pick = i => { picked = Number.isInteger(i) && i >= 0 && i < n ? i : null; seen = null; if (way.value) changed(); else show(); };
  const look = i => { if (i !== seen) { seen = i; show(); } };
  const near = e => { /* the observation under the pointer */
    const pane = panes.find(p => p.svg === e.currentTarget), r = pane.svg.getBoundingClientRect(), x = (e.clientX - r.left) / r.width * at(pane), y = (e.clientY - r.top) / r.height * (TOP + HIGH + FOOT);
    if (pane === bars) return x < LEFT ? null : bars.place(x);
    let best = null, least = NEAR ** 2;
    plot.points.forEach((p, i) => { const q = p ? (p[0] - x) ** 2 + (p[1] - y) ** 2 : 1 / 0; if (q < least) { least = q; best = i; } });
    return best;
  };
  panes.forEach(({svg}) => {
    svg.addEventListener("pointermove", e => { if (own) look(near(e)); });
    svg.addEventListener("pointerleave", () => look(null));
    svg.addEventListener("click", e => { const i = near(e); if (i !== null) { e.stopPropagation(); one.value = i + 1; pick(i); } });
  });
  host.append(make("div", {className: "controls"}, field("observation", one), field("learning samples", way), ...axes), make("div", {className: "panes"}, ...panes.map(p => p.box)), status);

  return {
    choose: (name, B, number) => {
      const s = kept[name];
      host.hidden = !s;
      own = null; picked = seen = chosen = followed = null; one.value = way.value = "";
      if (!s) return;
      n = s.values[0].length;
      const curve = v => { const steps = new Uint16Array(bytes(v).buffer), G = s.grid.length; return (b, g) => { const t = steps[b * G + g]; return t === 65535 ? null : s.lo + t / 65534 * (s.hi - s.lo); }; };
      own = {...s, number, learn: bytes(s.learn), numbers: [...Array(n).keys()], every: [...Array(B).keys()], curves: s.grid.length && Object.fromEntries(Object.entries(s.curves).map(([k, v]) => [k, curve(v)]))};
      own.shares = own.numbers.map(i => share(i, own.every));
      one.max = n;
      [across, up].forEach((select, j) => { select.replaceChildren(...s.vars.map(option)); select.value = j ? s.vars.length - 1 : 0; axes[j].hidden = s.vars.length < 3; });
    },
    wants: b => picked === null || !way.value || isIn(b, picked) === (way.value === "1"),
    words: () => picked === null || !way.value ? "" : `, of those that learn with${way.value === "1" ? "" : "out"} observation ${picked + 1}`,
    show: (only, b) => { chosen = only; followed = b; show(); },
    clear: () => { picked = seen = null; one.value = way.value = ""; },
  };
};
