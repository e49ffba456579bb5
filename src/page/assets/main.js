// Puts it all together: one function makes the page from the state.
function fillWords() {
  for (const own of document.querySelectorAll("[data-word]")) own.textContent = words()[own.dataset.word];
  document.title = $("title").textContent = said(data.title);
  $("search").placeholder = words().search;
  $("search").setAttribute("aria-label", words().search);
  $("list").setAttribute("aria-label", words().events);
  $("slider").setAttribute("aria-label", words().slider);
  $("pace").setAttribute("aria-label", words().pace);
  $("grains").setAttribute("aria-label", words().grain);
  $("languages").setAttribute("aria-label", words().language);
  for (const [id, word] of [["theme", "theme"], ["help", "help"]]) {
    $(id).setAttribute("aria-label", words()[word]);
    $(id).title = words()[word];
  }
  $("predict").setAttribute("aria-label", words().predict);
  if (embedded) {
    $("moment").setAttribute("role", "heading");
    $("moment").setAttribute("aria-level", "1");
  }
  $("link").title = words().copy;
  for (const own of $("pace").options) own.textContent = words().seconds(Number(own.value));
  for (const own of document.querySelectorAll("[data-language]")) own.setAttribute("aria-pressed", String(own.dataset.language === state.language));
}

function remember() {
  const hash = `#${linkOf(state.run, state.step)}`;
  try {
    if (location.hash !== hash) history.replaceState(null, "", hash);
  } catch {
    // A page in a sandbox may not change its address.
  }
  if (parent !== window) parent.postMessage({ checkdam: "step", step: state.step, of: lastStep(state.run), link: hash }, "*");
}

// Whether anything but the first picture has been shown.
let touched = false;

function show() {
  if (atEnd(1)) stopPlaying();
  document.body.classList.toggle("tall", isTall());
  fillWords();
  drawStage();
  drawCompare();
  drawQuestion();
  drawEvents();
  drawRail();
  drawLookup();
  lookAtChanges();
  speak();
  remember();
}

// Goes to the state of a link; of a link that is not known, nowhere.
function visit(hash) {
  const wanted = ofLink(hash);
  if (!wanted) return false;
  if (state.predicting) state.predicting = null;
  stopPlaying();
  state.grain = wanted.grain;
  if (wanted.run !== main && state.run !== wanted.run) state.tab = "ledger";
  const { run } = state;
  go(wanted.step, wanted.run);
  if (wanted.run !== run) {
    // There is no way that led here: back is where the branch begins.
    state.back = null;
    drawStage();
    drawCompare();
  }
  return true;
}

document.body.classList.toggle("embedded", embedded);
$("pace").innerHTML = PACES.map((own) => `<option value="${own}"${own === 1 ? " selected" : ""}></option>`).join("");
setTheme(state.dark);
fillWords();
measureCaption();
if (!visit(location.hash)) {
  // A story begins with its first moment.
  if (data.moments.length) [state.grain, state.step] = ["moment", data.moments[0].last];
  show();
}
touched = true;
addEventListener("hashchange", () => {
  if (location.hash !== `#${linkOf(state.run, state.step)}`) visit(location.hash);
});
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  measureCaption();
  show();
});
