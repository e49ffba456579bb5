// Pictures of the page, to be looked at.
import { mkdirSync } from "node:fs";
import { closed, opened, press, withBrowser } from "./browser.mjs";

const target = process.argv[3];
mkdirSync(target, { recursive: true });
const sizes = [[1920, 1080], [1280, 720], [390, 844]];
const states = { moment: { hash: "#moment-alignment" }, crash: { hash: "#crash-at-79-sum-even-step-110" }, compare: { hash: "#step-49", keys: ["d", "Enter"] }, predict: { hash: "#step-36", keys: ["p", "1", "a"] } };
const tests = {};
for (const [width, height] of sizes) {
  for (const [name, { hash, keys = [] }] of Object.entries(states)) {
    for (const colorScheme of ["light", "dark"]) {
      for (const language of ["en", "zh"]) {
        const picture = `${name}-${width}-${colorScheme}-${language}.png`;
        tests[picture] = async (browser) => {
          const page = await opened(browser, { file: language === "zh" ? "lecture-zh.html" : "lecture.html", hash, colorScheme, viewport: { width, height }, deviceScaleFactor: width < 500 ? 2 : 1 });
          await press(page, ...keys);
          await page.waitForTimeout(100);
          await page.screenshot({ path: `${target}/${picture}` });
          await closed(page);
        };
      }
    }
  }
}
await withBrowser(tests);
