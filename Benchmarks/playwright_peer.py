"""What `capture-figures` is measured against: a warm Chromium, driven by Playwright as its documentation shows.

    playwright_peer.py CHROMIUM

Says `ready` with Playwright's version, then does one job for each line on standard input, until that ends:

    png URL         a full-page picture
    png+pdf URL     the same, and a PDF of the same load

and answers each with `ok`, the milliseconds that it took and the bytes that it made, or with `failed` and why. A job is a
context of its own with a page in it, from before the one is made until after it is closed.
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
