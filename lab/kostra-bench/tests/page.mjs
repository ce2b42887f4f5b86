// Opens pages of `kostra-bench report` in headless Chromium, in light and in dark mode, and checks
// that they work: nothing in the console, no request, a mark for each value of each plot, tables
// that a click or a key sorts, legible colors, no overlapping titles.
//
//     node page.mjs CHROMIUM PLAYWRIGHT [--screenshots FOLDER] PAGE...
//
// CHROMIUM is the program, and PLAYWRIGHT the folder of the package playwright-core.

import assert from "node:assert/strict";
import path from "node:path";

import { launch, open } from "../../../scripts/browser.mjs";

const [program, playwright, ...rest] = process.argv.slice(2);
const folder = rest[0] === "--screenshots" ? rest.splice(0, 2)[1] : null;

// The shapes of a plot that have an extent, and what else the page must keep.
function inspect() {
  const visible = (mark) => mark.getBBox().width > 0 || mark.getBBox().height > 0;
  const figures = [...document.querySelectorAll("figure")].map((figure) => ({
    id: figure.id,
    wanted: Number(figure.dataset.marks),
    found: [...figure.querySelectorAll("rect, circle, polygon")].filter(visible).length,
    cut: [...figure.querySelectorAll("text")].some((text) => {
      if (!text.textContent.trim()) return false;
      const [inner, outer] = [text, text.ownerSVGElement].map((one) => one.getBoundingClientRect());
      return inner.right > outer.right + 1 || inner.left < outer.left - 1;
    }),
  }));
  const luminance = (color) => {
    const parts = color.match(/\d+/g).slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const paper = getComputedStyle(document.body).backgroundColor;
  const inks = [...document.querySelectorAll("h2, p, td, figcaption, a")].map(
    (element) => getComputedStyle(element).color,
  );
  const labels = [...document.querySelectorAll("svg text")].map((text) => getComputedStyle(text).fill);
  const least = Math.min(...[...new Set([...inks, ...labels])].map((ink) => contrast(ink, paper)));
  return { figures, paper, least, wide: document.documentElement.scrollWidth > innerWidth };
}

const numbers = (table, column) =>
  [...table.tBodies[0].rows]
    .map((row) => row.cells[column].dataset.v)
    .filter((value) => value !== undefined)
    .map(Number);

// Sorts each table by its last column of numbers, up by a click and down by a key.
async function sortTables(page) {
  let sorted = 0;
  for (const table of await page.$$("table")) {
    const column = await table.evaluate((one) =>
      [...(one.tBodies[0].rows[0]?.cells ?? [])].findLastIndex((cell) => cell.dataset.v),
    );
    if (column < 0) continue;
    const head = (await table.$$("th"))[column];
    const button = await head.$("button");
    const before = await table.evaluate(numbers, column);
    const ascending = before.toSorted((a, b) => a - b);
    await button.click();
    assert.deepEqual(await table.evaluate(numbers, column), ascending, "a click sorts");
    assert.equal(await head.getAttribute("aria-sort"), "ascending");
    await button.press("Enter");
    assert.deepEqual(await table.evaluate(numbers, column), ascending.toReversed(), "Enter reverses");
    sorted += 1;
  }
  return sorted;
}

async function check(browser, file, colorScheme) {
  const viewport = { width: 1100, height: 900 };
  const { page, troubles } = await open(browser, file, { colorScheme, viewport });
  const found = await page.evaluate(inspect);
  for (const { id, wanted, found: marks, cut } of found.figures) {
    assert.ok(wanted > 0 && marks > wanted, `${id}: ${marks} shapes for ${wanted} marks`);
    assert.ok(!cut, `${id}: a text is cut off`);
  }
  assert.ok(found.least >= 4.5, `${file}, ${colorScheme}: a contrast is ${found.least}`);
  assert.ok(!found.wide, `${file} is wider than the window`);
  const tables = await sortTables(page);
  if (folder) {
    const name = path.basename(file, ".html");
    await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}.png`), fullPage: true });
  }
  assert.deepEqual(troubles, [], file);
  await page.context().close();
  return { plots: found.figures.length, tables, paper: found.paper };
}

const browser = await launch(program, playwright);
try {
  let [plots, tables] = [0, 0];
  for (const file of rest) {
    const light = await check(browser, file, "light");
    const dark = await check(browser, file, "dark");
    assert.notEqual(light.paper, dark.paper, "dark mode has the paper of light mode");
    plots += light.plots;
    tables += light.tables;
  }
  assert.ok(plots > 0 && tables > 0, `${plots} plots, ${tables} tables`);
  console.log(`${plots} plots and ${tables} tables work in Chromium ${browser.version()}, light and dark`);
} finally {
  await browser.close();
}
