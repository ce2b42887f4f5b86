"""Opens a page of `kostra-bench report` in headless Chromium and checks that it works.

    python3 page.py PAGE [SCREENSHOT]

Needs the package playwright and a Chromium: that of `playwright install chromium`, or the program
that KOSTRA_CHROMIUM names. Says "skipped" if one of them is missing.
"""

import os
import pathlib
import sys

try:
    from playwright.sync_api import Error, sync_playwright
except ImportError:
    print("skipped: no playwright is installed")
    sys.exit(0)

COUNT_MARKS = """figure => [...figure.querySelectorAll("rect, circle, polygon")]
    .filter(mark => mark.getBBox().width > 0 || mark.getBBox().height > 0).length"""
NUMBERS = """(table, column) => [...table.tBodies[0].rows]
    .map(row => row.cells[column].dataset.v).filter(value => value !== undefined).map(Number)"""


def check(page, path):
    troubles, requests = [], []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.absolute().as_uri())
    assert not troubles, troubles
    outside = [url for url in requests if not url.startswith(("file:", "data:"))]
    assert not outside, outside

    figures = page.query_selector_all("figure")
    assert figures, "the page has no plot"
    for figure in figures:
        name, marks = figure.get_attribute("id"), int(figure.get_attribute("data-marks"))
        assert figure.evaluate(COUNT_MARKS) >= marks > 0, name

    for table in page.query_selector_all("table"):
        heads = table.query_selector_all("th")
        names = [head.inner_text().strip() for head in heads]
        if "median ms" not in names:
            continue
        column = names.index("median ms")
        before = table.evaluate(NUMBERS, column)
        heads[column].query_selector("button").click()
        assert table.evaluate(NUMBERS, column) == sorted(before), "one click sorts"
        assert heads[column].get_attribute("aria-sort") == "ascending"
        heads[column].query_selector("button").press("Enter")
        assert table.evaluate(NUMBERS, column) == sorted(before, reverse=True), "Enter reverses"
    return len(figures)


def main():
    path = pathlib.Path(sys.argv[1])
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=os.environ.get("KOSTRA_CHROMIUM"), args=["--no-sandbox"]
            )
        except Error as error:
            print("skipped: no Chromium:", str(error).splitlines()[0])
            return
        backgrounds = set()
        for scheme in ("light", "dark"):
            page = browser.new_page(color_scheme=scheme, viewport={"width": 1100, "height": 900})
            figures = check(page, path)
            backgrounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            if len(sys.argv) > 2:
                page.screenshot(path=f"{sys.argv[2]}-{scheme}.png", full_page=True)
        assert len(backgrounds) == 2, "dark mode has the colors of light mode"
        print(f"{figures} plots work in Chromium {browser.version}")
        browser.close()


main()
