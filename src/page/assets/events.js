// The list of events, grouped by moments, with a search.
const SIGNS_OF_KIND = ["·", "→", "●", "●", "▮", "◆", "✓", "▷", "▶", "◆", "◆", "✕", "■", "✕", "✕"];
const list = $("list");
let listed = ""; // what the list holds now
const shortened = (text) => text.split(/[;；]/)[0];

function fillList() {
  const { run } = state;
  const key = `${run.link} ${state.language} ${state.predicting ? state.step : ""}`;
  if (key === listed) return;
  listed = key;
  const out = [];
  const begins = new Map(momentsOf(run).concat(data.moments.filter((own) => own.first <= run.from && own.last > run.from)).map((own) => [own.first, own]));
  const last = state.predicting ? state.step : lastStep(run);
  for (let step = 0; step <= last; step++) {
    const moment = begins.get(step);
    if (moment && step <= run.from) out.push(`<div class="group" role="presentation"><span class="disc">${moment.number}</span>${escaped(said(moment.title))}</div>`);
    if (step === run.from + 1 && run !== main) out.push(`<div class="group wrong" role="presentation"><span class="disc">${run.kind === "crash" ? "✕" : "≠"}</span>${escaped(runTitle(run))}</div>`);
    const scene = sceneAt(run, step);
    const text = said(data.texts[scene.changed]);
    out.push(`<div role="option" id="event-${step}" data-step="${step}" class="event kind-${scene.kind}" title="${escaped(text)}"><span class="n">${step}</span><i aria-hidden="true">${SIGNS_OF_KIND[scene.kind]}</i><span class="what">${escaped(shortened(text))}</span></div>`);
  }
  list.innerHTML = out.join("");
  filterList();
}

function filterList() {
  const spaced = (text) => text.replaceAll("\u00a0", " ").toLocaleLowerCase();
  const wanted = spaced($("search").value.trim());
  let hits = 0;
  for (const row of list.children) {
    const isHit = row.dataset.step !== undefined && (!wanted || spaced(row.title).includes(wanted) || row.dataset.step === wanted);
    row.hidden = row.dataset.step === undefined ? Boolean(wanted) : !isHit;
    hits += isHit;
  }
  $("no-hit").hidden = hits > 0;
}

function drawEvents() {
  fillList();
  for (const row of list.querySelectorAll(".now, .later")) row.classList.remove("now", "later");
  const current = $(`event-${state.step}`);
  for (const row of list.children) {
    const step = Number(row.dataset.step ?? -1);
    row.classList.toggle("later", step > state.step);
    if (row.dataset.step !== undefined) row.setAttribute("aria-selected", String(step === state.step));
  }
  $("hidden-note").hidden = !state.predicting;
  if (!current) return;
  current.classList.add("now");
  list.setAttribute("aria-activedescendant", current.id);
  // Only the list scrolls, never the page.
  list.scrollTop = current.offsetTop - list.clientHeight * 0.55;
}

list.addEventListener("click", (event) => {
  const row = event.target.closest("[data-step]");
  if (row) go(Number(row.dataset.step));
});
$("search").addEventListener("input", filterList);
$("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    const hit = [...list.children].find((row) => row.dataset.step !== undefined && !row.hidden);
    if (hit) go(Number(hit.dataset.step));
  } else if (event.key === "Escape") {
    $("search").value = "";
    filterList();
    $("search").blur();
    drawEvents();
  } else return;
  event.preventDefault();
  event.stopPropagation();
});
