// What is shown: the state, the picture, the sentence. Everything on the page
// is made anew from the state, so every way to a state shows the same.
const state = {
  run: main,
  step: 0,
  language: document.documentElement.lang.startsWith("zh") ? "zh" : "en",
  dark: matchMedia("(prefers-color-scheme: dark)").matches,
  grain: "event",
  tab: "spacetime",
  back: null, // where a branch was left from: run and step
  other: null, // the run beside it
  predicting: null, // see predict.js
  sinks: "own", // whose output the ledger shows: "own" or "other"
};

const languageIndex = () => LANGUAGES.indexOf(state.language);
const words = () => WORDS[state.language];
const said = (both) => both[languageIndex()];
const embedded = /[?&]embed=1/.test(location.search);

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

const partTexts = [new Map(), new Map()];
function partText(part, language) {
  const known = partTexts[language];
  if (!known.has(part)) known.set(part, parts[part].map((pair) => data.elements[pairs[pair][language]]).join(""));
  return known.get(part);
}

const frameText = (frame, language = languageIndex()) => frames[frame].map((part) => partText(part, language)).join("");

// On a phone held upright the job stands upright, too.
const isTall = () => innerWidth <= (embedded ? 480 : 720);
const frameOf = (scene) => (isTall() ? scene.tall : scene.frame);
const boxOf = (place) => place.map((number) => Math.round(number)).join(" ");
const paperBox = boxOf(data.places[0]);
const placeBox = () => boxOf(data.places[Number(isTall())]);
const CHANGED = '[fill="none"][stroke="var(--text)"][stroke-width="3.5"]';

function time(micros) {
  if (micros < 1000) return micros === 0 ? "0 ms" : `${micros} µs`;
  if (micros < 10_000_000) return `${micros / 1000} ms`;
  const parts = [];
  let rest = micros;
  if (rest >= 3_600_000_000) {
    for (const [unit, name] of [[86_400_000_000, "d"], [3_600_000_000, "h"], [60_000_000, "min"]]) {
      if (rest >= unit) parts.push(`${Math.floor(rest / unit)} ${name}`);
      rest %= unit;
    }
  }
  if (rest) parts.push(`${rest / 1_000_000} s`);
  return parts.join(" ");
}

// The sentence and the reason of a step; in the grain of moments, the author's
// own words where a moment ends.
function caption(run, step) {
  if (run !== main && step === lastStep(run)) return ending(run);
  const scene = sceneAt(run, step);
  const moment = state.grain === "moment" && momentsOf(run).find((own) => own.last === step);
  const changed = said(data.texts[scene.changed]);
  const note = moment ? said(moment.note) : "";
  if (note) return { sentence: note, why: begun(changed), rule: "" };
  return { sentence: begun(changed), why: begun(said(data.texts[scene.why])), rule: scene.rule };
}

