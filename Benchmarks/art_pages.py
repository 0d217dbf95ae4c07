"""Measures EmojiArt's page: how soon others see a drag, how long it takes to open, and how often it draws."""

import itertools
import json
import math
import statistics
import time

from art_boards import CHOSEN, CROWD, add

def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


# --- From a drag in one browser to its drawing in another.

OPENED = "document.getElementById('stage')?.dataset.ready === ''"
# Shows the board at 100 %, where a pixel is a point.
SHOW_AT_FULL_SIZE = """
    import(document.querySelector("script[src$='/board.js']").src).then(async (module) => {
        window.board = await module.board;
        const { zoom, pan } = board.camera;
        board.model.setView(1, pan.x / zoom, pan.y / zoom);
    })
"""
# Records where each pointer event will move the emoji, and when it arrived: the listener runs before the page's own.
NOTE_MOVES = """
    (() => {
        const { model, stage, sync } = board;
        const { left, top } = stage.getBoundingClientRect();
        const onBoard = (clientX, clientY) => model.boardPoint([clientX - left, clientY - top]);
        const emoji = sync.art.emojis.get(%(emoji)s);
        const from = { x: emoji.x, y: emoji.y };
        const start = onBoard(%(x)s, %(y)s);
        window.moves = [];
        addEventListener("pointermove", ({ clientX, clientY }) => {
            const time = performance.timeOrigin + performance.now();
            const to = onBoard(clientX, clientY);
            moves.push([from.x + to[0] - start[0], from.y + to[1] - start[1], time]);
        }, { capture: true });
    })()
"""
# Records the emoji's position in each frame that redraws it. The page requests the frame first, so it draws first.
NOTE_FRAMES = """
    (() => {
        let isAsked = false;
        window.frames_ = [];
        board.sync.addEventListener("change", ({ detail }) => {
            if (isAsked || !detail.ids.includes(%(emoji)s)) return;
            isAsked = true;
            requestAnimationFrame(() => {
                isAsked = false;
                const { x, y } = board.sync.art.emojis.get(%(emoji)s);
                frames_.push([x, y, performance.timeOrigin + performance.now()]);
            });
        });
    })()
"""


def opened(browser, address):
    page = browser.page()
    page.open(address)
    page.wait(OPENED)
    page.run(SHOW_AT_FULL_SIZE)
    return page


def place_of(page, emoji):
    """The position of an emoji's middle in the window, in whole pixels."""
    return page.run(f"""
        (() => {{
            const {{ left, top }} = board.stage.getBoundingClientRect();
            const {{ origin, zoom }} = board.camera;
            const {{ x, y }} = board.sync.art.emojis.get({json.dumps(emoji)});
            return [Math.round(left + origin.x + x * zoom), Math.round(top + origin.y - y * zoom)];
        }})()
    """)


def paced(count, rate):
    """Yields numbers at a rate per second. A late one doesn't delay the next ones."""
    start = time.perf_counter()
    for number in range(count):
        time.sleep(max(0, start + number / rate - time.perf_counter()))
        yield number


def delays_of(moves, frames):
    """The delays from each move until the other page drew it or a later one, in milliseconds; and the number of draws.

    While a batch is being sent, the next moves are merged: a superseded move counts until a later one is drawn.
    """
    def key(x, y):
        return round(x, 2), round(y, 2)

    numbers = {key(x, y): number for number, (x, y, _) in enumerate(moves)}
    if len(numbers) < len(moves):
        raise SystemExit("two moves went to one place")
    drawn = [(numbers[key(x, y)], when) for x, y, when in frames if key(x, y) in numbers]
    delays, frame = [], 0
    for number, (_, _, moved) in enumerate(moves):
        while frame < len(drawn) and drawn[frame][0] < number:
            frame += 1
        if frame < len(drawn):
            delays.append(drawn[frame][1] - moved)
    return delays, len(drawn)


