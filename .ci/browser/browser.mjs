// What all browser tests share: a page from disk, with the network shut, that
// must not say a word on the console.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

export { assert };
export const folder = process.argv[2];
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

export async function withBrowser(tests) {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    // ONLY: a part of the claims to try, at a desk.
    const wanted = new RegExp(process.env.ONLY ?? "");
    for (const [claim, test] of Object.entries(tests).filter(([claim]) => wanted.test(claim))) {
      try {
        await test(browser);
        console.log(`  ok   ${claim}`);
      } catch (error) {
        console.log(`  FAIL ${claim}\n${error.stack}`);
        process.exitCode = 1;
      }
    }
  } finally {
    await browser.close();
  }
}

// Opens a page; nothing may be asked of the network, nothing may go wrong.
export async function opened(browser, { file = "lecture.html", hash = "", query = "", ...more } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, offline: true, ...more });
  const page = await context.newPage();
  page.wrong = [];
  page.on("request", (request) => {
    if (!request.url().startsWith("file://") && !request.url().startsWith("data:")) page.wrong.push(`asks for ${request.url()}`);
  });
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.wrong.push(message.text()));
  page.on("pageerror", (error) => page.wrong.push(error.stack));
  await page.goto(`file://${folder}/${file}${query}${hash}`);
  return page;
}

export async function closed(page) {
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}

// Everything on the page that a state decides.
export const seen = (page) => page.evaluate(() => {
  const of = (id) => document.getElementById(id);
  return JSON.stringify({
    frame: of("frame").outerHTML, sentence: of("caption").innerHTML, head: of("moment").outerHTML + of("number").outerHTML + of("when").textContent,
    rail: of("done").style.cssText + of("branched").style.cssText + of("thumb").style.cssText + of("pins").innerHTML, place: of("place").textContent, link: of("link").textContent,
    list: [...of("list").querySelectorAll(".now, .later")].map((row) => row.outerHTML).join(""),
    ends: [of("previous").disabled, of("next").disabled], hash: location.hash,
  });
});

export const step = (page) => page.locator("#step").innerText().then(Number);
export const last = (page) => page.locator("#of").innerText().then((text) => Number(text.replace(/\D/g, "")));
export const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};