// A sentence begins with a capital, unless with a name like sum(even).
const begun = (text) => (/^[a-z]+([(\[]| →)/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1));

// "crash-at-9-sum-even-step-12", "step-12", "moment-aligned".
function linkOf(run, step) {
  const moment = state.grain === "moment" && momentsOf(run).find((own) => own.last === step);
  if (run === main) return moment ? `moment-${moment.name}` : `step-${step}`;
  if (step === run.from + 1 && run.kind === "crash") return run.link;
  return moment ? `${run.link}-moment-${moment.name}` : `${run.link}-step-${step}`;
}

// The state of a link, or null: a name that this page does not know.
function ofLink(hash) {
  let name = decodeURIComponent(hash.replace(/^#/, ""));
  let run = main;
  let step = null;
  let grain = "event";
  const place = /(?:^|-)(step-(\d+)|moment-(.+))$/.exec(name);
  const whole = runOfLink(name);
  if (whole) [run, step] = [whole, whole.from + 1];
  else if (place) {
    const before = name.slice(0, place.index);
    if (before) run = runOfLink(before);
    if (!run) return null;
    if (place[2] !== undefined) step = Math.min(Number(place[2]), lastStep(run));
    else {
      const moment = momentsOf(run).find((own) => own.name === place[3]) ?? momentsOf(run).find((own) => String(own.number) === place[3]);
      if (!moment) return null;
      [step, grain] = [moment.last, "moment"];
    }
  } else return null;
  return { run, step: Math.min(step, lastStep(run)), grain };
}

function taskName(task) {
  return said([data.tasks[task][1], data.tasks[task][2]]);
}

function runTitle(run) {
  if (run.kind === "crash") return words().crashed(taskName(run.task), run.from);
  if (run.kind === "variant") {
    const { title, crash } = run.variant;
    return crash ? `${said(title)} · ${words().crashed(taskName(crash[1]), crash[0])}` : said(title);
  }
  return words().mainRun;
}

// Moves on or back; a run that is left for a branch is remembered.
function go(step, run = state.run) {
  if (run !== state.run) {
    if (run !== main && state.run === main) state.back = { run: main, step: state.step };
    if (run === main) state.back = null;
    state.run = run;
    state.other = null;
  }
  state.step = Math.max(0, Math.min(step, lastStep(run)));
  show();
}

function neighbour(direction) {
  if (state.grain === "event") return state.step + direction;
  const list = stops(state.run);
  const found = direction > 0 ? list.find((step) => step > state.step) : list.filter((step) => step < state.step).at(-1);
  return found ?? (direction > 0 ? lastStep(state.run) : 0);
}

const atEnd = (direction) => (direction > 0 ? state.step >= lastStep(state.run) : state.step <= 0);

function turn(direction) {
  if (predictHolds(direction)) return;
  if (!atEnd(direction)) go(neighbour(direction));
}

function drawStage() {
  const { run, step } = state;
  const inBranch = step > run.from;
  const moment = momentNear(run, step);
  const number = $("number");
  number.textContent = inBranch ? (run.kind === "crash" ? "✕" : "≠") : moment ? moment.number : "·";
  number.className = inBranch ? "wrong" : "";
  const title = inBranch ? runTitle(run) : moment ? said(moment.title) : said(data.title);
  const kind = inBranch ? words().branch : "";
  $("moment").innerHTML = `${kind && `<span class="kind">${kind}</span>`}${escaped(title)}`;
  $("moment").title = kind + title;
  const attempts = run.scenes.slice(0, step + 1).filter((own) => scenes[own].kind === KIND.restore).length;
  const restarted = step > 0 ? attempts - (firstAttempt(run) ? 1 : 0) : 0;
  $("when").textContent = [time(run.times[step]), restarted > 0 ? words().attempt(restarted + 1) : ""].filter(Boolean).join(" · ");
  const frame = $("frame");
  const own = frameOf(sceneAt(run, step));
  frame.setAttribute("viewBox", placeBox());
  frame.setAttribute("data-frame", own);
  frame.innerHTML = frameText(own);
  const { sentence, why, rule } = caption(run, step);
  $("sentence").textContent = sentence;
  $("why-text").textContent = why;
  $("tag").textContent = rule;
  $("tag").hidden = !rule;
  $("back").hidden = run === main;
  $("back").textContent = `← ${words().back((state.back ?? { step: Math.min(run.from, lastStep(main)) }).step)}`;
  for (const id of ["crash", "rule", "compare"]) $(id).hidden = embedded || (run !== main && id !== "compare");
}

// Whether the job's own start is told as the start of an attempt.
function firstAttempt(run) {
  const first = run.scenes.findIndex((own) => scenes[own].kind === KIND.restore);
  const failed = run.scenes.findIndex((own) => [KIND.crash, KIND.fail].includes(scenes[own].kind));
  return first >= 0 && (failed < 0 || first < failed);
}

// On a phone what has changed is brought into sight, between the sentence and
// the buttons; not if the reader looks at something else, or nothing was touched.
function lookAtChanges() {
  if (!isTall() || !touched) return;
  // A question is read first.
  if (!$("question").hidden) {
    if ($("question").getBoundingClientRect().top < 0) $("stage").scrollIntoView({ behavior: "instant" });
    return;
  }
  const outlines = [...document.querySelectorAll(`#frame ${CHANGED}`)].map((own) => own.getBoundingClientRect()).sort((a, b) => a.top - b.top);
  const frame = $("frame").getBoundingClientRect();
  const caption = $("caption").getBoundingClientRect();
  const bottom = $("transport").getBoundingClientRect().top;
  const top = Math.max(0, caption.bottom);
  if (!outlines.length || frame.bottom < top || frame.top > bottom) return;
  if (outlines.every((own) => own.top >= top && own.bottom <= bottom)) return;
  const room = bottom - caption.height - 16;
  // As many of them as there is room for.
  const groups = outlines.map((first) => outlines.filter((own) => own.top >= first.top && own.bottom <= first.top + room));
  const best = groups.reduce((best, own) => (own.length > best.length ? own : best), []);
  const shown = best.length ? best : [outlines[0]];
  const middle = (shown[0].top + Math.max(...shown.map((own) => own.bottom))) / 2;
  scrollBy({ top: middle - (caption.height + bottom) / 2, behavior: "instant" });
}

// The caption's room is that of the longest caption: Next never moves.
function measureCaption() {
  const box = $("caption");
  const probe = box.cloneNode(true);
  probe.removeAttribute("id");
  probe.className = "caption-probe";
  for (const own of probe.querySelectorAll("[id]")) own.removeAttribute("id");
  const [sentence, why] = probe.children;
  box.after(probe);
  probe.style.width = `${box.clientWidth}px`;
  const weight = (text) => [...text].reduce((sum, sign) => sum + (sign > "\u2e80" ? 2 : 1), 0);
  const all = [...new Set(main.scenes.map((own) => scenes[own]).map((own) => `${own.changed} ${own.why}`))].map((own) => own.split(" ").map(Number));
  const texts = all.map(([changed, reason]) => [said(data.texts[changed]), `${said(data.texts[reason])} xxxxxxxxxxxxxxxxxxxx`]);
  for (const moment of data.moments) texts.push([said(moment.note), ""]);
  texts.sort((a, b) => weight(b[0]) * 1.4 + weight(b[1]) - weight(a[0]) * 1.4 - weight(a[1]));
  let highest = 0;
  for (const [first, second] of texts.slice(0, 24)) {
    [sentence.textContent, why.textContent] = [first, second];
    // One pixel is the line above it.
    highest = Math.max(highest, probe.scrollHeight + 1);
  }
  probe.remove();
  document.documentElement.style.setProperty("--caption", `${Math.min(highest, isTall() ? 170 : 260)}px`);
}

let spokenBefore = "";
function speak() {
  const { sentence, why } = state.predicting?.open ? { sentence: $("question").textContent, why: "" } : caption(state.run, state.step);
  const text = `${words().stepOf(state.step, lastStep(state.run))}. ${sentence} ${why}`;
  if (text !== spokenBefore) $("live").textContent = spokenBefore = text;
}