def drag(browser, boards, count=300):
    """Drags an emoji in one browser, with 60 moves per second; see `delays_of`."""
    emoji = "dragged"
    others = [add(f"e{number}", 60 * (number % 12) - 330, 60 * (number // 12) - 210) for number in range(96)]
    address = boards.address(boards.make("Drag", others + [add(emoji, 0, 180, "🦄", z=1)]))
    with opened(browser, address) as mine, opened(browser, address) as other:
        x, y = place_of(mine, emoji)
        mine.mouse("mouseMoved", x, y, is_held=False)
        mine.mouse("mousePressed", x, y)
        mine.run(NOTE_MOVES % {"emoji": json.dumps(emoji), "x": x, "y": y})
        other.run(NOTE_FRAMES % {"emoji": json.dumps(emoji)})
        for number in paced(count, 60):
            # Never twice at one place. The response to the last move means that all of them were dispatched.
            to = x + round(220 * math.sin((number + 1) / 12)), y + number + 4
            mine.mouse("mouseMoved", *to, waits=number == count - 1)
        last = mine.run("moves.at(-1)")
        other.wait(f"frames_.length && Math.abs(frames_.at(-1)[1] - {last[1]}) < 0.01")
        moves, frames = mine.run("moves"), other.run("frames_")
        mine.mouse("mouseReleased", x, y + count)
    return delays_of(moves, frames)


def print_drag(browser, boards, rounds):
    delays, drawn = [], 0
    while len(delays) < 200 or rounds > 0:
        found, frames = drag(browser, boards)
        delays += found
        drawn += frames
        rounds -= 1
    print(f"\n| from one browser's drag to its drawing in the other, {len(delays):,} moves | |\n|---|---:|")
    print(f"| median | {statistics.median(delays):.1f} ms |\n| p99 | {percentile(delays, 0.99):.1f} ms |")
    print(f"| slowest | {max(delays):.1f} ms |\n| frames drawn by the other browser | {drawn:,} |")


# --- Opening.

# In milliseconds since the navigation began: the first frame after the page's script has run, and the first one in
# which no emoji waits for its bitmap.
NOTE_OPENING = """
    if (window === top) (async () => {
        const frame = () => new Promise(requestAnimationFrame);
        while (document.getElementById("stage")?.dataset.ready !== "") await frame();
        const first = performance.now();
        const board = await (await import(document.querySelector("script[src$='/board.js']").src)).board;
        while (!board.drawing.frames || board.glyphs.isUnfinished) await frame();
        window.opening = { first, sharp: performance.now(), emojis: board.sync.art.emojis.size };
    })()
"""


def openings(browser, address):
    """How long a board takes to be drawn in a new browser context, and again in the same one."""
    with browser.page() as page:
        page.before_scripts(NOTE_OPENING)
        times = []
        for _ in ["without a cache", "with one"]:
            page.open("about:blank")
            page.open(address)
            page.wait("window.opening")
            opening = page.run("opening")
            if opening["emojis"] != CROWD:
                raise SystemExit(f"the board has {opening['emojis']} emoji")
            times.append(opening)
    return times


def print_opening(browser, boards, rounds):
    address = boards.address(boards.crowd("Opening"))
    openings(browser, address)
    found = [openings(browser, address) for _ in range(rounds)]
    print(f"\n| opening a board of {CROWD:,} emoji, medians | with an empty cache | again |\n|---|---:|---:|")
    for label, key in [("to the first frame", "first"), ("to the first frame in which all are sharp", "sharp")]:
        first, again = (statistics.median(times[index][key] for times in found) for index in [0, 1])
        print(f"| {label} | {first:,.0f} ms | {again:,.0f} ms |")


# --- Frames.

# The emoji nearest to the middle, so that all of them are visible.
CHOOSE = f"""
    (async () => {{
        const far = ({{ x, y }}) => Math.hypot(x, y);
        const near = Array.from(board.sync.art.ordered()).sort((one, other) => far(one) - far(other));
        board.model.select(near.slice(0, {CHOSEN}).map(({{ id }}) => id));
        for (let frame = 0; frame < 60 || board.glyphs.isUnfinished; frame += 1) {{
            await new Promise(requestAnimationFrame);
        }}
        return near[0].id;
    }})()
"""
# Records the start times of the frames in which the board was drawn.
NOTE_DRAWING = """
    (() => {
        window.times = [];
        let drawn = board.drawing.frames;
        const note = (time) => {
            if (board.drawing.frames > drawn) times.push(time);
            drawn = board.drawing.frames;
            window.noting = requestAnimationFrame(note);
        };
        window.noting = requestAnimationFrame(note);
    })()
"""


def frame_times(browser, address, seconds=4):
    """The duration of each frame while 500 of 2,000 emoji are dragged, in milliseconds."""
    with opened(browser, address) as page:
        x, y = place_of(page, page.run(CHOOSE))
        page.mouse("mouseMoved", x, y, is_held=False)
        page.mouse("mousePressed", x, y)
        page.mouse("mouseMoved", x + 20, y)
        page.run(NOTE_DRAWING)
        # More moves than frames, so that no frame waits for the mouse.
        for number in paced(120 * seconds, 120):
            angle = number / 20
            page.mouse("mouseMoved", x + 60 * math.cos(angle), y + 40 * math.sin(angle), waits=False)
        times = page.run("cancelAnimationFrame(noting), times")
        if page.run("board.selection.size") != CHOSEN or len(times) < 2:
            raise SystemExit("the chosen emoji weren't dragged")
        page.mouse("mouseReleased", x, y)
    return [later - earlier for earlier, later in itertools.pairwise(times)]


def print_frames(browser, boards, rounds):
    found = [frame_times(browser, boards.address(boards.crowd("Frames"))) for _ in range(rounds)]
    rates = [1000 * len(times) / sum(times) for times in found]
    frames = list(itertools.chain.from_iterable(found))
    print(f"\n| dragging {CHOSEN} of {CROWD:,} emoji for 4 s | |\n|---|---:|")
    print(f"| frames a second, median | {statistics.median(rates):.1f} |")
    print(f"| frames a second, in the worst round | {min(rates):.1f} |")
    print(f"| a frame, median | {statistics.median(frames):.1f} ms |")
    print(f"| a frame, p95 of the worst round | {max(percentile(times, 0.95) for times in found):.1f} ms |")
    print(f"| the longest frame | {max(frames):.1f} ms |")
