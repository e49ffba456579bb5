// The transport: Previous and Next, the slider with its marks, the pace.
const PACES = [0.5, 1, 2, 4];
let timer = 0;

const MARK_OF_KIND = { [KIND.barrier]: "barrier", [KIND.ack]: "ack", [KIND.complete]: "done", [KIND.commit]: "done", [KIND.crash]: "crash", [KIND.restore]: "restore" };
let marked = "";

// Where a step stands between the first and the last one, from 0 to 1: on the
// same scale as in the diagrams.
function share(step, run) {
  const places = scaleOf(run);
  return (places[step] - places[0]) / Math.max(1, places.at(-1) - places[0]);
}
const percent = (fraction) => `${(fraction * 100).toFixed(3)}%`;
const placed = (fraction) => `left:${percent(fraction)}`;

function fillRail() {
  const { run } = state;
  const key = `${run.link} ${state.language} ${$("rail").clientWidth} ${Boolean(state.predicting)}`;
  if (key === marked) return;
  marked = key;
  // Pins that would collide are pushed apart; their stems stay.
  const width = Math.max(1, $("rail").clientWidth);
  const moments = momentsOf(run);
  const gap = 25 / width;
  const places = moments.map((own) => share(own.last, run));
  const heads = [...places];
  for (let i = 1; i < heads.length; i++) heads[i] = Math.max(heads[i], heads[i - 1] + gap);
  for (let i = heads.length - 1, limit = 1; i >= 0; i--, limit -= gap) heads[i] = Math.min(heads[i], limit);
  $("pins").innerHTML = moments
    .map((own, i) => `<i class="stem" style="${placed(places[i])}"></i><button type="button" class="pin" tabindex="-1" data-moment="${own.last}" style="${placed(heads[i])}" title="${escaped(said(own.title))}" aria-label="${escaped(`${own.number} ${said(own.title)}`)}">${own.number}</button>`)
    .join("");
  const out = [];
  const seen = new Set();
  const newest = {};
  for (let step = 0; step <= lastStep(run); step++) {
    const mark = MARK_OF_KIND[sceneAt(run, step).kind];
    if (!mark) continue;
    const place = share(step, run);
    if (newest[mark] !== undefined && place - newest[mark] < 3 / width) continue;
    newest[mark] = place;
    seen.add(mark);
    out.push(`<i class="mark ${mark}" style="${placed(place)}"></i>`);
  }
  $("marks").innerHTML = state.predicting ? "" : out.join("");
  $("legend").innerHTML = Object.keys(words().marks)
    .filter((mark) => seen.has(mark))
    .map((mark) => `<span><i class="mark ${mark}"></i>${words().marks[mark]}</span>`)
    .join("");
}

function drawRail() {
  const { run, step } = state;
  $("step").textContent = step;
  $("of").textContent = words().of(lastStep(run));
  const places = scaleOf(run);
  $("rail-line").style.setProperty("--from", places[0] / data.axis[2]);
  $("rail-line").style.setProperty("--to", places.at(-1) / data.axis[2]);
  fillRail();
  const slider = $("slider");
  slider.max = lastStep(run);
  slider.value = step;
  slider.setAttribute("aria-valuetext", words().stepOf(step, lastStep(run)));
  $("thumb").style.left = percent(share(step, run));
  $("done").style.width = percent(share(Math.min(step, run.from), run));
  const from = share(Math.min(run.from, step), run);
  $("branched").style.left = percent(from);
  $("branched").style.width = percent(share(step, run) - from);
  const near = momentNear(run, step);
  for (const pin of document.querySelectorAll(".pin")) pin.classList.toggle("now", Number(pin.dataset.moment) === near?.last && step <= run.from);
  $("previous").disabled = atEnd(-1);
  $("next").disabled = atEnd(1);
  $("link").firstChild.textContent = `#${linkOf(run, step)}`;
  for (const own of document.querySelectorAll("[data-grain]")) own.setAttribute("aria-pressed", String(own.dataset.grain === state.grain));
  $("play").innerHTML = timer ? '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M5 4h3.6v12H5zm6.4 0H15v12h-3.6z" fill="currentColor"/></svg>' : '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M5.5 3.5v13l11-6.5z" fill="currentColor"/></svg>';
  $("play").setAttribute("aria-label", timer ? words().stop : words().play);
  $("play").title = timer ? words().stop : words().play;
  $("play").disabled = !timer && (atEnd(1) || Boolean(state.predicting));
}

function stopPlaying() {
  clearInterval(timer);
  timer = 0;
}

// Plays from here, at the chosen pace, until the end or any other hand.
function togglePlaying() {
  if (timer) stopPlaying();
  else if (!atEnd(1) && !state.predicting) {
    timer = setInterval(() => {
      if (document.hidden) return;
      go(neighbour(1));
      if (atEnd(1)) {
        stopPlaying();
        drawRail();
      }
    }, Number($("pace").value) * 1000);
  }
  drawRail();
}

function setGrain(grain) {
  state.grain = grain;
  show();
}

const byHand = (act) => () => {
  stopPlaying();
  act();
};
$("previous").addEventListener("click", byHand(() => turn(-1)));
$("next").addEventListener("click", byHand(() => turn(1)));
$("play").addEventListener("click", togglePlaying);
$("pace").addEventListener("change", stopPlayingAndShow);
function stopPlayingAndShow() {
  stopPlaying();
  show();
}
// Goes where the hand is: with the slider's keys, or with a finger or a mouse
// on its track.
function slide(wanted) {
  const { step } = state;
  if (state.predicting && wanted > step) show();
  else if (state.grain === "moment") {
    // The nearest stop in the direction of the hand.
    const list = stops(state.run);
    const closest = list.reduce((best, own) => (Math.abs(own - wanted) < Math.abs(best - wanted) ? own : best));
    const isKey = Math.abs(wanted - step) === 1;
    go(isKey ? neighbour(wanted > step ? 1 : -1) : closest);
  } else go(wanted);
}
$("slider").addEventListener("input", byHand(() => slide(Number($("slider").value))));

const grip = $("grip");
const stepUnder = (event) => {
  const box = $("track").getBoundingClientRect();
  const places = scaleOf(state.run);
  return nearest(places, places[0] + ((event.clientX - box.left) / box.width) * (places.at(-1) - places[0]));
};
grip.addEventListener("pointerdown", (event) => {
  if (event.button) return;
  event.preventDefault();
  stopPlaying();
  grip.setPointerCapture(event.pointerId);
  slide(stepUnder(event));
  $("slider").focus({ preventScroll: true });
});
grip.addEventListener("pointermove", (event) => {
  if (!grip.hasPointerCapture(event.pointerId)) return;
  const wanted = stepUnder(event);
  if (wanted !== state.step) slide(wanted);
});
$("pins").addEventListener("click", byHandOf("[data-moment]", (pin) => {
  if (!state.predicting || Number(pin.dataset.moment) < state.step) go(Number(pin.dataset.moment));
}));
for (const own of document.querySelectorAll("[data-grain]")) own.addEventListener("click", byHand(() => setGrain(own.dataset.grain)));

function byHandOf(selector, act) {
  return (event) => {
    const target = event.target.closest(selector);
    if (!target) return;
    stopPlaying();
    act(target);
  };
}
