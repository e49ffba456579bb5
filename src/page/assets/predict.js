// Predict, then reveal: stops before key steps of the run and asks what comes.
// Nothing is kept but on this page, as long as it is open.
const questions = data.questions;

function togglePredicting() {
  stopPlaying();
  closeMenu(false);
  if (state.predicting) state.predicting = null;
  else {
    state.run = main;
    state.other = null;
    state.grain = "event";
    state.predicting = { answers: new Map(), open: null };
    openQuestion();
  }
  show();
}

// The next question from here on that has no answer yet.
function nextQuestion(from) {
  const { answers } = state.predicting;
  return questions.findIndex((own, i) => own.at >= from && !answers.has(i));
}

function openQuestion() {
  const number = nextQuestion(state.step);
  if (number < 0) return;
  if (questions[number].at === state.step) state.predicting.open = { number, what: null, because: null, revealed: false };
}

// Whether a step in this direction is kept back by a question.
function predictHolds(direction) {
  const own = state.predicting;
  if (!own) return false;
  if (own.open && direction > 0) return true;
  own.open = null;
  if (direction < 0) return false;
  const number = nextQuestion(state.step);
  if (number < 0 || questions[number].at >= neighbour(1)) return false;
  state.step = questions[number].at;
  own.open = { number, what: null, because: null, revealed: false };
  show();
  return true;
}

function choose(kind, choice) {
  const { open } = state.predicting;
  if (!open || open.revealed) return;
  open[kind] = choice;
  show();
}

function reveal() {
  const { open, answers } = state.predicting;
  if (!open || open.revealed || open.what === null || open.because === null) return;
  const own = questions[open.number];
  open.revealed = true;
  answers.set(open.number, open.what === own.right && open.because === own.reason);
  show();
}

function goOn() {
  const { open, answers } = state.predicting;
  if (!open) return;
  if (!open.revealed) answers.set(open.number, null);
  const own = questions[open.number];
  state.predicting.open = null;
  // Another question may be asked before the same step.
  const next = nextQuestion(state.step);
  if (next >= 0 && questions[next].at === state.step) openQuestion();
  else {
    // No other question is passed by on the way to where the answer shows.
    const until = next < 0 ? own.shows : Math.min(own.shows, questions[next].at);
    state.step = Math.max(state.step, until);
    openQuestion();
  }
  show();
}

const score = () => {
  const all = [...state.predicting.answers.values()].filter((own) => own !== null);
  return [all.filter(Boolean).length, all.length];
};

function choices(kind, list, right, signs) {
  const { open } = state.predicting;
  return list
    .map((text, i) => {
      const isChosen = open[kind] === i;
      const mood = !open.revealed ? (isChosen ? "chosen" : "") : i === right ? "right" : isChosen ? "wrong" : "";
      const mark = !open.revealed ? "" : i === right ? `<em>✓ ${words().right}</em>` : isChosen ? `<em>✕ ${words().yours}</em>` : "";
      return `<button type="button" class="answer ${mood}" data-kind="${kind}" data-choice="${i}" aria-pressed="${isChosen}" ${open.revealed ? "disabled" : ""}><kbd>${signs[i]}</kbd><span>${escaped(said(text))}</span>${mark}</button>`;
    })
    .join("");
}

function drawQuestion() {
  const own = state.predicting;
  const box = $("question");
  document.body.classList.toggle("predicting", Boolean(own));
  $("predict").setAttribute("aria-checked", String(Boolean(own)));
  const isOpen = Boolean(own?.open);
  const isDone = Boolean(own) && nextQuestion(0) < 0;
  const isOver = Boolean(own) && !isOpen && (isDone || (atEnd(1) && nextQuestion(state.step) < 0));
  box.hidden = !isOpen && !isOver;
  document.body.classList.toggle("asking", !box.hidden);
  for (const id of ["crash", "rule", "compare"]) if (own) $(id).hidden = true;
  if (box.hidden) return;
  const kept = `<button type="button" class="plain" id="export">${words().exportText}</button><button type="button" class="plain" id="worksheet">${words().worksheet}</button>`;
  if (isOver) {
    const [right, of] = score();
    box.innerHTML = `<p class="asked">${!questions.length ? words().noQuestions : isDone ? words().allAsked(right, of) : words().score(right, of)}</p><p class="question-foot">${questions.length ? kept : ""}</p>`;
    return;
  }
  const { number, revealed, what, because } = own.open;
  const question = questions[number];
  const [right, of] = score();
  const head = `<p class="question-head"><b class="badge">${revealed ? words().revealed : words().predict}</b> ${words().questionOf(number + 1, questions.length)}${of ? ` · ${words().score(right, of)}` : ""}</p>`;
  const both = `<div class="answers"><div role="group" aria-label="${words().what}"><h3>${words().what}</h3>${choices("what", question.what, question.right, "123456")}</div><div role="group" aria-label="${words().because}"><h3>${words().because}</h3>${choices("because", question.because, question.reason, "abcdef")}</div></div>`;
  const world = question.worlds?.[what];
  const end = revealed && world ? data.variants.find((variant) => variant.link === world) : null;
  const foot = revealed
    ? `<p class="answer-text">${escaped(said(question.answer))}</p><p class="question-foot"><button type="button" class="next" id="go-on">${words().goOn}</button>${end ? `<button type="button" class="plain" id="world" data-link="${escaped(end.link)}">${words().playWorld}</button>` : ""}${question.rule ? `<code>${escaped(question.rule)}</code>` : ""}</p>`
    : `<p class="question-foot"><button type="button" class="next" id="reveal" ${what === null || because === null ? "disabled" : ""}>${words().reveal}</button><button type="button" class="plain" id="skip">${words().skip}</button>${kept}<span class="quiet">${words().later}</span></p>`;
  box.innerHTML = `${head}<p class="asked">${escaped(said(question.ask))}</p>${both}${foot}`;
}

$("predict").addEventListener("click", togglePredicting);
$("question").addEventListener("click", (event) => {
  const target = event.target.closest("button");
  if (!target) return;
  const focused = target.id ? `#${target.id}` : `[data-kind="${target.dataset.kind}"][data-choice="${target.dataset.choice}"]`;
  if (target.dataset.kind) choose(target.dataset.kind, Number(target.dataset.choice));
  else if (target.id === "reveal") reveal();
  else if (target.id === "skip" || target.id === "go-on") goOn();
  else if (target.id === "export") saveText(said(data.questions_as_text), `${data.name}-questions.txt`);
  else if (target.id === "worksheet") printWorksheet();
  else if (target.id === "world") {
    const run = runOfLink(target.dataset.link);
    state.predicting = null;
    enter(run, Math.min(run.from + 1, lastStep(run)));
  }
  ($("question").querySelector(focused) ?? $("question").querySelector("button:not(:disabled)"))?.focus({ preventScroll: true });
});
