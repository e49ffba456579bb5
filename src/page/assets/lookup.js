// Below the player: the tabs, and the ledger.
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

// Whether the ledger shows the same run with sinks of the other kind.
const asksOthers = (run) => state.sinks === "other" && Boolean(run.otherSinks);
const verdictOf = (run) => (asksOthers(run) ? run.otherSinks : run.verdict);

// How often something was counted, by the judge; what is not unusual is once.
function counted(run, record, column) {
  const unusual = verdictOf(run).unusual.find(([r, c]) => r === record && c === column);
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
  // Where the others publish is no step of this run.
  const steps = kind === "published" && asksOthers(run) ? [] : all.map(({ step, value }) => {
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
  const found = verdictOf(run).unusual.filter(([, column, n, expected]) => columns.has(column) && (isTooOften ? n > expected : n < expected));
  return [...new Set(found.map(([record]) => record))].map((record) => recordName(data.records[record])).join(state.language === "zh" ? "、" : ", ");
}

// What has become of state and output, in a few words.
function result(verdict, name) {
  const [outcome, , , tooOften, lost] = verdict[name];
  const text = outcome === "holds" ? words().exactly : outcome === "violated" ? [tooOften ? words().twice(tooOften) : "", lost ? words().lost(lost) : ""].filter(Boolean).join(state.language === "zh" ? "，" : ", ") || words().wrongThere : words().unknown;
  return `${name === "state" ? words().state : words().output}${state.language === "zh" ? "：" : ": "}${text}`;
}

const promiseOf = (verdict) => (verdict.promise === "violated" ? words().brokenPromise : verdict.promise === "holds" ? words().keptPromise : words().unknown);

// The end of a branch is its verdict.
function ending(run) {
  const stop = state.language === "zh" ? "。" : ". ";
  const [first] = run.verdict.findings;
  const gap = state.language === "zh" ? "" : " ";
  const why = [run.verdict.restores.length ? words().restart(run.verdict.restores) : "", promiseOf(run.verdict), first ? begun(said(first)) : ""].filter(Boolean).join(gap);
  return { sentence: `${result(run.verdict, "state")}${stop}${result(run.verdict, "output")}${stop.trim()}`, why, rule: "" };
}

function judgement(run, name) {
  const verdict = verdictOf(run);
  const [outcome, n, , tooOften, lost, overwritten] = verdict[name];
  const kind = name === "state" ? "counted" : "published";
  const isState = name === "state";
  const isPromised = outcome !== "violated" || verdict.promise === "violated";
  const sign = outcome === "holds" ? "✓" : outcome === "violated" ? "▲" : "?";
  const lines = [];
  if (outcome === "holds") lines.push(isState ? words().stateHolds(n) : words().outputHolds(n));
  const [twice, never] = [wrongRecords(run, kind, true), wrongRecords(run, kind, false)];
  if (tooOften && twice) lines.push(isState ? words().recordsTwice(twice) : words().resultsTwice(twice));
  if (lost && never) lines.push(isState ? words().recordsLost(never) : words().resultsLost(never));
  if (overwritten) lines.push(words().overwritten(overwritten));
  if (!isState && !isPromised && outcome === "violated") lines.push(words().notPromised);
  const mood = outcome === "holds" ? "right" : outcome === "violated" ? "wrong" : "unknown";
  return `<div class="verdict ${mood}"><h3><span aria-hidden="true">${sign}</span> ${result(verdict, name)}</h3>${lines.map((line) => `<p>${escaped(line)}</p>`).join("")}</div>`;
}

function verdictText(run) {
  const { findings, restores } = verdictOf(run);
  const restarts = restores.length ? `<p class="quiet">${escaped(words().restart(restores))}</p>` : "";
  const wrong = findings.length ? `<div class="findings"><h3>${words().findings}</h3><ul>${findings.map((own) => `<li>${stepsLinked(run, escaped(said(own)))}</li>`).join("")}</ul></div>` : "";
  return `${restarts}${judgement(run, "state")}${judgement(run, "output")}<p class="promise">${promiseOf(verdictOf(run))}</p>${wrong}`;
}

// "step 39", "第 39 步" as links to those steps.
function stepsLinked(run, text) {
  const link = (n, inside) => (Number(n) <= lastStep(run) ? `<a href="#${escaped(linkAt(run, Number(n)))}" data-step="${n}">${inside}</a>` : inside);
  return text.replace(/steps? (\d+(?:, \d+)*)|第 (\d+(?:、\d+)*) 步/g, (whole, en, zh) => whole.replace(/\d+/g, (n) => link(n, n)));
}

// The two kinds of sinks, to switch between in place.
function sinksChoice(run) {
  if (!run.otherSinks) return "";
  const kinds = data.transactional ? ["other", "own"] : ["own", "other"];
  const button = (kind, i) => `<button type="button" data-sinks="${kind}" aria-pressed="${String(kind === state.sinks)}">${words().sinkKinds[i]}</button>`;
  return `<div class="sinks"><span id="sinks-name">${words().sinks}</span><div class="choice" role="group" aria-labelledby="sinks-name">${kinds.map(button).join("")}</div></div>`;
}

const sinksNote = (run) => (asksOthers(run) ? words().otherSinks(!data.transactional) : "");

function drawLedger() {
  const { run } = state;
  const note = sinksNote(run) || words().until(state.step);
  $("panel-ledger").innerHTML = `<div class="ledger-head"><h3 class="ledger-title">${escaped(run === main ? said(data.title) : runTitle(run))}</h3>${sinksChoice(run)}</div><div class="ledger"><div class="table-box" tabindex="0" role="region" aria-label="${words().ledger}">${ledgerTable(run)}</div><div class="verdicts">${verdictText(run)}</div></div><p class="quiet">${words().legendLedger}</p><p class="quiet">${note}</p>`;
}

function drawLookup() {
  for (const name of ["spacetime", "gantt", "ledger"]) {
    const isShown = name === state.tab;
    $(`tab-${name}`).setAttribute("aria-selected", String(isShown));
    $(`tab-${name}`).tabIndex = isShown ? 0 : -1;
    $(`panel-${name}`).hidden = !isShown;
  }
  $("lookup-note").textContent = state.tab === "ledger" ? "" : words().cursor;
  if (embedded || state.predicting) $("lookup").hidden = true;
  else {
    $("lookup").hidden = false;
    if (state.tab === "ledger") drawLedger();
    else drawDiagrams(state.tab);
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
$("panel-ledger").addEventListener("click", byHandOf("[data-sinks]", (target) => {
  state.sinks = target.dataset.sinks;
  drawLedger();
  $("panel-ledger").querySelector(`[data-sinks="${state.sinks}"]`).focus({ preventScroll: true });
}));
