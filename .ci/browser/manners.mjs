// Manners: inside slides and books, on paper, on a phone, for those who want
// nothing to move.
import { writeFileSync } from "node:fs";
import { assert, closed, folder, last, opened, press, step, withBrowser } from "./browser.mjs";

const deck = `<!DOCTYPE html><html lang="en"><title>deck</title><body style="margin:0">
<p id="keys"></p><iframe id="a" title="a" src="lecture.html?embed=1#step-3" width="640" height="500"></iframe>
<iframe id="b" title="b" src="lecture.html?embed=1#step-7" width="640" height="500"></iframe><div style="height:2000px"></div>
<script>addEventListener("keydown", (e) => { document.getElementById("keys").textContent += e.key + " "; }); addEventListener("message", (e) => { (window.heard ??= []).push(e.data); });</script></body></html>`;

await withBrowser({
  "two players in one deck keep to themselves": async (browser) => {
    writeFileSync(`${folder}/deck.html`, deck);
    const page = await opened(browser, { file: "deck.html" });
    const [a, b] = ["#a", "#b"].map((id) => page.frameLocator(id));
    const place = (player) => player.locator("#step").innerText().then(Number);
    await a.locator("#step").waitFor();
    assert.equal(await page.evaluate(() => scrollY), 0, "the deck is not scrolled");
    assert.equal(await page.evaluate(() => document.activeElement.tagName), "BODY", "no focus is taken");
    await press(page, "ArrowRight", "c");
    assert.equal(await page.locator("#keys").innerText(), "ArrowRight c", "keys are the deck’s");
    assert.deepEqual([await place(a), await place(b)], [3, 7]);
    await a.locator("#sentence").click();
    await press(page, "ArrowRight", "PageDown");
    assert.deepEqual([await place(a), await place(b)], [5, 7]);
    assert.equal(await page.locator("#keys").innerText(), "ArrowRight c", "the deck has not heard them");
    await press(page, "Control+a", "Alt+ArrowRight");
    assert.equal(await place(a), 5);
    await press(page, "Escape");
    await page.waitForTimeout(50);
    await press(page, "x");
    assert.match(await page.locator("#keys").innerText(), /x$/, "Esc has given the keys back");
    await page.evaluate(() => document.getElementById("b").contentWindow.postMessage({ step: 12 }, "*"));
    await b.locator("#step", { hasText: /^12$/ }).waitFor();
    await page.evaluate(() => document.getElementById("b").contentWindow.postMessage({ link: "#crash-at-9-sum-even" }, "*"));
    await b.locator("#step", { hasText: /^10$/ }).waitFor();
    assert.equal(await place(a), 5);
    await b.locator("#sentence").click();
    await press(page, "Home", "End");
    const before = await page.evaluate(() => window.heard.length);
    await press(page, "PageDown");
    await page.waitForTimeout(50);
    const heard = await page.evaluate((n) => window.heard.slice(n), before);
    assert.ok(heard.some((own) => own.checkdam === "end" && own.key === "PageDown"), "at the end the deck hears of it");
    assert.equal(await b.locator("#events").isVisible(), false);
    await closed(page);
  },
  "the handout has one frame a moment, none split, and no controls": async (browser) => {
    const page = await opened(browser, { hash: "#moment-alignment", colorScheme: "dark" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(".sheet").count(), 8);
    assert.equal(await page.locator("#player").isVisible(), false);
    assert.equal(await page.locator(".sheet svg").first().isVisible(), true);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    assert.deepEqual(await page.evaluate(() => [...new Set([...document.querySelectorAll(".sheet")].map((own) => getComputedStyle(own).breakInside))]), ["avoid"]);
    const ink = await page.evaluate(() => getComputedStyle(document.querySelector(".sheet svg text")).fill);
    assert.notEqual(ink, "rgb(233, 238, 243)", "always light");
    const paper = await page.pdf({ format: "A4", preferCSSPageSize: true });
    const pages = (paper.toString("latin1").match(/\/Type\s*\/Page\b/g) ?? []).length;
    assert.equal(pages, 4, "two moments on each of four pages");
    await closed(page);
  },
  "a crash on paper closes with its ledger": async (browser) => {
    const page = await opened(browser, { hash: "#crash-at-79-sum-even" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator("#paper table").isVisible(), true);
    assert.equal(await page.locator("#paper .verdict").count(), 2);
    assert.equal(await page.locator("#paper table a").count(), 0);
    await closed(page);
  },
  "a phone never scrolls sideways, and its buttons are large": async (browser) => {
    for (const hash of ["#step-48", "#crash-at-79-sum-even-step-110", "#rule-offset-too-high"]) {
      const page = await opened(browser, { hash, viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true });
      for (let i = 0; i < 5; i++) {
        const [own, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(own <= room, `${hash}: ${own} > ${room}`);
        await press(page, "ArrowLeft");
      }
      const box = await page.locator("#next").boundingBox();
      assert.ok(box.height >= 48 && box.y + box.height <= 844, JSON.stringify(box));
      await page.evaluate(() => scrollTo(0, 0));
      const order = await page.evaluate(() => ["caption", "frames"].map((id) => document.getElementById(id).getBoundingClientRect().top));
      assert.ok(order[0] < order[1], "the sentence comes first");
      await closed(page);
    }
  },
  "a phone shows the job upright, in letters that can be read": async (browser) => {
    for (const width of [360, 390, 430]) {
      const page = await opened(browser, { hash: "#moment-alignment", viewport: { width, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
      const [smallest, box, room] = await page.evaluate(() => {
        const svg = document.getElementById("frame");
        const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        return [Math.min(...[...svg.querySelectorAll("text")].map((own) => Number(own.getAttribute("font-size")) * scale)), svg.getBoundingClientRect().right, innerWidth];
      });
      assert.ok(smallest >= 10, `${width}: letters of ${smallest} px`);
      assert.ok(box <= room, "nothing to pan");
      // The box comes before the strips that name it once more.
      const names = await page.evaluate(() => ["blue source", "sum(even)", "sink(even)"].map((name) => Math.min(...[...document.querySelectorAll("#frame text")].filter((own) => own.textContent === name).map((own) => own.getBoundingClientRect().y))));
      assert.ok(names[0] < names[1] && names[1] < names[2], "sources above, sinks below");
      await closed(page);
    }
  },
  "what has changed is in sight on a phone, with its sentence": async (browser) => {
    const page = await opened(browser, { hash: "#step-0", viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
    for (let i = 0; i < (await last(page)); i++) {
      await page.locator("#next").click();
      const found = await page.evaluate(() => {
        const caption = document.getElementById("caption").getBoundingClientRect();
        const [top, bottom] = [caption.bottom, document.getElementById("transport").getBoundingClientRect().top];
        const outlines = [...document.querySelectorAll('#frame [fill="none"][stroke="var(--text)"][stroke-width="3.5"]')].map((own) => own.getBoundingClientRect());
        const isSeen = (own) => own.top >= top - 1 && own.bottom <= bottom + 1;
        return caption.top >= -1 && caption.bottom < bottom && (!outlines.length || outlines.some(isSeen));
      });
      assert.ok(found, `step ${await step(page)}`);
    }
    // Who reads the ledger is left there.
    await page.evaluate(() => document.getElementById("lookup").scrollIntoView());
    const before = await page.evaluate(() => scrollY);
    await page.locator("#previous").click();
    assert.equal(await page.evaluate(() => scrollY), before);
    await closed(page);
  },
  "a question on a phone is seen from its beginning": async (browser) => {
    const page = await opened(browser, { hash: "#step-20", viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
    await page.locator("#next").click();
    await page.evaluate(() => scrollBy(0, 300));
    await press(page, "p");
    for (let i = 0; i < 90 && !(await page.locator(".answers").isVisible()); i++) await page.locator("#next").click();
    assert.ok((await page.locator("#question").boundingBox()).y >= 0);
    await closed(page);
  },
  "in a frame as high as the book says, picture, sentence and buttons are seen": async (browser) => {
    for (const [width, height] of [[640, 620], [900, 620]]) {
      const page = await opened(browser, { hash: "#moment-alignment", query: "?embed=1", viewport: { width, height } });
      for (const id of ["frame", "sentence", "next", "rail"]) {
        const box = await page.locator(`#${id}`).boundingBox();
        assert.ok(box.y >= 0 && box.y + box.height <= height, `${id} in ${width}: ${JSON.stringify(box)}`);
      }
      await closed(page);
    }
  },
  "nothing moves for who wants no motion, and little for others": async (browser) => {
    for (const reducedMotion of ["reduce", "no-preference"]) {
      const page = await opened(browser, { hash: "#step-3", reducedMotion });
      const times = await page.evaluate(() => [...document.querySelectorAll("*")].flatMap((own) => [getComputedStyle(own).transitionDuration, getComputedStyle(own).animationDuration]).map((text) => Math.max(...text.split(",").map(parseFloat))));
      assert.ok(Math.max(...times) <= (reducedMotion === "reduce" ? 0 : 0.12));
      await closed(page);
    }
  },
  "each step is read out once": async (browser) => {
    const page = await opened(browser, { hash: "#step-41" });
    const heard = await page.locator("#live").innerText();
    assert.match(heard, /step 41 of 89/);
    await press(page, "ArrowRight");
    assert.match(await page.locator("#live").innerText(), /step 42 of 89/);
    assert.equal(await page.locator("[aria-live]").count(), 1);
    await closed(page);
  },
});
