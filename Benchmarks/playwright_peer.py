"""What `capture-figures` is compared with: a warm Chromium, driven by Playwright as its documentation shows.

    playwright_peer.py CHROMIUM

Prints `ready` with Playwright's version, then runs one job for each line on standard input, until it ends:

    png URL         a full-page picture
    png+pdf URL     the same, and a PDF of the same load

Answers each with `ok`, the milliseconds that it took and the bytes that it made, or with `failed` and the reason. A job
makes a context with a page, and closes the context; both are part of its time.
"""

import sys
import time
from importlib.metadata import version

from playwright.sync_api import Browser, Error, sync_playwright


def capture(browser: Browser, job: str, url: str) -> int:
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(url)
        made = len(page.screenshot(full_page=True))
        if job == "png+pdf":
            made += len(page.pdf(print_background=True, tagged=True))
        return made
    finally:
        context.close()


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=sys.argv[1], chromium_sandbox=True)
        print(f"ready {version('playwright')}", flush=True)
        for line in sys.stdin:
            job, url = line.split()
            start = time.perf_counter()
            try:
                made = capture(browser, job, url)
            except Error as error:
                print("failed", " ".join(str(error).split()), flush=True)
            else:
                print("ok", (time.perf_counter() - start) * 1000, made, flush=True)
        browser.close()


main()
