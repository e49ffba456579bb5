// The player: every key and button, every way to a step, both languages.
import { assert, closed, last, opened, press, seen, step, withBrowser } from "./browser.mjs";

await withBrowser({
  "a story begins with its first moment": async (browser) => {
    const page = await opened(browser);
    assert.equal(await page.evaluate(() => location.hash), "#moment-before");
    assert.equal(await page.locator("#moment").innerText(), "before the trigger");
    await closed(page);
  },
  "next and previous are exact inverses, and every step has one picture": async (browser) => {
    const page = await opened(browser, { hash: "#step-0" });
    const n = await last(page);
    const on = [];
    for (let i = 0; i <= n; i++) {
      assert.equal(await step(page), i);
      on.push(await seen(page));
      await press(page, "ArrowRight");
    }
    assert.equal(await step(page), n, "the end is the end");
    for (let i = n; i >= 0; i--) {
      assert.equal(await seen(page), on[i], `step ${i} on the way back`);
      await press(page, "ArrowLeft");
    }
    await closed(page);
  },
  "500 random ways end on the bytes that the direct link gives": async (browser) => {
    const page = await opened(browser);
    let dice = 1;
    const draw = (n) => (dice = (dice * 48271) % 2147483647) % n;
    const keys = ["ArrowRight", "ArrowLeft", "PageDown", "PageUp", "Home", "End", "[", "]", "g"];
    for (let i = 0; i < 500; i++) {
      for (let n = 1 + draw(4); n > 0; n--) {
        const way = draw(13);
        if (way < keys.length) await press(page, keys[way]);
        else if (way === 9) await press(page, ...String(draw(90)), "Enter");
        else if (way === 10) await page.evaluate((n) => document.querySelectorAll(".pin")[n]?.click(), draw(8));
        else if (way === 11) await page.locator("#slider").fill(String(draw(80)));
        else {
          await page.evaluate((hash) => (location.hash = hash), `#crash-at-${10 + draw(60)}-${["sum-even", "sink-odd", "numbers-blue"][draw(3)]}`);
          await page.waitForTimeout(5);
        }
      }
      const shown = await seen(page);
      const hash = JSON.parse(shown).hash;
      if (i % 5 === 0) {
        const fresh = await opened(browser, { hash });
        assert.equal(await seen(fresh), shown, `way ${i}, ${hash}`);
        await closed(fresh);
      } else {
        await page.evaluate(() => (location.hash = "#step-0"));
        await page.waitForTimeout(3);
        await page.evaluate((hash) => (location.hash = hash), hash);
        await page.waitForFunction((hash) => document.getElementById("link").textContent === hash, hash);
        assert.equal(await seen(page), shown, `way ${i}, ${hash}`);
      }
    }
    await closed(page);
  },
  "buttons do what their keys do": async (browser) => {
    const page = await opened(browser, { hash: "#step-20" });
    await page.click("#next");
    assert.equal(await step(page), 21);
    await page.click("#previous");
    assert.equal(await step(page), 20);
    await page.click('[data-grain="moment"]');
    await page.click("#next");
    assert.equal(await page.evaluate(() => location.hash), "#moment-before");
    await page.click("#list [data-step='40']");
    assert.equal(await step(page), 40);
    for (const id of ["tab-gantt", "tab-ledger", "tab-spacetime"]) {
      await page.click(`#${id}`);
      assert.equal(await page.locator(`#${id.replace("tab", "panel")}`).isVisible(), true);
    }
    await page.click("#theme");
    assert.equal(await page.evaluate(() => document.documentElement.classList.contains("dark")), true);
    await press(page, "t");
    assert.equal(await page.evaluate(() => document.documentElement.classList.contains("dark")), false);
    await page.click('[data-language="zh"]');
    assert.equal(await page.locator("#next").innerText().then((text) => text.includes("下一步")), true);
    await press(page, "l");
    assert.equal(await page.locator("#next").innerText().then((text) => text.includes("Next")), true);
    await page.click("#help");
    assert.equal(await page.locator("#dialog").isVisible(), true);
    await press(page, "Escape");
    assert.equal(await page.locator("#dialog").isVisible(), false);
    await press(page, "?", "Escape", "n");
    assert.match(await page.locator("#dialog").innerText(), /lecture’s|lecture's/);
    await press(page, "Escape");
    await closed(page);
  },
  "a number and Enter go to that step": async (browser) => {
    const page = await opened(browser, { hash: "#step-3" });
    await press(page, "4", "8", "Enter");
    assert.equal(await step(page), 48);
    await press(page, "9", "9", "9", "Enter");
    assert.equal(await step(page), await last(page));
    await press(page, "Home");
    assert.equal(await step(page), 0);
    assert.equal(await page.locator("#previous").isDisabled(), true);
    await closed(page);
  },
  "the search finds, goes to the first hit, and lets go": async (browser) => {
    const page = await opened(browser, { hash: "#step-0" });
    await press(page, "/");
    await page.keyboard.type("4 → 8");
    const hits = await page.locator("#list .event:not([hidden])").count();
    assert.ok(hits >= 1 && hits < 10, `${hits} hits`);
    await press(page, "Enter");
    assert.match(await page.locator("#sentence").innerText(), /4\s→\s8/);
    await page.fill("#search", "no such thing");
    assert.equal(await page.locator("#no-hit").isVisible(), true);
    await press(page, "Escape");
    assert.ok((await page.locator("#list .event:not([hidden])").count()) > 50);
    assert.equal(await page.evaluate(() => document.activeElement.id), "");
    await closed(page);
  },
  "it plays only when asked, and stops at any other hand and at the end": async (browser) => {
    const page = await opened(browser, { hash: "#step-10" });
    await page.waitForTimeout(1300);
    assert.equal(await step(page), 10, "never by itself");
    await page.selectOption("#pace", "0.5");
    await page.locator("#stage").click({ position: { x: 5, y: 5 } });
    await press(page, " ");
    await page.waitForFunction(() => Number(document.getElementById("step").textContent) > 11, null, { timeout: 4000 });
    await press(page, "ArrowLeft");
    const stopped = await step(page);
    await page.waitForTimeout(900);
    assert.equal(await step(page), stopped);
    await press(page, "End", "ArrowLeft", " ");
    await page.waitForFunction(() => document.getElementById("next").disabled, null, { timeout: 3000 });
    assert.equal(await page.locator("#play").getAttribute("aria-label"), "Play");
    await closed(page);
  },
  "nothing moves when the caption grows": async (browser) => {
    for (const size of [{ width: 1280, height: 720 }, { width: 1920, height: 1080 }]) {
      const page = await opened(browser, { hash: "#step-0", viewport: size });
      const place = () => page.evaluate(() => JSON.stringify([...document.querySelectorAll("#next, #frame, #slider, #rail")].map((own) => { const { x, y, width, height } = own.getBoundingClientRect(); return [x, y, width, height].map(Math.round); })));
      const first = await place();
      for (let i = 0; i < (await last(page)); i++) {
        await press(page, "ArrowRight");
        assert.equal(await place(), first, `step ${i}`);
      }
      const fits = await page.evaluate(() => [document.getElementById("transport").getBoundingClientRect().bottom, innerHeight]);
      assert.ok(fits[0] <= fits[1], `header to transport fit into ${size.width}: ${fits}`);
      await closed(page);
    }
  },
  "on the full screen nothing of a sentence is cut": async (browser) => {
    for (const size of [{ width: 1280, height: 720 }, { width: 1920, height: 1080 }]) {
      const page = await opened(browser, { hash: "#moment-before", viewport: size });
      await press(page, "f");
      await page.waitForFunction(() => document.body.classList.contains("full"));
      for (let i = 0; i < 8; i++) {
        const [own, room, bottom] = await page.evaluate(() => { const box = document.getElementById("caption"); return [box.scrollHeight, box.clientHeight, document.getElementById("transport").getBoundingClientRect().bottom]; });
        assert.ok(own <= room && bottom <= size.height + 1, `moment ${i}: ${own} in ${room}, down to ${bottom}`);
        await press(page, "]");
      }
      await closed(page);
    }
  },
  "slider, space-time and Gantt have a step at the same place": async (browser) => {
    for (const [file, hash] of [["lecture.html", ""], ["lecture-zh.html", ""], ["lecture.html", "#crash-at-48-sum-even"], ["large.html", ""]]) {
      for (const size of [{ width: 1280, height: 720 }, { width: 1920, height: 1080 }]) {
        const page = await opened(browser, { file, hash: hash || "#step-0", viewport: size });
        const n = await last(page);
        let before = -1;
        for (let at = 0; at <= n; at += Math.max(1, Math.floor(n / 40))) {
          await page.evaluate(([hash, at]) => {
            location.hash = hash ? `${hash}-step-${at}` : `#step-${at}`;
            dispatchEvent(new Event("hashchange"));
          }, [hash && at > 48 ? hash : "", at]);
          if (hash && at <= 48) continue;
          const places = [];
          for (const tab of ["spacetime", "gantt"]) {
            await page.click(`#tab-${tab}`);
            places.push(await page.evaluate((tab) => {
              const line = document.querySelector(`#panel-${tab} [data-diagram=${tab}] .cursor path`);
              return line ? line.getBoundingClientRect().x + line.getBoundingClientRect().width / 2 : null;
            }, tab));
          }
          const thumb = await page.evaluate(() => { const box = document.getElementById("thumb").getBoundingClientRect(); return box.x + box.width / 2; });
          const long = file === "large.html";
          assert.ok(Math.abs(places[1] - thumb) < 1.5 && (long || Math.abs(places[0] - thumb) < 1.5), `${file} ${hash}, step ${at}: ${places} and ${thumb}`);
          assert.ok(thumb > before, `step ${at} is right of the one before`);
          before = thumb;
        }
        await closed(page);
      }
    }
  },
  "a click in a diagram or on the slider’s track goes to that step": async (browser) => {
    const page = await opened(browser, { hash: "#step-60" });
    for (const tab of ["spacetime", "gantt"]) {
      await page.click(`#tab-${tab}`);
      for (const at of [60, 33, 88]) {
        await press(page, ...String(at), "Enter");
        const [x, y] = await page.evaluate((tab) => {
          const svg = document.querySelector(`#panel-${tab} [data-diagram=${tab}]`);
          svg.scrollIntoView({ block: "center" });
          const line = svg.querySelector(".cursor path").getBoundingClientRect();
          return [line.x, line.y + line.height / 2];
        }, tab);
        await press(page, "Home");
        assert.equal(await step(page), 0);
        await page.mouse.click(x, y);
        assert.equal(await step(page), at, `${tab}, step ${at}`);
      }
    }
    await page.evaluate(() => scrollTo(0, 0));
    const box = await page.locator("#thumb").boundingBox();
    await press(page, "Home");
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    assert.equal(await step(page), 88);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x - 300, box.y + 5, { steps: 4 });
    await page.mouse.up();
    assert.ok((await step(page)) < 80, "the track can be dragged");
    assert.equal(await page.evaluate(() => document.activeElement.id), "slider");
    const at = await step(page);
    await press(page, "ArrowLeft");
    assert.equal(await step(page), at - 1, "and has keys");
    await closed(page);
  },
  "no word of the other language is left on the page": async (browser) => {
    const page = await opened(browser, { file: "lecture-zh.html", hash: "#step-48" });
    const english = await page.evaluate(() => {
      const out = [];
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const own = node.parentElement;
        if (own.closest("script, style, noscript, code, kbd, [hidden], option") || !own.getClientRects().length) continue;
        const words = node.textContent.replace(/JobManager|\bEN\b|\bms\b|µs/g, "").match(/[A-Za-z]{2,}/g);
        if (words) out.push(...words);
      }
      return [...new Set(out)];
    });
    assert.deepEqual(english, []);
    for (let i = 0; i < 40; i++) {
      await press(page, "ArrowRight");
      const text = await page.evaluate(() => document.getElementById("caption").innerText + document.getElementById("frame").textContent);
      assert.doesNotMatch(text.replace(/JobManager|[a-z]+\.[a-z.-]+|[a-z]+-[a-z-]+|ms/g, ""), /[A-Za-z]{3,}/);
    }
    await closed(page);
  },
});
