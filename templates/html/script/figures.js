/* ---------------------------------------------------------------- figures and tables: saving, copying */
const save = (blob, name) => { const a = make("a", {href: URL.createObjectURL(blob), download: name}); a.click(); setTimeout(() => URL.revokeObjectURL(a.href), 9e3); };
const stem = figure => figure.id.replace(/^(figure|table)-/, "");

const alone = figure => { /* as a file: light, with its fonts, on paper */
  const was = root.dataset.theme; root.dataset.theme = "light";
  const style = getComputedStyle(root), svg = one("svg.desk", figure).cloneNode(true), names = svg.getAttribute("font-family");
  all(".on-dark, .frame", svg).forEach(x => x.remove());
  all(".on, .sel", svg).forEach(x => x.classList.remove("on", "sel"));
  const faces = (one("style").textContent.match(/@font-face\s*\{[^}]*\}/g) || []).filter(f => names.includes(/font-family:\s*'([^']+)'/.exec(f)[1]));
  svg.prepend(draw("style", {}, faces.join("")), draw("rect", {width: "100%", height: "100%", fill: "var(--paper)"}));
  const text = new XMLSerializer().serializeToString(svg).replace(/var\((--\w+)\)/g, (_, v) => style.getPropertyValue(v).trim());
  if (was) root.dataset.theme = was; else delete root.dataset.theme;
  return [new Blob([text], {type: "image/svg+xml"}), +svg.getAttribute("width"), +svg.getAttribute("height")];
};
const picture = async figure => {
  const [blob, width, height] = alone(figure), canvas = make("canvas", {width: 3 * width, height: 3 * height}), image = new Image();
  image.src = URL.createObjectURL(blob);
  await image.decode();
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise(done => canvas.toBlob(done, "image/png"));
};

const cells = table => all("tr", table).filter(r => !r.hidden).map(r => [...r.cells].map(c => {
  const copy = c.cloneNode(true);
  all(".sr", copy).forEach(x => x.remove());
  return copy.textContent.trim().replace(/\s+/g, " ");
}));
const TEX = {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\u2212": "$-$"};
const formats = {
  CSV: rows => rows.map(r => r.map(c => /^[=+@]/.test(c) ? "'" + c : c).map(c => /[",]/.test(c) ? '"' + c.replace(/"/g, '""') + '"' : c).join(",")).join("\n"),
  LaTeX: (rows, words) => "\\begin{tabular}{" + words.map(w => w ? "l" : "r").join("") + "}\n\\toprule\n"
    + rows.map((r, i) => r.map(c => c.replace(/[\\~^\u2212%&_#${}]/g, x => TEX[x] || "\\" + x)).join(" & ") + " \\\\" + (i ? "" : "\n\\midrule")).join("\n") + "\n\\bottomrule\n\\end{tabular}",
  Markdown: (rows, words) => rows.map((r, i) => "| " + r.map(c => c.replace(/[\\|`*_<[\]]/g, "\\$&")).join(" | ") + " |" + (i ? "" : "\n|" + words.map(w => w ? " --- |" : " ---: |").join(""))).join("\n"),
};
const copy = async text => {
  try { await navigator.clipboard.writeText(text); }
  catch { const area = make("textarea", {value: text}); d.body.append(area); area.select(); d.execCommand("copy"); area.remove(); }
};
const tools = figure => one("figcaption > .tools", figure) || one("figcaption", figure).appendChild(make("span", {className: "tools"}));
const label = figure => (one(".figno", figure) || figure).textContent;

all("figure.fig").filter(f => one("svg.desk", f)).forEach(f => tools(f).append(
  button("SVG", () => save(alone(f)[0], stem(f) + ".svg"), {"aria-label": `Save ${label(f)} as SVG`}),
  button("PNG", async () => save(await picture(f), stem(f) + ".png"), {"aria-label": `Save ${label(f)} as PNG`})));

all("figure.tab").forEach(f => {
  const table = one("table.num", f);
  if (table) tools(f).append(make("span", {className: "copy"}, "Copy: ", ...Object.keys(formats).map(name => {
    const b = button(name, async () => {
      const words = [...table.tHead.rows[0].cells].map((c, i) => !i || c.classList.contains("txt"));
      await copy(formats[name](cells(table), words));
      b.textContent = "Copied"; setTimeout(() => b.textContent = name, 1500);
    }, {"aria-label": `Copy ${label(f)} as ${name}`});
    return b;
  })));
});

if ("DecompressionStream" in window) all("[data-unpack]").forEach(a => a.onclick = e => {
  e.preventDefault();
  new Response(new Blob([bytes(a.href.split(",")[1])]).stream().pipeThrough(new DecompressionStream("gzip"))).blob()
    .then(b => save(new Blob([b], {type: "text/csv"}), a.download.replace(/\.gz$/, "")));
});
