// Opens the page that explains in headless Chromium, light, dark and narrow, and checks that it
// works: nothing in the console, no request, marks in each drawing, and what each control does.
//
//     node page.mjs CHROMIUM PLAYWRIGHT [--screenshots FOLDER] PAGE
//
// CHROMIUM is the program, and PLAYWRIGHT the folder of the package playwright-core.

import assert from "node:assert/strict";
import path from "node:path";

import { launch, open } from "../../../scripts/browser.mjs";

const [program, playwright, ...rest] = process.argv.slice(2);
const folder = rest[0] === "--screenshots" ? rest.splice(0, 2)[1] : null;
const file = rest[0];

const SOLVERS = ["kruskal", "prim-binary", "boruvka"];

const marks = (page, selector) => page.locator(selector).count();
const kept = (page, solver) =>
  page.$$eval(`#panel-${solver} .e`, (lines) =>
    lines.flatMap((line, edge) => (line.classList.contains("kept") ? [edge] : [])).join(),
  );

async function drawings(page) {
  for (const plot of ["#panel-kruskal", "#panel-prim-binary", "#panel-boruvka", "#map", "#dendrogram"]) {
    const count = await marks(page, `${plot} :is(line, path)`);
    assert.ok(count > 20, `${plot} has ${count} marks`);
  }
  assert.equal(await marks(page, ":is(.panel, #map) .water"), 4, "each map of a city has its river");
}

async function steps(page) {
  const total = Number(await page.getAttribute("#step", "max"));
  await page.click("#first");
  assert.equal(await page.innerText("#step-text"), `0 of ${total} edges kept`);
  assert.equal(await marks(page, ".e.kept"), 0);
  await page.click("#forward");
  await page.keyboard.press("ArrowRight");
  for (const solver of SOLVERS) assert.equal(await marks(page, `#panel-${solver} .e.kept`), 2, solver);
  await page.click("#back");
  assert.equal(await marks(page, "#panel-kruskal .e.kept"), 1);
  await page.click("#round");
  assert.match(await page.innerText("#panel-boruvka .now"), /Round 1/);
  await page.click("#forward");
  assert.match(await page.innerText("#panel-boruvka .now"), /Round 2/);
  await page.fill("#step", String(Math.floor(total / 2)));
  const halves = await Promise.all(SOLVERS.map((solver) => kept(page, solver)));
  assert.equal(new Set(halves).size, 3, "the solvers keep edges in different orders");
  await page.click("#last");
  const forests = await Promise.all(SOLVERS.map((solver) => kept(page, solver)));
  assert.equal(new Set(forests).size, 1, "the solvers find one forest");
  assert.equal(forests[0].split(",").length, total);
  await page.keyboard.press("p");
  await page.waitForFunction(() => document.getElementById("step").value > 1);
  await page.keyboard.press("p");
  const paused = await page.inputValue("#step");
  await page.waitForTimeout(500);
  assert.equal(await page.inputValue("#step"), paused, "a pause stops the steps");
}

// Prim's tree starts where the reader says, and becomes the same forest.
async function start(page) {
  await page.click("#first");
  await page.selectOption("#start", "7");
  assert.equal(await marks(page, "#panel-prim-binary .v.start"), 1);
  await page.click("#forward");
  const first = await kept(page, "prim-binary");
  const ends = await page.evaluate((edge) => scene.edges[edge].slice(0, 2), Number(first));
  assert.ok(ends.includes(7), "the first edge leaves the start");
  await page.click("#last");
  assert.equal(await kept(page, "prim-binary"), await kept(page, "kruskal"));
  await page.selectOption("#start", "0");
  await page.click("#back"); // the next test goes to the end
}

// Clicks on the middle of a line of a panel.
async function clickOn(page, panel, kind) {
  const line = page.locator(`${panel} .e.${kind}`).first();
  await line.scrollIntoViewIfNeeded();
  const [x, y] = await line.evaluate((one) => {
    const middle = (a, b) => (one[a].baseVal.value + one[b].baseVal.value) / 2;
    const at = new DOMPoint(middle("x1", "x2"), middle("y1", "y2")).matrixTransform(one.getScreenCTM());
    return [at.x, at.y];
  });
  await page.mouse.click(x, y);
}

