/* Adds, never carries: theme, folding, search, saving, copying, sorting, linked marks, the explorer. The page is whole
   without it. Names and other words of a study come in by textContent and attributes only. All files of this folder
   are one function. */
const d = document, root = d.documentElement;
const one = (s, e = d) => e.querySelector(s), all = (s, e = d) => [...e.querySelectorAll(s)];
const fill = (e, props, kids) => {
  for (const [k, v] of Object.entries(props)) k in e && !(e instanceof SVGElement) ? e[k] = v : e.setAttribute(k, v);
  e.append(...kids);
  return e;
};
const make = (tag, props = {}, ...kids) => fill(d.createElement(tag), props, kids);
const draw = (tag, props = {}, ...kids) => fill(d.createElementNS("http://www.w3.org/2000/svg", tag), props, kids);
const button = (text, onclick, props = {}) => make("button", {type: "button", textContent: text, onclick, ...props});
const mark = k => draw("svg", {"class": "mk", "aria-hidden": "true"}, draw("use", {href: "#m" + k}));
const option = (text, value) => make("option", {textContent: text, value});
const field = (text, input, output = "") => make("label", {}, make("span", {}, text, output && " ", output), input);
const select = (options, onchange) => { const s = make("select", {}, ...options); s.onchange = onchange; return s; };
const speaker = (props = {}) => { /* a status line, which speaks when the reader has stopped */
  const e = make("p", {className: "status", role: "status", ...props});
  let timer;
  return [e, text => { clearTimeout(timer); timer = setTimeout(() => e.textContent = text, 120); }];
};
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const fixed = (x, n) => x.toLocaleString("en-US", {minimumFractionDigits: n, maximumFractionDigits: n});
root.classList.add("scripted");

/* ---------------------------------------------------------------- theme, folding, links into folded parts */
const theme = one("#theme"), system = matchMedia("(prefers-color-scheme: dark)");
const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
const show = () => { theme.textContent = dark() ? "Light" : "Dark"; theme.setAttribute("aria-label", "Use " + (dark() ? "light" : "dark") + " colours"); };
theme.onclick = () => { root.dataset.theme = dark() ? "light" : "dark"; show(); };
system.onchange = show;
show();

const depth = name => d.getElementById("d-" + name);
const fold = () => all("details.more").forEach(x => x.open = !!depth("all")?.checked); /* nothing is folded where there is no supplement */
all(".depth input").forEach(x => x.onchange = fold);
if (depth("all")?.checked) fold(); /* a browser may remember the switch */

const open = target => { /* what is hidden by the switch or folded; whether anything was */
  let moved = false;
  if (depth("summary")?.checked && target.closest(".art")) moved = depth("article").checked = true;
  for (let x = target.closest("details"); x; x = x.parentElement.closest("details")) if (!x.open) moved = x.open = true;
  return moved;
};
const reveal = () => {
  const target = d.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (open(target)) target.scrollIntoView({behavior: "instant"});
  explorer?.follow(target.id);
};
