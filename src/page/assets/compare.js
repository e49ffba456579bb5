// Two runs side by side, in step; what differs is marked.
function compareMenu() {
  const choices = [];
  if (state.run !== main) choices.push({ title: state.run.kind === "crash" ? words().withoutCrash : words().asItShould, act: () => compareWith(main) });
  const others = data.variants.filter((own) => own.link !== state.run.link);
  for (const own of others.filter((own) => !own.rule)) {
    choices.push({ title: said(own.title), text: said(own.text), act: () => compareWith(variantRun(own)) });
  }
  for (const own of others.filter((own) => own.rule)) {
    choices.push({ sign: "≠", mood: "wrong", title: said(own.text), text: own.crash ? words().crashed(taskName(own.crash[1]), own.crash[0]) : "", act: () => compareWith(variantRun(own)) });
  }
  for (const own of crashes.get(state.step) ?? []) {
    if (state.run === main) choices.push({ sign: "✕", mood: "wrong", title: words().crashed(taskName(own.task), own.step), act: () => compareWith(crashRun(own.step, own.task)) });
  }
  const items = [{ heading: choices.length ? words().compareWith : words().noVariant }, ...choices];
  if (state.other) items.splice(1, 0, { title: words().closeCompare, act: () => compareWith(null) });
  openMenu($("compare"), items);
}

function compareWith(run) {
  state.other = run;
  show();
}

// The first step at which two runs show something else.
function parting(one, other) {
  const n = Math.max(lastStep(one), lastStep(other));
  for (let step = 0; step <= n; step++) {
    if (sceneAt(one, step).frame !== sceneAt(other, step).frame) return step;
  }
  return null;
}

const partedFrame = (frame) => frames[frame].map((part, slot) => `<g data-slot="${slot}">${partText(part, languageIndex())}</g>`).join("");

// Marks each element of a picture's part that the other's part does not have.
function markDifferences(svg, own, other) {
  let n = 0;
  for (const [slot, part] of frames[own].entries()) {
    const known = frames[other][slot];
    if (part === known || slot === frames[own].length - 1) continue;
    n++;
    const theirs = new Set(known === undefined ? [] : parts[known]);
    const group = svg.querySelector(`[data-slot="${slot}"]`);
    // An element that this language does not have is no child of the group.
    const shown = parts[part].filter((pair) => data.elements[pairs[pair][languageIndex()]]);
    const differing = shown.map((pair, i) => [pair, i]).filter(([pair]) => !theirs.has(pair)).map(([, i]) => group.children[i]).filter(Boolean);
    const boxes = (differing.length ? differing : [group]).map((own) => own.getBBox()).filter((box) => box.width && box.height);
    if (!boxes.length) continue;
    const left = Math.min(...boxes.map((box) => box.x)) - 5;
    const top = Math.min(...boxes.map((box) => box.y)) - 5;
    const right = Math.max(...boxes.map((box) => box.x + box.width)) + 5;
    const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + 5;
    svg.insertAdjacentHTML("beforeend", `<rect class="difference" x="${left}" y="${top}" width="${right - left}" height="${bottom - top}" rx="8"/>`);
  }
  return n;
}

function drawCompare() {
  const { run, other, step } = state;
  const isOn = Boolean(other);
  document.body.classList.toggle("comparing", isOn);
  $("other-box").hidden = $("differences").hidden = $("frame-name").hidden = !isOn;
  $("compare").setAttribute("aria-pressed", String(isOn));
  if (!isOn) return;
  $("frame-name").textContent = run === main ? words().thisRun : runTitle(run);
  const theirs = Math.min(step, lastStep(other));
  $("other-name").textContent = (other === main ? words().mainRun : runTitle(other)) + (theirs < step ? ` · ${words().over(theirs)}` : "");
  const [own, their] = [sceneAt(run, step), sceneAt(other, theirs)].map(frameOf);
  $("frame").innerHTML = partedFrame(own);
  $("other").setAttribute("viewBox", placeBox());
  $("other").innerHTML = partedFrame(their);
  markDifferences($("frame"), own, their);
  const n = markDifferences($("other"), their, own);
  const first = parting(run, other);
  const chips = [
    own === their ? `<span>${words().same}</span>` : `<span class="difference-count">${words().nDifferences(n)}</span>`,
    first === null ? "" : `<a href="#${escaped(linkAt(run, first))}" data-step="${first}">${words().differsFrom(first)}</a>`,
    own === their ? "" : `<span>${escaped(caption(other, theirs).sentence)}</span>`,
  ];
  $("differences").innerHTML = chips.filter(Boolean).join(" ");
}

$("compare").addEventListener("click", () => (menuOwner === $("compare") ? closeMenu(true) : compareMenu()));
$("differences").addEventListener("click", byHandOf("[data-step]", (target) => {
  go(Number(target.dataset.step));
}));
$("differences").addEventListener("click", (event) => event.preventDefault());