async function cycles(page) {
  await page.click("#last");
  for (const solver of SOLVERS) {
    const panel = `#panel-${solver}`;
    await clickOn(page, panel, "rejected");
    assert.equal(await marks(page, `${panel} .e.asked`), 1, solver);
    const length = await marks(page, `${panel} .e.path`);
    assert.ok(length >= 1, solver);
    assert.equal(await marks(page, `${panel} .e.heaviest`), 1, solver);
    assert.match(await page.innerText("#why-text"), new RegExp(`closes a cycle of ${length + 1} edges.*cycle property`));
    // The close-up has each edge of the cycle with its weight.
    assert.equal(await marks(page, "#close-up :is(.e.asked, .e.path)"), length + 1, solver);
    assert.ok((await marks(page, "#close-up .tag")) >= 2, solver);
  }
  await clickOn(page, "#panel-kruskal", "kept");
  assert.match(await page.innerText("#why-text"), /cut property/);
  assert.ok(!(await page.isVisible("#close-up")));
  await page.focus("#panel-kruskal svg");
  await page.keyboard.press("ArrowDown");
  const first = await page.innerText("#why-text");
  await page.keyboard.press("ArrowDown");
  assert.match(first, /closes a cycle/);
  assert.notEqual(await page.innerText("#why-text"), first, "keys choose edges");
  await page.keyboard.press("Escape");
  assert.equal(await marks(page, ".e.asked"), 0);
}

// The number of clusters that the text says and that the drawings show, and their colors.
function shownClusters() {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const bars = new Set(all("#dendrogram .d").map((bar) => bar.dataset.cluster));
  bars.delete("");
  const hues = (colors) => new Set(colors.filter((color) => color && !color.includes("--idle"))).size;
  return {
    text: parseInt(document.getElementById("threshold-text").value.split("·")[1]),
    map: new Set(all("#map .v").map((dot) => dot.dataset.cluster)).size,
    dendrogram: bars.size,
    mapHues: hues(all("#map .v").map((dot) => dot.style.fill)),
    barHues: hues(all("#dendrogram .d").map((bar) => bar.style.stroke)),
  };
}

async function clusters(page) {
  const seen = new Set();
  for (const value of ["0", "250", "500", "1000"]) {
    await page.fill("#threshold", value);
    const found = await page.evaluate(shownClusters);
    assert.equal(found.map, found.text, value);
    assert.equal(found.dendrogram, found.text, value);
    assert.equal(found.mapHues, found.barHues, value);
    seen.add(found.text);
  }
  assert.ok(seen.size === 4 && seen.has(1), [...seen].join());
  await page.locator("#dendrogram").scrollIntoViewIfNeeded();
  const box = await page.locator("#dendrogram").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height * 0.1];
  await page.mouse.move(x, y);
  await page.mouse.down();
  const before = await page.evaluate(shownClusters);
  await page.mouse.move(x, box.y + box.height * 0.8, { steps: 4 });
  await page.mouse.up();
  const after = await page.evaluate(shownClusters);
  assert.ok(after.text > before.text && after.map === after.text, "the line can be dragged");
  await page.focus("#threshold");
  await page.keyboard.press("End");
  assert.equal((await page.evaluate(shownClusters)).text, 1);
}

// Drops a file, and waits until the page has answered.
async function drop(page, table) {
  await page.evaluate(async (text) => {
    const parts = ["summary", "question", "error"].map((id) => document.getElementById(id));
    const answered = new Promise((resolve) => {
      const watch = new MutationObserver(resolve);
      parts.forEach((part) => watch.observe(part, { childList: true }));
    });
    const data = new DataTransfer();
    data.items.add(new File([text], "table.csv", { type: "text/csv" }));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    await answered;
  }, table);
}

