// Below the player: the diagrams of the run, with a line at the step.
const diagramsDrawn = {};

// The runs whose diagrams are shown: this one, and the one beside it.
const runsShown = () => [state.run, state.other].filter(Boolean);
const nameOf = (run) => (run === main ? (state.other ? words().mainRun : "") : runTitle(run));

function diagramBox(run, own, name) {
  const [width, height] = own.size;
  return `<div class="diagram" tabindex="0" role="group" aria-label="${words().scrolled}"><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(`${said(own.title)}. ${said(own.text)}`)}" data-run="${escaped(run.link)}" data-diagram="${name}">${partText(own.part, languageIndex())}<g class="cursor"></g></svg></div>`;
}

// Not every crash has its diagrams: the nearest of the same task that has.
function withoutDiagrams(run) {
  const kept = (crash) => data.diagrams[`crash-at-${crash.step}-${data.tasks[crash.task][0]}`];
  const all = run.kind === "crash" ? [...crashes.values()].flat().filter((own) => own.task === run.task && kept(own)) : [];
  const near = all.sort((a, b) => Math.abs(a.step - run.from) - Math.abs(b.step - run.from))[0];
  const button = near ? ` <button type="button" class="action" data-crash="${near.step}" data-task="${near.task}" data-beside="${run === state.other}">${words().diagramsOf(taskName(near.task), near.step)}</button>` : "";
  return `<p class="empty">${words().notDrawn}${button}</p>`;
}

function diagramsText(name) {
  const out = [];
  for (const run of runsShown()) {
    const title = nameOf(run);
    if (title) out.push(`<h3 class="ledger-title">${escaped(title)}</h3>`);
    const own = data.diagrams[run.link];
    if (!own) out.push(withoutDiagrams(run));
    else if (!own[name]) out.push(`<p class="empty">${words().noCheckpoint}</p>`);
    else {
      out.push(diagramBox(run, own[name], name));
      if (name === "gantt") out.push(`<p class="between">${words().inTime}</p>`, diagramBox(run, own.gantt.in_time, "in_time"));
    }
  }
  return out.join("");
}

const stepIn = (run) => Math.min(state.step, lastStep(run));

// The line of a space-time diagram that a step is on, by its number.
const lineOf = (lines, step) => lines.findLastIndex(([first]) => first <= step);

// Where a step stands in a diagram: x, top and bottom of each line to draw.
function cursorsIn(diagram, run) {
  const step = stepIn(run);
  const own = data.diagrams[run.link];
  if (diagram === "in_time") {
    const now = run.times[step];
    const scales = own.gantt.in_time.scales.filter(([from, to]) => from <= now && now <= to);
    return scales.map(([from, to, left, right, top, bottom]) => [left + ((now - from) / Math.max(1, to - from)) * (right - left), top - 6, bottom + 6]);
  }
  if (diagram === "gantt") return [[scaleOf(run)[step], 150, own.gantt.size[1] - 70]];
  const places = spacetimePlaces(run);
  const lines = own.spacetime.lines;
  if (places[step] === undefined) return [];
  const [, top, bottom] = lines[lineOf(lines, step)];
  return [[places[step], lines.length === 1 ? 150 : top - 12, bottom + 12]];
}

function spacetimePlaces(run) {
  const { places } = data.diagrams[run.link].spacetime;
  return (run.spacetime ??= places ? placesOf(places) : scaleOf(run));
}

// The step that stands nearest to a point of a diagram.
function stepOfPoint(diagram, run, [x, y]) {
  if (diagram === "gantt") return nearest(scaleOf(run), x);
  if (diagram === "in_time") {
    const { scales } = data.diagrams[run.link].gantt.in_time;
    const scale = scales.find(([, , left, right, top, bottom]) => left - 8 <= x && x <= right + 8 && top - 40 <= y && y <= bottom + 10);
    return scale ? nearest(run.times, scale[0] + ((x - scale[2]) / (scale[3] - scale[2])) * (scale[1] - scale[0])) : null;
  }
  const places = spacetimePlaces(run);
  const lines = data.diagrams[run.link].spacetime.lines;
  const line = Math.max(0, lines.findLastIndex(([, top]) => top - 60 <= y));
  const from = lines[line][0];
  return from + nearest(places.slice(from, lines[line + 1]?.[0]), x);
}

function drawDiagrams(name) {
  const panel = $(`panel-${name}`);
  const key = [state.language, ...runsShown().map((run) => run.link)].join(" ");
  if (diagramsDrawn[name] !== key) {
    diagramsDrawn[name] = key;
    panel.innerHTML = diagramsText(name);
  }
  for (const svg of panel.querySelectorAll("[data-diagram]")) {
    const run = runOfLink(svg.dataset.run) ?? main;
    const lines = cursorsIn(svg.dataset.diagram, run).map(([x, top, bottom]) => `<path d="M${x.toFixed(1)},${top}V${bottom}"/>`);
    svg.querySelector(".cursor").innerHTML = lines.join("");
    followCursor(svg);
  }
}

// Where a diagram is wider than its box, the line stays in it.
function followCursor(svg) {
  const box = svg.parentElement;
  const line = svg.querySelector(".cursor path");
  if (!line || box.scrollWidth <= box.clientWidth + 1) return;
  const [own, room] = [line.getBoundingClientRect(), box.getBoundingClientRect()];
  if (own.left < room.left + 20 || own.right > room.right - 20) box.scrollLeft += own.left - room.left - room.width / 2;
}

$("lookup").addEventListener("click", byHandOf("[data-crash]", ({ dataset }) => {
  const step = Number(dataset.crash);
  const run = crashRun(step, Number(dataset.task));
  if (dataset.beside === "true") compareWith(run);
  else go(step + 1, run);
}));
$("lookup").addEventListener("click", (event) => {
  const svg = event.target.closest("[data-diagram]");
  if (!svg) return;
  const box = svg.getBoundingClientRect();
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const point = [((event.clientX - box.left) / box.width) * width, ((event.clientY - box.top) / box.height) * height];
  const step = stepOfPoint(svg.dataset.diagram, runOfLink(svg.dataset.run) ?? main, point);
  if (step === null) return;
  stopPlaying();
  go(step);
});
