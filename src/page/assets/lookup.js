// Below the player: the two diagrams with a cursor at the step, and the ledger.
const diagramsDrawn = {};

function diagram(name) {
  const own = data[name];
  const panel = $(`panel-${name}`);
  if (!own) {
    panel.innerHTML = `<p class="empty">${words().noCheckpoint}</p>`;
    return null;
  }
  if (diagramsDrawn[name] !== state.language) {
    diagramsDrawn[name] = state.language;
    const [width, height] = own.size;
    panel.innerHTML = `<div class="diagram" tabindex="0" role="group" aria-label="${words().scrolled}"><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(`${said(own.title)}. ${said(own.text)}`)}">${partText(own.part, languageIndex())}<g class="cursor"></g></svg></div>`;
  }
  return panel.querySelector(".cursor");
}

function drawSpacetime() {
  const cursor = diagram("spacetime");
  const places = said(data.spacetime.cursor);
  const step = Math.min(state.step, state.run.from, lastStep(main));
  const place = places[step];
  cursor.innerHTML = place ? `<path d="M${place[0]},${place[1] - 12}V${place[2] + 12}"/>` : "";
}

function drawGantt() {
  const cursor = diagram("gantt");
  if (!cursor) return;
  const step = Math.min(state.step, state.run.from, lastStep(main));
  const now = main.times[step];
  const lines = data.gantt.scales
    .filter(([from, to]) => from <= now && now <= to)
    .map(([from, to, left, right, top, bottom]) => `<path d="M${left + ((now - from) / Math.max(1, to - from)) * (right - left)},${top - 6}V${bottom + 6}"/>`);
  cursor.innerHTML = lines.join("");
}

function chip(record, value) {
  const family = data.splits[record[0]][2] % 4;
  return `<span class="chip family-${family}">${escaped(value)}</span>`;
}

const recordName = (record) => `${said(data.splits[record[0]])}\u00a0${record[2]}`;

// What of a run passes each cell of the ledger, and when.
function passings(run) {
  run.passings ??= run.scenes.reduce((all, own, step) => {
    for (const [column, record, value] of scenes[own].touches) {
      const key = `${record} ${column}`;
      if (!all.has(key)) all.set(key, []);
      all.get(key).push({ step, value: data.values[value] });
    }
    return all;
  }, new Map());
  return run.passings;
}

// How often something was counted, by the judge; what is not unusual is once.
function counted(run, record, column) {
  const unusual = run.verdict.unusual.find(([r, c]) => r === record && c === column);
  return unusual ? { n: unusual[2], expected: unusual[3] } : { n: 1, expected: 1 };
}

const columnsOf = (kind) => data.columns.map((own, i) => [own, i]).filter(([own]) => own[0] === kind);
const recordsOf = (run) => {
  const all = passings(run);
  const read = data.columns.findIndex((own) => own[0] === "read");
  return data.records
    .map((record, i) => [record, i])
    .filter(([, i]) => all.has(`${i} ${read}`))
    .sort(([a], [b]) => a[0] - b[0] || a[1] - b[1]);
};

function cell(run, record, index, column, kind, links = true) {
  const all = passings(run).get(`${index} ${column}`) ?? [];
  const { n, expected } = counted(run, index, column);
  const isWrong = kind !== "read" && n !== expected;
  const again = kind === "read" && all.length > 1;
  const sign = isWrong ? (n > expected ? "▲ " : "✕ ") : again ? "↻ " : "";
  const number = kind === "read" ? all.length : n;
  const steps = all.map(({ step, value }) => {
    const inside = kind === "published" ? chip(record, value) : `<small>${step}</small>`;
    return links ? `<a href="#${escaped(linkAt(run, step))}" data-step="${step}" class="${step > state.step ? "later" : ""}" title="${escaped(words().step(step))}">${inside}</a>` : kind === "published" ? chip(record, value) : "";
  });
  return `<td class="${isWrong ? "wrong" : again ? "again" : ""}"><b>${sign}${number}</b> ${steps.join(" ")}</td>`;
}

const linkAt = (run, step) => (run === main ? `step-${step}` : `${run.link}-step-${step}`);

