// Pictures of the page, to be looked at.
import { mkdirSync } from "node:fs";
import { closed, opened, press, withBrowser } from "./browser.mjs";

const target = process.argv[3];
mkdirSync(target, { recursive: true });
const sizes = [[1920, 1080], [1280, 720], [390, 844]];
const crash = "#crash-at-71-sum-even-step-90";
const states = {
  moment: { hash: "#moment-alignment" },
  crash: { hash: crash },
  ledger: { hash: crash, below: "ledger" },
  sinks: { hash: "#crash-at-79-sum-even-step-110", below: "ledger", click: "[data-sinks=other]" },
  spacetime: { hash: "#step-60", below: "spacetime" },
  gantt: { hash: "#crash-at-48-sum-odd-step-70", below: "gantt" },
  compare: { hash: "#step-49", keys: ["d", "Enter"] },
  predict: { hash: "#step-36", keys: ["p", "1", "a"] },
  revealed: { hash: "#step-36", keys: ["p", "1", "a", "Enter"] },
  keys: { hash: "#step-36", keys: ["?"] },
  notes: { hash: "#moment-aligned", keys: ["n"] },
  crashes: { hash: "#step-66", keys: ["c"] },
  rules: { hash: "#step-66", keys: ["b"] },
  paper: { hash: "#moment-alignment", media: "print" },
};
const wanted = process.argv[4]?.split(",") ?? Object.keys(states);
const tests = {};
for (const [width, height] of sizes) {
  for (const [name, { hash, keys = [], below, click, media }] of Object.entries(states).filter(([name]) => wanted.includes(name))) {
    for (const colorScheme of ["light", "dark"]) {
      for (const language of ["en", "zh"]) {
        const picture = `${name}-${width}-${colorScheme}-${language}.png`;
        tests[picture] = async (browser) => {
          const isPhone = width < 500;
          const page = await opened(browser, { file: language === "zh" ? "lecture-zh.html" : "lecture.html", hash, colorScheme, viewport: { width, height }, deviceScaleFactor: isPhone ? 2 : 1, isMobile: isPhone, hasTouch: isPhone });
          await press(page, ...keys);
          if (below) {
            await page.click(`#tab-${below}`);
            await page.evaluate(() => document.getElementById("transport").scrollIntoView());
            if (isPhone) await page.evaluate(() => document.getElementById("lookup").scrollIntoView());
          }
          if (click) await page.click(click);
          if (media) {
            await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
            await page.emulateMedia({ media });
          }
          await page.waitForTimeout(100);
          await page.screenshot({ path: `${target}/${picture}` });
          await closed(page);
        };
      }
    }
  }
}
await withBrowser(tests);
