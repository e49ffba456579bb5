// On paper: the handout, the worksheet with its key, and questions as text.
const STEPS_PRINTED_MAX = 40;
let worksheet = false;

function sheet(title, link, run, step, extra = "") {
  const scene = sceneAt(run, step);
  const { sentence, why, rule } = caption(run, step);
  const words_ = extra || `<p class="sentence">${escaped(sentence)}</p><p>${escaped(why)} ${rule ? `<code>${escaped(rule)}</code>` : ""}</p>`;
  return `<section class="sheet"><h2>${escaped(title)} <code>#${escaped(link)}</code></h2><svg class="frame" viewBox="${paperBox}">${frameText(scene.frame)}</svg>${words_}</section>`;
}

function handout() {
  const { run, grain } = state;
  const out = [`<h1>${escaped(said(data.title))}${run === main ? "" : ` · ${escaped(runTitle(run))}`}</h1><p class="quiet">${words().legendPaper}</p>`];
  const moments = momentsOf(run);
  state.grain = "moment";
  if (run === main && moments.length) {
    if (lastStep(run) > STEPS_PRINTED_MAX) out.push(`<p class="quiet">${words().momentsOnly}</p>`);
    for (const own of moments) out.push(sheet(`${own.number} ${said(own.title)}`, `moment-${own.name}`, run, own.last));
  } else {
    const first = run === main ? 0 : run.from;
    const all = stops(run).filter((step) => step >= first);
    const steps = all.length > 2 && run !== main ? all : Array.from({ length: lastStep(run) - first + 1 }, (_, i) => first + i);
    const shown = steps.slice(0, STEPS_PRINTED_MAX);
    if (shown.length < lastStep(run) + 1) out.push(`<p class="quiet">${words().stepsOnly(shown.length, lastStep(run) + 1)}</p>`);
    for (const step of shown) out.push(sheet(words().step(step), linkAt(run, step), run, step));
  }
  state.grain = grain;
  if (run !== main) out.push(`<section class="sheet"><h2>${words().ledger}</h2>${ledgerTable(run, false)}<p class="quiet">${sinksNote(run)}</p>${verdictText(run)}</section>`);
  return out.join("");
}

function worksheetPages() {
  const letters = "abcdef";
  const asked = questions.map((own, i) => {
    const what = own.what.map((text, n) => `<li>☐ ${n + 1}. ${escaped(said(text))}</li>`).join("");
    const because = own.because.map((text, n) => `<li>☐ ${letters[n]}. ${escaped(said(text))}</li>`).join("");
    const text = `<p class="sentence">${i + 1}. ${escaped(said(own.ask))}</p><div class="asked-lists"><ul>${what}</ul><ul>${because}</ul></div>`;
    return sheet(words().step(own.at), `step-${own.at}`, main, own.at, text);
  });
  const keys = questions.map((own, i) => `<li><b>${i + 1}: ${own.right + 1} ${letters[own.reason]}</b> ${escaped(said(own.answer))}</li>`);
  return `<h1>${escaped(said(data.title))} · ${words().worksheetTitle}</h1><p class="quiet">${words().legendPaper}</p>${asked.join("")}<section class="sheet key"><h2>${words().key}</h2><ul>${keys.join("")}</ul></section>`;
}

function fillPaper() {
  $("paper").innerHTML = worksheet ? worksheetPages() : handout();
  $("paper").hidden = false;
}

addEventListener("beforeprint", fillPaper);
addEventListener("afterprint", () => {
  worksheet = false;
  $("paper").innerHTML = "";
  $("paper").hidden = true;
});

function printWorksheet() {
  worksheet = true;
  fillPaper();
  print();
}

// Offers a text as a file.
function saveText(text, name) {
  const link = document.createElement("a");
  link.href = `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`;
  link.download = name;
  link.click();
}
