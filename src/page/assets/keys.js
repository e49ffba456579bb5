// The keyboard, the dialogs, and manners inside slides and books.
let typed = "";
let typedTimer = 0;

function type(digit) {
  typed += digit;
  toast(words().typed(typed));
  clearTimeout(typedTimer);
  typedTimer = setTimeout(() => (typed = ""), 3000);
}

let toastTimer = 0;
function toast(text) {
  $("toast").textContent = text;
  $("toast").classList.add("seen");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => $("toast").classList.remove("seen"), 1800);
}

function openDialog(title, inside) {
  const dialog = $("dialog");
  dialog.innerHTML = `<h2 id="dialog-title">${escaped(title)}</h2>${inside}<form method="dialog"><button class="action">${words().close}</button></form>`;
  dialog.showModal();
}

const keysDialog = () => openDialog(words().keysTitle, `<dl>${words().keys.map(([key, does]) => `<div><dt>${key.split(" ").map((own) => (own === "·" ? " " : `<kbd>${escaped(own)}</kbd>`)).join(" ")}</dt><dd>${escaped(does)}</dd></div>`).join("")}</dl>`);

function notesDialog() {
  const moment = momentNear(state.run, state.step);
  const paragraphs = [said(data.notes), moment ? `${moment.number} ${said(moment.title)}${state.language === "zh" ? "：" : ": "}${said(moment.note)}` : ""].filter(Boolean);
  openDialog(words().notesTitle, paragraphs.map((text) => `<p>${escaped(text)}</p>`).join("") || "<p>–</p>");
}

async function copyLink() {
  const link = location.href.replace(/#.*/, "") + `#${linkOf(state.run, state.step)}`;
  try {
    await navigator.clipboard.writeText(link);
    toast(words().copied);
  } catch {
    openDialog(words().notCopied, `<p><input class="copied" readonly value="${escaped(link)}"></p>`);
    $("dialog").querySelector("input").select();
  }
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.().catch(() => document.body.classList.toggle("full"));
}
document.addEventListener("fullscreenchange", () => {
  document.body.classList.toggle("full", Boolean(document.fullscreenElement));
  measureCaption();
  show();
});

function setTheme(dark) {
  state.dark = dark;
  document.documentElement.classList.toggle("dark", dark);
}

function setLanguage(language) {
  state.language = language;
  document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  measureCaption();
  show();
}

function momentKey(direction) {
  const list = stops(state.run);
  const found = direction > 0 ? list.find((step) => step > state.step) : list.filter((step) => step < state.step).at(-1);
  if (found === undefined) return;
  if (state.predicting && direction > 0) turn(1);
  else go(found);
}

// Gives the keys back to whoever shows this page.
function giveKeysBack() {
  document.activeElement?.blur?.();
  if (parent === window) return;
  parent.postMessage({ checkdam: "keys-back" }, "*");
  parent.focus();
}

// At the end a key that goes on belongs to the deck.
function passOn(event) {
  if (parent === window) return;
  parent.postMessage({ checkdam: "end", key: event.key }, "*");
  giveKeysBack();
}

const KEYS = {
  ArrowLeft: () => turn(-1), PageUp: () => turn(-1), Home: () => go(0),
  "[": () => momentKey(-1), "]": () => momentKey(1),
  " ": togglePlaying, g: () => setGrain(state.grain === "event" ? "moment" : "event"),
  "/": () => $("search").focus(),
  c: () => !$("crash").hidden && crashMenu(), b: () => !$("rule").hidden && ruleMenu(), d: () => !$("compare").hidden && compareMenu(),
  p: togglePredicting, n: notesDialog, y: copyLink, f: fullScreen,
  t: () => setTheme(!state.dark), l: () => setLanguage(state.language === "en" ? "zh" : "en"), "?": keysDialog,
};

function answerKey(key) {
  const { open } = state.predicting;
  const question = questions[open.number];
  if (/^[1-6]$/.test(key) && Number(key) <= question.what.length) choose("what", Number(key) - 1);
  else if (/^[a-f]$/.test(key) && "abcdef".indexOf(key) < question.because.length) choose("because", "abcdef".indexOf(key));
  else if (key === "Enter") open.revealed ? goOn() : reveal();
  else return false;
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || $("dialog").open) return;
  const { key, target } = event;
  const isText = target.matches("input[type=search], input.copied, select");
  const isPressed = target.matches("button, a, [role=tab]") && (key === " " || key === "Enter");
  if (isText || !menu.hidden || (isPressed && !(key === "Enter" && typed))) return;
  const hold = () => {
    event.preventDefault();
    event.stopPropagation();
  };
  if (key !== " ") stopPlaying();
  if (state.predicting?.open && answerKey(key)) return hold();
  if (/^[0-9]$/.test(key)) {
    type(key);
    return hold();
  }
  if (key === "Enter" && typed) {
    const step = Number(typed);
    typed = "";
    if (!state.predicting || step <= state.step) go(step);
    return hold();
  }
  if (key === "Escape") {
    typed = "";
    if (document.body.classList.contains("full") && !document.fullscreenElement) document.body.classList.remove("full");
    else if (state.other) compareWith(null);
    else if (state.predicting) togglePredicting();
    else if (!leaveBranch()) giveKeysBack();
    return hold();
  }
  if (key === "ArrowRight" || key === "PageDown") {
    if (atEnd(1)) return passOn(event);
    turn(1);
    return hold();
  }
  if (key === "End") {
    if (!state.predicting) go(lastStep(state.run));
    return hold();
  }
  const act = KEYS[key.length === 1 ? key.toLowerCase() : key];
  if (!act) return;
  act();
  hold();
});

$("theme").addEventListener("click", () => setTheme(!state.dark));
$("help").addEventListener("click", keysDialog);
$("link").addEventListener("click", copyLink);
for (const own of document.querySelectorAll("[data-language]")) own.addEventListener("click", () => setLanguage(own.dataset.language));

// From outside: {step: 12}, {moment: "aligned"} or {link: "#crash-at-9-sum-even"}.
addEventListener("message", (event) => {
  const wish = event.data;
  if (typeof wish !== "object" || wish === null) return;
  const link = wish.link ?? (wish.moment !== undefined ? `#moment-${wish.moment}` : Number.isInteger(wish.step) ? `#step-${wish.step}` : null);
  if (link !== null) visit(String(link));
});
