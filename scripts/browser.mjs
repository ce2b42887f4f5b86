// What the tests of pages share: a headless Chromium, and the things that no page may do.

import path from "node:path";
import { pathToFileURL } from "node:url";

const quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];

// Starts Chromium. `program` is its path, and `playwright` the folder of the package playwright-core.
export async function launch(program, playwright) {
  const { chromium } = await import(pathToFileURL(path.resolve(playwright, "index.mjs")));
  return chromium.launch({
    executablePath: program,
    args: ["--no-sandbox", "--disable-component-update", "--disable-sync", ...quiet],
  });
}

// Opens a file in a new window. `troubles` collects messages in the console, errors and requests.
export async function open(browser, file, settings) {
  const context = await browser.newContext(settings);
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) troubles.push(`request for ${request.url()}`);
  });
  await page.goto(pathToFileURL(path.resolve(file)).href);
  return { page, troubles };
}
