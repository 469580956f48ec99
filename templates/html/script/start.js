const host = one("#explorer"), data = one("#rg-data"), pairs = one("#pairs");
const given = host && data && JSON.parse(data.textContent), explorer = given ? explore(host, given) : null;
if (pairs) explorePairs(pairs, given.names, given.pairs);
addEventListener("hashchange", reveal);
reveal();

const links = new Map(all(".toc a").map(a => [a.hash.slice(1), a]));
const seen = new IntersectionObserver(entries => entries.forEach(e => {
  const a = links.get(e.target.id);
  if (e.isIntersecting && a) { links.forEach(x => x.removeAttribute("aria-current")); a.setAttribute("aria-current", "true"); }
}), {rootMargin: "-10% 0px -80% 0px"});
all("main > section, main article").forEach(s => seen.observe(s));
