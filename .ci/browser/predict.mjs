// Predict, then reveal: no answer before it is given, a score, a worksheet.
import { assert, closed, opened, press, step, withBrowser } from "./browser.mjs";

await withBrowser({
  "a question stops the run, hides what follows, and is answered by what happens": async (browser) => {
    const page = await opened(browser, { hash: "#step-0" });
    await press(page, "p");
    for (let i = 0; i < 90 && !(await page.locator(".answers").isVisible()); i++) await press(page, "ArrowRight");
    const at = await step(page);
    assert.ok(at > 0);
    assert.equal(await page.locator("#list .event").count(), at + 1, "later events are not in the list");
    for (const id of ["crash", "rule", "compare", "lookup"]) assert.equal(await page.locator(`#${id}`).isVisible(), false, id);
    await press(page, "ArrowRight", "End", "]");
    await page.locator("#slider").fill("80");
    assert.equal(await step(page), at, "no way around it");
    const asked = await page.locator("#question").innerHTML();
    assert.doesNotMatch(asked, /class="answer (right|wrong)|answer-text/);
    assert.equal(await page.locator("#reveal").isDisabled(), true);
    await press(page, "1");
    assert.equal(await page.locator("#reveal").isDisabled(), true, "a reason is wanted as well");
    await press(page, "a", "Enter");
    assert.equal(await page.locator(".answer.right").count(), 2);
    assert.match(await page.locator(".question-head").innerText(), /[01] of 1 right/);
    await press(page, "Enter");
    assert.ok((await step(page)) >= at);
    await press(page, "p");
    assert.equal(await page.locator("#question").isVisible(), false);
    await closed(page);
  },
  "every question can be answered": async (browser) => {
    const page = await opened(browser, { hash: "#step-0" });
    await press(page, "p");
    let asked = 0;
    for (let i = 0; i < 400 && !/All questions/.test(await page.locator("#question").innerText().catch(() => "")); i++) {
      if (!(await page.locator("#question").isVisible())) {
        await press(page, "ArrowRight");
        continue;
      }
      asked++;
      const [what, because] = await page.evaluate(async () => {
        const list = [...document.querySelectorAll(".answer")];
        return [list.filter((own) => own.dataset.kind === "what").length, list.filter((own) => own.dataset.kind === "because").length];
      });
      assert.ok(what >= 2 && because === 3, `${what} ${because}`);
      await press(page, "2", "b", "Enter");
      assert.equal(await page.locator(".answer.right").count(), 2);
      assert.ok((await page.locator(".answer-text").innerText()).length > 10);
      await press(page, "Enter");
    }
    assert.ok(asked >= 8, `${asked} questions`);
    assert.match(await page.locator("#question").innerText(), /All questions are answered: \d of \d+ right/);
    await closed(page);
  },
  "questions are a text and a worksheet with its key": async (browser) => {
    const page = await opened(browser, { hash: "#step-0" });
    await page.evaluate(() => (globalThis.print = () => (globalThis.printed = document.getElementById("paper").innerText || document.getElementById("paper").textContent)));
    await press(page, "p");
    for (let i = 0; i < 90 && !(await page.locator("#export").isVisible()); i++) await press(page, "ArrowRight");
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("#export")]);
    assert.equal(file.suggestedFilename(), "lecture-questions.txt");
    await page.click("#worksheet");
    const printed = await page.evaluate(() => globalThis.printed);
    assert.match(printed, /Worksheet/);
    assert.match(printed, /Key/);
    await closed(page);
  },
  "in Chinese as well": async (browser) => {
    const page = await opened(browser, { file: "lecture-zh.html", hash: "#step-0" });
    await press(page, "p");
    for (let i = 0; i < 90 && !(await page.locator(".answers").isVisible()); i++) await press(page, "ArrowRight");
    const text = (await page.locator("#question").innerText()).replace(/\b[a-f1-6]\b/g, "");
    assert.match(text, /[\u4e00-\u9fff]/);
    assert.doesNotMatch(text, /[A-Za-z]{3,}/);
    await closed(page);
  },
});
