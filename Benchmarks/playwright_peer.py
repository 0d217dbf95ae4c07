"""What `capture-figures` is compared with: a warm Chromium, driven by Playwright as its documentation shows.

    playwright_peer.py CHROMIUM

Prints `ready` with Playwright's version, then runs one job for each line on standard input, until it ends:

    png URL [FILE]      a full-page picture, which is written to the file
    png+pdf URL         the same, and a PDF of the same load

Answers each with `ok`, the milliseconds that it took and the bytes that it made, or with `failed` and the reason. A job
makes a context with a page, and closes the context; both are part of its time. Writing the file isn't.
"""

import sys
import time
from importlib.metadata import version
from pathlib import Path

from playwright.sync_api import Browser, Error, sync_playwright

# The viewport of Meanwhile's captures, so that both draw the same.
VIEWPORT = {"width": 1280, "height": 800}
# What a script waits for that knows the page, by the end of the address. The other pages are complete when they have
# loaded, except for what loads lazily.
SELECTORS = {"/dashboard.html": "#status.complete"}


def capture(browser: Browser, job: str, url: str) -> list[bytes]:
    context = browser.new_context(viewport=VIEWPORT)
    try:
        page = context.new_page()
        page.goto(url)
        for end, selector in SELECTORS.items():
            if url.endswith(end):
                page.wait_for_selector(selector)
        made = [page.screenshot(full_page=True)]
        if job == "png+pdf":
            made.append(page.pdf(print_background=True, tagged=True))
        return made
    finally:
        context.close()


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=sys.argv[1], chromium_sandbox=True)
        print(f"ready {version('playwright')}", flush=True)
        for line in sys.stdin:
            job, url, *file = line.split()
            start = time.perf_counter()
            try:
                made = capture(browser, job, url)
            except Error as error:
                print("failed", " ".join(str(error).split()), flush=True)
            else:
                milliseconds = (time.perf_counter() - start) * 1000
                for path in file:
                    Path(path).write_bytes(made[0])
                print("ok", milliseconds, sum(map(len, made)), flush=True)
        browser.close()


main()
