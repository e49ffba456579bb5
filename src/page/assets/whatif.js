// What if: the menus of crashes and of rules, and the way back.
const menu = $("menu");
let menuOwner = null;

// A menu below a button: items with what each does, and a line at its foot.
function openMenu(owner, items, foot = "") {
  closeMenu(false);
  stopPlaying();
  menuOwner = owner;
  const entries = items.map((own, i) => own.heading
    ? `<p class="menu-heading" role="presentation">${escaped(own.heading)}</p>`
    : `<button type="button" role="menuitem" tabindex="-1" data-item="${i}">${own.sign ? `<b class="${own.mood ?? ""}" aria-hidden="true">${own.sign}</b>` : ""}<span>${escaped(own.title)}${own.text ? `<small>${escaped(own.text)}</small>` : ""}</span></button>`);
  menu.innerHTML = entries.join("") + (foot ? `<p class="menu-foot" role="presentation">${escaped(foot)}</p>` : "");
  menu.setAttribute("aria-label", owner.textContent.trim());
  menu.hidden = false;
  owner.setAttribute("aria-expanded", "true");
  const place = owner.getBoundingClientRect();
  const left = Math.max(8, Math.min(place.right - menu.offsetWidth, innerWidth - menu.offsetWidth - 8));
  menu.style.left = `${left + scrollX}px`;
  menu.style.top = `${place.bottom + 6 + scrollY}px`;
  menu.style.maxHeight = `${Math.max(180, innerHeight - place.bottom - 20)}px`;
  menu.onclick = byHandOf("[data-item]", (item) => {
    const { act } = items[Number(item.dataset.item)];
    closeMenu(true);
    act();
  });
  menu.querySelector("[role=menuitem]")?.focus({ preventScroll: true });
}

function closeMenu(givesFocusBack) {
  if (menu.hidden) return;
  menu.hidden = true;
  menuOwner.setAttribute("aria-expanded", "false");
  if (givesFocusBack) menuOwner.focus({ preventScroll: true });
  menuOwner = null;
}

menu.addEventListener("keydown", (event) => {
  const items = [...menu.querySelectorAll("[role=menuitem]")];
  const at = items.indexOf(document.activeElement);
  const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (move) items[(at + move + items.length) % items.length]?.focus();
  else if (event.key === "Home") items[0]?.focus();
  else if (event.key === "End") items.at(-1)?.focus();
  else if (event.key === "Escape") closeMenu(true);
  else if (event.key === "Tab") {
    closeMenu(true);
    return;
  } else if (event.key !== "Enter" && event.key !== " ") {
    // A letter goes to the next item that begins with it.
    const begins = (own) => own.textContent.trim().toLowerCase().startsWith(event.key.toLowerCase());
    const found = [...items.slice(at + 1), ...items.slice(0, at + 1)].find(begins);
    found?.focus();
    event.stopPropagation();
    return;
  } else {
    event.stopPropagation();
    return;
  }
  event.preventDefault();
  event.stopPropagation();
});
document.addEventListener("click", (event) => {
  if (!menu.hidden && !menu.contains(event.target) && !event.target.closest("[aria-haspopup=menu]")) closeMenu(false);
});

function enter(run, step) {
  state.tab = "ledger";
  go(step, run);
}

function crashMenu() {
  const { step } = state;
  const left = data.left_out.map(said).join(" ");
  const own = crashes.get(step) ?? [];
  const items = own.map((crash) => ({
    sign: "✕",
    mood: "wrong",
    title: taskName(crash.task),
    act: () => enter(crashRun(crash.step, crash.task), crash.step + 1),
  }));
  if (items.length) {
    const restores = own.map((crash) => data.verdicts[crash.verdict].restores).flat();
    openMenu($("crash"), [{ heading: words().crashMenu(step) }, ...items], `${words().restart(restores)} ${left}`.trim());
    return;
  }
  const nearest = [...crashes.keys()].sort((a, b) => Math.abs(a - step) - Math.abs(b - step) || a - b)[0];
  const go_there = nearest === undefined ? [] : [{ title: words().nearest(nearest), act: () => go(nearest) }];
  openMenu($("crash"), [{ heading: data.left_out.length ? words().notKept : words().noCrash }, ...go_there], left);
}

function ruleMenu() {
  const rules = data.variants.filter((own) => own.rule);
  const items = rules.map((own) => ({
    sign: "≠",
    mood: "wrong",
    title: said(own.title) === said(own.text) ? said(own.text) : said(own.title),
    text: [said(own.title) === said(own.text) ? "" : said(own.text), own.crash ? words().crashed(taskName(own.crash[1]), own.crash[0]) : ""].filter(Boolean).join(" · "),
    act: () => {
      const run = variantRun(own);
      enter(run, Math.min(run.from + 1, lastStep(run)));
    },
  }));
  openMenu($("rule"), items.length ? items : [{ heading: words().noRule }]);
}

$("crash").addEventListener("click", () => (menuOwner === $("crash") ? closeMenu(true) : crashMenu()));
$("rule").addEventListener("click", () => (menuOwner === $("rule") ? closeMenu(true) : ruleMenu()));
$("back").addEventListener("click", () => leaveBranch());

function leaveBranch() {
  if (state.run === main) return false;
  const step = state.back?.step ?? Math.min(state.run.from, lastStep(main));
  go(step, main);
  $("crash").focus({ preventScroll: true });
  return true;
}
