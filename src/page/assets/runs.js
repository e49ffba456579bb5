// The data: tables of pictures and words, and the runs that are made from them.
const $ = (id) => document.getElementById(id);
const data = JSON.parse(unpack($("data").textContent).replaceAll("\ue000", "<"));

const LANGUAGES = ["en", "zh"];
const KIND = { other: 0, moved: 1, read: 2, processed: 3, barrier: 4, snapshot: 5, ack: 6, trigger: 7, restore: 8, commit: 9, complete: 10, abort: 11, end: 12, fail: 13, crash: 14 };

const pairs = [];
for (let numbers = new Numbers(data.pairs), next = 0; numbers.more; ) {
  const en = next - numbers.signed();
  const zh = en + numbers.signed();
  pairs.push([en, zh]);
  next = Math.max(next, en + 1, zh + 1);
}

const parts = [];
for (const numbers = new Numbers(data.parts); numbers.more; ) {
  let pair = 0;
  parts.push(Array.from({ length: numbers.next() }, () => (pair += numbers.signed())));
}

const frames = [];
for (const numbers = new Numbers(data.frames); numbers.more; ) {
  const base = frames[frames.length - numbers.next()] ?? [];
  const frame = base.slice(0, numbers.next());
  for (let n = numbers.next(); n > 0; n--) {
    const slot = numbers.next();
    frame[slot] = numbers.next();
  }
  frames.push(frame);
}

const scenes = [];
for (const numbers = new Numbers(data.scenes), before = [0, 0, 0, 0]; numbers.more; ) {
  for (let i = 0; i < 4; i++) before[i] += numbers.signed();
  const [frame, tall, changed, why] = before;
  const rule = numbers.next();
  const kind = numbers.next();
  const touches = Array.from({ length: numbers.next() }, () => [numbers.next(), numbers.next(), numbers.next()]);
  scenes.push({ frame, tall, changed, why, rule: rule ? data.rules[rule - 1] : "", kind, touches });
}

const links = [];
for (const numbers = new Numbers(data.chains), before = [0]; numbers.more; ) {
  before[0] += numbers.signed();
  const passed = numbers.next();
  const back = numbers.next();
  links.push({ scene: before[0], passed, next: back ? links.length + 1 - back : 0 });
}

const crashes = new Map();
for (const numbers = new Numbers(data.crashes), before = [0, 0, 0, 0, 0]; numbers.more; ) {
  for (let i = 0; i < 5; i++) before[i] += numbers.signed();
  const [step, task, chain, verdict, other] = before;
  if (!crashes.has(step)) crashes.set(step, []);
  crashes.get(step).push({ step, task, chain, verdict, other });
}

// The scenes of a run and the time of each, from a chain's first link on.
function follow(chain, scenesBefore, timesBefore) {
  const run = { scenes: scenesBefore, times: timesBefore };
  for (let link = chain; link > 0; link = links[link - 1].next) {
    const own = links[link - 1];
    run.times.push((run.times.at(-1) ?? 0) + own.passed);
    run.scenes.push(own.scene);
  }
  return run;
}

// What is said of the same run with sinks of the other kind, if it is one.
const otherSinks = (number) => (number ? data.verdicts[number - 1] : null);
const main = { kind: "main", link: "", from: Infinity, verdict: data.verdicts[data.main[1]], otherSinks: otherSinks(data.main[2]), ...follow(data.main[0], [], []) };
const runsMade = new Map([["", main]]);

function made(link, make) {
  if (!runsMade.has(link)) runsMade.set(link, make());
  return runsMade.get(link);
}

function branch(own, more) {
  const { from, chain, verdict, other } = own;
  const run = follow(chain, main.scenes.slice(0, from + 1), main.times.slice(0, from + 1));
  return { ...more, from, verdict: data.verdicts[verdict], otherSinks: otherSinks(other), ...run };
}

function crashRun(step, task) {
  const own = (crashes.get(step) ?? []).find((crash) => crash.task === task);
  if (!own) return null;
  const link = `crash-at-${step}-${data.tasks[task][0]}`;
  return made(link, () => branch({ ...own, from: step }, { kind: "crash", link, task }));
}

function variantRun(variant) {
  return made(variant.link, () => branch(variant, { kind: "variant", link: variant.link, variant }));
}

function placesOf(text) {
  const places = [];
  let tenths = 0;
  for (const numbers = new Numbers(text); numbers.more; ) places.push((tenths += numbers.signed()) / 10);
  return places;
}

// Where each step of a run stands, in the diagrams' units: one scale for the
// slider and the diagrams. Without diagrams all steps are equally far apart.
function scaleOf(run) {
  run.scale ??= data.diagrams[run.link] ? placesOf(data.diagrams[run.link].scale) : run.scenes.map((_, step) => data.axis[0] + ((data.axis[1] - data.axis[0]) * step) / Math.max(1, lastStep(run)));
  return run.scale;
}

// The place in a sorted list that is nearest to a number.
function nearest(places, wanted) {
  let [low, high] = [0, places.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (places[middle] <= wanted) low = middle;
    else high = middle;
  }
  return wanted - places[low] <= places[high] - wanted ? low : high;
}

const lastStep = (run) => run.scenes.length - 1;
const sceneAt = (run, step) => scenes[run.scenes[Math.min(step, lastStep(run))]];

// "crash-at-9-sum-even", "rule-offset-too-high": the run of a link's first part.
function runOfLink(name) {
  const crash = /^crash-at-(\d+)-(.+)$/.exec(name);
  if (crash) {
    const task = data.tasks.findIndex((own) => own[0] === crash[2]);
    return task < 0 ? null : crashRun(Number(crash[1]), task);
  }
  const variant = data.variants.find((own) => own.link === name);
  return variant ? variantRun(variant) : null;
}

// A moment of the main run, unless it lies behind the place where a run leaves it.
const momentsOf = (run) => data.moments.filter((moment) => moment.last <= Math.min(run.from, lastStep(run)));
const momentNear = (run, step) => data.moments.filter((moment) => moment.first <= step && moment.first <= run.from).at(-1);

// Where "one moment on" stops: moments, and what weighs in a branch.
function stops(run) {
  const found = new Set([0, ...momentsOf(run).map((moment) => moment.last), lastStep(run)]);
  const weighty = [KIND.crash, KIND.fail, KIND.restore, KIND.complete, KIND.abort, KIND.end];
  const first = run === main ? (data.moments.length ? lastStep(run) : 0) : run.from;
  for (let step = first + 1; step <= lastStep(run); step++) {
    if (weighty.includes(sceneAt(run, step).kind)) found.add(step);
  }
  return [...found].sort((a, b) => a - b);
}