function ledgerTable(run, links = true) {
  const columns = [...columnsOf("read"), ...columnsOf("counted"), ...columnsOf("published")];
  const head = columns.map(([own]) => `<th scope="col">${escaped(own[0] === "read" ? words().read : words()[own[0]](said([own[1], own[2]])))}</th>`);
  const rows = recordsOf(run).map(([record, index]) => {
    const cells = columns.map(([own, column]) => cell(run, record, index, column, own[0], links));
    const isWrong = cells.some((own) => own.startsWith('<td class="wrong"'));
    return `<tr${isWrong ? ' class="wrong"' : ""}><th scope="row">${chip(record, record[2])} ${escaped(recordName(record))}</th>${cells.join("")}</tr>`;
  });
  return `<table><thead><tr><th scope="col">${words().record}</th>${head.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

// The records of the ledger's cells that are too many or too few.
function wrongRecords(run, kind, isTooOften) {
  const columns = new Set(columnsOf(kind).map(([, i]) => i));
  const found = run.verdict.unusual.filter(([, column, n, expected]) => columns.has(column) && (isTooOften ? n > expected : n < expected));
  return [...new Set(found.map(([record]) => record))].map((record) => recordName(data.records[record])).join(state.language === "zh" ? "、" : ", ");
}

// What has become of state and output, in a few words.
function result(run, name) {
  const [outcome, , , tooOften, lost] = run.verdict[name];
  const text = outcome === "holds" ? words().exactly : outcome === "violated" ? [tooOften ? words().twice(tooOften) : "", lost ? words().lost(lost) : ""].filter(Boolean).join(state.language === "zh" ? "，" : ", ") || words().wrongThere : words().unknown;
  return `${name === "state" ? words().state : words().output}${state.language === "zh" ? "：" : ": "}${text}`;
}

const promiseOf = (run) => (run.verdict.promise === "violated" ? words().brokenPromise : run.verdict.promise === "holds" ? words().keptPromise : words().unknown);

// The end of a branch is its verdict.
function ending(run) {
  const stop = state.language === "zh" ? "。" : ". ";
  const [first] = run.verdict.findings;
  const gap = state.language === "zh" ? "" : " ";
  const why = [run.verdict.restores.length ? words().restart(run.verdict.restores) : "", promiseOf(run), first ? begun(said(first)) : ""].filter(Boolean).join(gap);
  return { sentence: `${result(run, "state")}${stop}${result(run, "output")}${stop.trim()}`, why, rule: "" };
}

function judgement(run, name) {
  const [outcome, n, , tooOften, lost, overwritten] = run.verdict[name];
  const kind = name === "state" ? "counted" : "published";
  const isState = name === "state";
  const isPromised = outcome !== "violated" || run.verdict.promise === "violated";
  const sign = outcome === "holds" ? "✓" : outcome === "violated" ? "▲" : "?";
  const lines = [];
  if (outcome === "holds") lines.push(isState ? words().stateHolds(n) : words().outputHolds(n));
  const [twice, never] = [wrongRecords(run, kind, true), wrongRecords(run, kind, false)];
  if (tooOften && twice) lines.push(isState ? words().recordsTwice(twice) : words().resultsTwice(twice));
  if (lost && never) lines.push(isState ? words().recordsLost(never) : words().resultsLost(never));
  if (overwritten) lines.push(words().overwritten(overwritten));
  if (!isState && !isPromised && outcome === "violated") lines.push(words().notPromised);
  const mood = outcome === "holds" ? "right" : outcome === "violated" ? "wrong" : "unknown";
  return `<div class="verdict ${mood}"><h3><span aria-hidden="true">${sign}</span> ${result(run, name)}</h3>${lines.map((line) => `<p>${escaped(line)}</p>`).join("")}</div>`;
}

function verdictText(run) {
  const { findings, restores } = run.verdict;
  const restarts = restores.length ? `<p class="quiet">${escaped(words().restart(restores))}</p>` : "";
  const wrong = findings.length ? `<div class="findings"><h3>${words().findings}</h3><ul>${findings.map((own) => `<li>${stepsLinked(run, escaped(said(own)))}</li>`).join("")}</ul></div>` : "";
  return `${restarts}${judgement(run, "state")}${judgement(run, "output")}<p class="promise">${promiseOf(run)}</p>${wrong}`;
}

// "step 39", "第 39 步" as links to those steps.
function stepsLinked(run, text) {
  const link = (n, inside) => (Number(n) <= lastStep(run) ? `<a href="#${escaped(linkAt(run, Number(n)))}" data-step="${n}">${inside}</a>` : inside);
  return text.replace(/steps? (\d+(?:, \d+)*)|第 (\d+(?:、\d+)*) 步/g, (whole, en, zh) => whole.replace(/\d+/g, (n) => link(n, n)));
}

function drawLedger() {
  const { run } = state;
  $("panel-ledger").innerHTML = `<h3 class="ledger-title">${escaped(run === main ? said(data.title) : runTitle(run))}</h3><div class="ledger"><div class="table-box" tabindex="0" role="region" aria-label="${words().ledger}">${ledgerTable(run)}</div><div class="verdicts">${verdictText(run)}</div></div><p class="quiet">${words().legendLedger}</p><p class="quiet">${words().until(state.step)}</p>`;
}

function drawLookup() {
  for (const name of ["spacetime", "gantt", "ledger"]) {
    const isShown = name === state.tab;
    $(`tab-${name}`).setAttribute("aria-selected", String(isShown));
    $(`tab-${name}`).tabIndex = isShown ? 0 : -1;
    $(`panel-${name}`).hidden = !isShown;
  }
  $("lookup-note").textContent = state.tab === "ledger" ? "" : state.step > state.run.from ? words().cursorMain : words().cursor;
  if (embedded || state.predicting) $("lookup").hidden = true;
  else {
    $("lookup").hidden = false;
    ({ spacetime: drawSpacetime, gantt: drawGantt, ledger: drawLedger })[state.tab]();
  }
}

for (const name of ["spacetime", "gantt", "ledger"]) {
  $(`tab-${name}`).addEventListener("click", () => {
    state.tab = name;
    drawLookup();
  });
}
$("tabs").addEventListener("keydown", (event) => {
  const names = ["spacetime", "gantt", "ledger"];
  const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!move) return;
  state.tab = names[(names.indexOf(state.tab) + move + names.length) % names.length];
  drawLookup();
  $(`tab-${state.tab}`).focus();
  event.preventDefault();
  event.stopPropagation();
});
$("panel-ledger").addEventListener("click", byHandOf("[data-step]", (target) => {
  event.preventDefault();
  go(Number(target.dataset.step));
}));