async function tables(page) {
  await drop(page, "x,y\n0,0\n4,1\n2,3\n9,9\n");
  assert.match(await page.innerText("#summary"), /^4 vertices, /);
  assert.equal(await marks(page, ":is(.panel, #map) .water"), 0, "only a city has a river");
  await drop(page, "from,to,km,lanes\nA,B,5,1\nB,C,3,2\nA,C,9,4\n");
  assert.match(await page.innerText("#question"), /Which column is the weight\?/);
  await page.click("#question button >> text=km");
  assert.match(await page.innerText("#summary"), /^3 vertices, 3 edges/);
  assert.ok(!(await page.isVisible("#question")));
  assert.deepEqual(await page.locator("#map .name").allTextContents(), ["A", "B", "C"]);
  assert.deepEqual((await page.locator("#panel-kruskal .tag:not(.name)").allTextContents()).sort(), ["3", "5", "9"]);
  await page.click("#link");
  const [address, summary] = [page.url(), await page.innerText("#summary")];
  assert.match(address, /#%7B%22table/);
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  assert.equal(await page.innerText("#summary"), summary, "a link holds the graph and the answers");
  await drop(page, `x,y\n${"1,2\n".repeat(2000)}`);
  await page.click("#link");
  assert.match(await page.innerText("#error"), /a link 8,000 at most/);
  assert.equal(page.url(), address);
  await drop(page, "from,to,km\nA,B,5\nB,C,3\nA,C,9\n");
  await page.click("#last");
  await clickOn(page, "#panel-prim-binary", "rejected");
  assert.match(await page.innerText("#why-text"), /closes a cycle of 3 edges/);
  await page.fill("#text", "1,2,3\n2,3,4\n");
  await page.click("#use");
  assert.match(await page.innerText("#question"), /points or edges/);
  await page.click("#question button >> text=edges");
  assert.match(await page.innerText("#summary"), /total weight 7\./);
  const faults = [
    ["x,y\n1,2\n3\n", "Line 3 has"],
    ["x,y\n-1e308,0\n1e308,0\n", "The weights are too large"],
    ["", "The file has no lines with data."],
    ["source,target,weight\na,b,1\na,b,2,5\n", "Line 3 has"],
  ];
  for (const [table, words] of faults) {
    await drop(page, table);
    assert.ok((await page.innerText("#error")).includes(words), table);
  }
  // Drawings without extent, and scales at which numbers are rounded.
  const odd = ["x,y\n0,0\n", "x,y\n1,1\n1,1\n", "u,v,weight\na,a,1\n", "u,v,weight\na,b,0\nb,c,-5\na,c,-5\n",
    "u,v,weight\na,b,-1e16\n", "u,v,weight\na,b,1e300\nb,c,1e-300\na,c,2\n"];
  for (const table of odd) {
    await drop(page, table);
    assert.match(await page.innerText("#summary"), /^[1-3] vert.*verifier confirms/, table);
    const places = await page.$$eval("svg :is(line, circle, path, text)", (all) => all.map((one) => one.outerHTML).join());
    assert.ok(!/NaN|Infinity/.test(places), table);
  }
  await page.selectOption("#size", "80");
  assert.match(await page.innerText("#summary"), /^80 vertices/);
  assert.ok(!(await page.isVisible("#error")));
}

// The tests of all controls in one window. Returns what depends on the reader's settings.
async function check(browser, settings) {
  const { page, troubles } = await open(browser, file, settings);
  await page.waitForSelector("body[data-ready]", { timeout: 20_000 });
  if (folder) {
    await page.focus("#panel-prim-binary svg");
    for (let times = 0; times < 4; times += 1) await page.keyboard.press("ArrowUp");
    await page.waitForTimeout(300);
    const name = path.join(folder, `explain-${settings.colorScheme}-${settings.viewport.width}`);
    await page.screenshot({ path: `${name}.png`, fullPage: true });
    await page.locator("#steps").screenshot({ path: `${name}-steps.png` });
  }
  for (const test of [drawings, steps, start, cycles, clusters, tables]) await test(page);
  const found = await page.evaluate(() => ({
    paper: getComputedStyle(document.documentElement).backgroundColor,
    motion: parseFloat(getComputedStyle(document.querySelector(".e")).transitionDuration),
    wide: document.documentElement.scrollWidth > innerWidth,
  }));
  assert.ok(!found.wide, `the page is wider than ${settings.viewport.width}`);
  assert.deepEqual(troubles, []);
  await page.context().close();
  return found;
}

const browser = await launch(program, playwright);
try {
  const [wide, narrow] = [{ width: 1280, height: 800 }, { width: 390, height: 800 }];
  const light = await check(browser, { colorScheme: "light", viewport: wide });
  const dark = await check(browser, { colorScheme: "dark", viewport: wide, reducedMotion: "reduce" });
  await check(browser, { colorScheme: "light", viewport: narrow, hasTouch: true });
  assert.notEqual(light.paper, dark.paper, "dark mode has the paper of light mode");
  assert.ok(light.motion > 0 && dark.motion === 0, "motion is reduced if the reader wants it");
  console.log(`the page that explains works in Chromium ${browser.version()}: steps, start, cycles, clusters, tables`);
} finally {
  await browser.close();
}
