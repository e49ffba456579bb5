// Nobody is left out: axe-core finds no violation, in any of the page's states.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { assert, closed, opened, press, withBrowser } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function violations(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map((own) => `${own.id}: ${own.help}: ${own.nodes.slice(0, 4).map((node) => `${node.target} ${node.failureSummary}`).join(" | ")}`);
}

const states = {
  "a moment": { hash: "#moment-alignment" },
  "a step in the dark": { hash: "#step-60", colorScheme: "dark" },
  "a crash with its ledger": { hash: "#crash-at-79-sum-even-step-110" },
  "a crash in the dark": { hash: "#crash-at-79-sum-even-step-110", colorScheme: "dark" },
  "a rule broken": { hash: "#rule-process-after-first-barrier-step-89" },
  "Chinese": { file: "lecture-zh.html", hash: "#step-48" },
  "a phone": { hash: "#step-48", viewport: { width: 390, height: 844 } },
  "embedded": { hash: "#step-48", query: "?embed=1", viewport: { width: 640, height: 500 } },
  "another job": { file: "join.html", hash: "#step-20" },
  "a large job": { file: "large.html", hash: "#step-20" },
};

const keys = { "the menu of crashes": ["c"], "the keys": ["?"], "the comparison": ["d", "Enter"], "the Gantt chart": [], "a question": ["p", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "1", "a"], "an answer": ["p", "1", "a", "Enter"] };

const tests = {};
for (const [name, state] of Object.entries(states)) {
  tests[`no violation: ${name}`] = async (browser) => {
    const page = await opened(browser, state);
    assert.deepEqual(await violations(page), []);
    await closed(page);
  };
}
for (const [name, pressed] of Object.entries(keys)) {
  tests[`no violation: ${name}`] = async (browser) => {
    const page = await opened(browser, { hash: "#step-36" });
    if (name === "the Gantt chart") await page.click("#tab-gantt");
    await press(page, ...pressed);
    assert.deepEqual(await violations(page), []);
    await closed(page);
  };
}
tests["the keys dialog keeps the focus and gives it back"] = async (browser) => {
  const page = await opened(browser, { hash: "#step-3" });
  await page.focus("#help");
  await press(page, "Enter", "Tab", "Tab");
  assert.equal(await page.evaluate(() => document.getElementById("dialog").contains(document.activeElement) || document.activeElement === document.body), true);
  await press(page, "Escape");
  assert.equal(await page.evaluate(() => document.activeElement.id), "help");
  await closed(page);
};
await withBrowser(tests);
