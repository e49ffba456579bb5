// What if: every crash of the lecture plays to its verdict; rules; comparison.
import { assert, closed, last, opened, press, seen, step, withBrowser } from "./browser.mjs";

await withBrowser({
  "every crash of the lecture plays to its verdict": async (browser) => {
    const page = await opened(browser, { hash: "#step-1" });
    const n = await last(page);
    const tasks = ["numbers-blue", "numbers-yellow", "sum-even", "sum-odd", "sink-even", "sink-odd"];
    let played = 0;
    for (let at = 1; at < n; at++) {
      for (const task of tasks) {
        const link = `#crash-at-${at}-${task}`;
        const found = await page.evaluate(([link, plays]) => {
          location.hash = "#step-0";
          dispatchEvent(new Event("hashchange"));
          location.hash = link;
          dispatchEvent(new Event("hashchange"));
          const first = document.getElementById("link").textContent;
          if (first !== link) return null;
          const of = Number(document.getElementById("of").textContent.replace(/\D/g, ""));
          let steps = 0;
          // Each is seen to its end; every ninth step's are walked there.
          if (!plays) {
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true }));
            steps = of - Number(first.match(/at-(\d+)/)[1]) - 1;
          }
          for (const next = document.getElementById("next"); !next.disabled; steps++) next.click();
          return { steps, of, at: Number(document.getElementById("step").textContent), sentence: document.getElementById("sentence").textContent, ledger: document.querySelectorAll("#panel-ledger tbody tr").length, verdicts: document.querySelectorAll(".verdict").length };
        }, [link, at % 9 === 0]);
        if (!found) continue;
        played++;
        assert.equal(found.at, found.of, link);
        assert.equal(found.steps, found.of - at - 1, link);
        assert.match(found.sentence, /^State: exactly once\. Output: /, link);
        assert.equal(found.ledger, 11, `${link}: eleven records`);
        assert.equal(found.verdicts, 2, link);
      }
    }
    assert.ok(played > 400, `${played} crashes`);
    console.log(`       ${played} crashes played to their end`);
    await closed(page);
  },
  "crash here leads into a branch, and back to the step it left": async (browser) => {
    const page = await opened(browser, { hash: "#step-66" });
    const before = await seen(page);
    await press(page, "c");
    assert.deepEqual(await page.locator("#menu [role=menuitem]").allInnerTexts().then((all) => all.map((text) => text.replace(/^✕\s*/, ""))), ["blue source", "yellow source", "sum(even)", "sum(odd)", "sink(even)", "sink(odd)"]);
    assert.match(await page.locator(".menu-foot").innerText(), /checkpoint 2/);
    await press(page, "ArrowDown", "ArrowDown", "Enter");
    assert.equal(await page.evaluate(() => location.hash), "#crash-at-66-sum-even");
    assert.match(await page.locator("#moment").innerText(), /sum\(even\) crashes after step 66/);
    assert.equal(await page.locator("#panel-ledger").isVisible(), true);
    await press(page, "ArrowRight", "ArrowRight", "Escape");
    assert.equal(await seen(page), before);
    await closed(page);
  },
  "the ledger’s numbers lead to their steps": async (browser) => {
    const page = await opened(browser, { hash: "#crash-at-79-sum-even-step-110" });
    const row = page.locator("#panel-ledger tbody tr").nth(3);
    assert.match(await row.innerText(), /blue.4/);
    assert.match(await row.locator("td").nth(0).innerText(), /^↻ 2/);
    assert.match(await row.locator("td").nth(1).innerText(), /^1/);
    assert.match(await row.locator("td").nth(2).innerText(), /^▲ 2/);
    await row.locator("td").nth(0).locator("a").nth(1).click();
    assert.match(await page.locator("#sentence").innerText(), /read blue.4/);
    await closed(page);
  },
  "the diagrams are those of the run that is shown": async (browser) => {
    const page = await opened(browser, { hash: "#crash-at-48-sum-even" });
    const own = () => page.locator("#panel-spacetime [data-diagram=spacetime]").evaluateAll((all) => all.map((svg) => svg.dataset.run));
    await page.click("#tab-spacetime");
    assert.deepEqual(await own(), ["crash-at-48-sum-even"]);
    assert.match(await page.locator("#panel-spacetime svg").getAttribute("aria-label"), /crash/);
    await page.click("#tab-gantt");
    assert.equal(await page.locator("#panel-gantt [data-diagram]").count(), 2);
    // A crash between two moments has none, says so, and names one that has.
    await page.evaluate(() => (location.hash = "#crash-at-50-sum-even"));
    await page.locator("#panel-spacetime, #panel-gantt, #panel-ledger").first().waitFor({ state: "attached" });
    await page.click("#tab-spacetime");
    assert.deepEqual(await own(), []);
    assert.match(await page.locator("#panel-spacetime").innerText(), /no diagrams of this very run/);
    await page.locator("#panel-spacetime [data-crash]").click();
    assert.match(await page.evaluate(() => location.hash), /^#crash-at-\d+-sum-even/);
    assert.equal((await own()).length, 1);
    // Beside this run as well.
    await page.evaluate(() => (location.hash = "#step-50"));
    await page.waitForFunction(() => document.getElementById("link").textContent === "#step-50");
    await press(page, "d");
    await page.locator("#menu [role=menuitem]", { hasText: "sum(even) crashes after step 50" }).click();
    assert.deepEqual(await own(), [""]);
    await page.locator("#panel-spacetime [data-crash]").click();
    assert.equal((await own()).length, 2);
    assert.match((await own())[1], /^crash-at-\d+-sum-even$/);
    assert.equal(await step(page), 50, "and nothing else has moved");
    // A rule that is broken, and a run beside this one.
    await page.evaluate(() => (location.hash = "#rule-process-after-first-barrier-step-60"));
    await page.waitForFunction(() => document.getElementById("link").textContent.startsWith("#rule-"));
    await page.click("#tab-spacetime");
    assert.deepEqual(await own(), ["rule-process-after-first-barrier"]);
    await press(page, "d");
    await page.locator("#menu [role=menuitem]", { hasText: "as it should be" }).click();
    assert.deepEqual(await own(), ["rule-process-after-first-barrier", ""]);
    assert.equal(await page.locator("#panel-spacetime .cursor path").count(), 2);
    await closed(page);
  },
  "the ledger’s sinks can be switched in place": async (browser) => {
    const page = await opened(browser, { hash: "#crash-at-79-sum-even-step-110" });
    const published = () => page.locator("#panel-ledger tbody td:last-child b").allInnerTexts();
    const read = () => page.locator("#panel-ledger tbody td:nth-child(2) b").allInnerTexts();
    assert.ok((await published()).some((text) => text === "▲ 2"));
    const before = await read();
    await page.click("#panel-ledger [data-sinks=other]");
    assert.deepEqual(new Set(await published()), new Set(["1"]));
    assert.deepEqual(await read(), before);
    assert.match(await page.locator(".verdict").nth(1).innerText(), /Output: exactly once/);
    assert.equal(await page.evaluate(() => document.activeElement.dataset.sinks), "other");
    await page.click("#panel-ledger [data-sinks=own]");
    assert.ok((await published()).some((text) => text === "▲ 2"));
    await closed(page);
    const other = await opened(browser, { file: "transactional.html", hash: "#step-90" });
    await other.click("#tab-ledger");
    await other.click("#panel-ledger [data-sinks=other]");
    assert.ok((await other.locator("#panel-ledger tbody td:last-child b").allInnerTexts()).some((text) => text === "▲ 2"), "at once, some are published twice");
    await closed(other);
  },
  "without alignment two records count twice": async (browser) => {
    const page = await opened(browser, { hash: "#step-50" });
    await press(page, "b");
    await page.locator("#menu [role=menuitem]", { hasText: /rocess after first barrier/ }).click();
    assert.match(await page.evaluate(() => location.hash), /^#rule-process-after-first-barrier/);
    await press(page, "End");
    assert.match(await page.locator("#sentence").innerText(), /State: 2 more than once/);
    const wrong = await page.locator("#panel-ledger td.wrong").allInnerTexts();
    assert.ok(wrong.some((text) => text.startsWith("▲ 2")), wrong.join());
    const rows = await page.locator("#panel-ledger tbody tr.wrong th").allInnerTexts();
    assert.ok(rows.some((text) => /blue.4/.test(text)) && rows.some((text) => /yellow.5/.test(text)), rows.join());
    await closed(page);
  },
  "two runs go in step, and what differs is marked": async (browser) => {
    const page = await opened(browser, { hash: "#step-49" });
    await press(page, "d");
    await page.locator("#menu [role=menuitem]", { hasText: "unaligned checkpoints" }).click();
    assert.equal(await page.locator("#other-box").isVisible(), true);
    assert.ok((await page.locator(".difference").count()) > 0);
    const first = page.locator("#differences a");
    const parted = Number((await first.innerText()).replace(/\D/g, ""));
    await first.click();
    assert.equal(await step(page), parted);
    assert.notEqual(await page.locator("#frame").innerHTML(), await page.locator("#other").innerHTML());
    await press(page, "ArrowLeft");
    assert.equal(await page.locator(".difference").count(), 0, "before that they are the same");
    await press(page, "Escape");
    assert.equal(await page.locator("#other-box").isVisible(), false);
    await closed(page);
  },
  "a page that left crashes out says so where they are missed": async (browser) => {
    const page = await opened(browser, { file: "large.html", hash: "#step-3" });
    await press(page, "c");
    assert.match(await page.locator("#menu").innerText(), /too large/);
    await press(page, "Escape");
    await closed(page);
  },
  "transactions publish once, whatever crashes": async (browser) => {
    const page = await opened(browser, { file: "transactional.html", hash: "#step-0" });
    await press(page, "End");
    await page.click("#tab-ledger");
    const published = await page.locator("#panel-ledger tbody td:last-child b").allInnerTexts();
    assert.deepEqual(new Set(published), new Set(["1"]));
    await closed(page);
  },
});
