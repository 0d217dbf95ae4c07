#!/usr/bin/env python3
"""Generates web pages that `capture-figures` captures: the kinds of pages that no documentation has.

    sample_pages.py FOLDER

Writes these pages with their pictures and data; the files are the same each time:

    dashboard.html  an application whose scripts fetch data and draw a table and charts
    pictures.html   300 pictures in files of their own, a third of which load lazily
    frames.html     frames of another site, and frames within them
    scripts.html    text in right-to-left scripts, and in Chinese, Japanese and Korean
    empty.html      nothing
    short.html      text that fits in one window
"""

import json
import math
import random
import struct
import sys
import zlib
from pathlib import Path

STYLE = """
    body { font: 15px/1.5 sans-serif; margin: 2rem; color: #222; background: #fafafa }
    h1, h2 { line-height: 1.2 }
"""


def page(title: str, body: str, style: str = "", attributes: str = 'lang="en"') -> str:
    return (
        f'<!doctype html>\n<html {attributes}>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<style>{STYLE}{style}</style>\n{body}\n</html>\n"
    )


# --- Pictures


def png(width: int, height: int, seed: int) -> bytes:
    """Coloured waves, of three bytes per pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    waves = bytes(int(127 + 120 * math.sin((x + seed) / (7 + seed % 11))) for x in range(3 * (width + height)))
    # Each row starts with its filter, 0, and continues the waves one pixel further.
    rows = b"".join(b"\0" + waves[3 * y:3 * (y + width)] for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def jpeg(columns: int, rows: int, seed: int) -> bytes:
    """Random colours in blocks of 8 × 8 pixels: a baseline JPEG with three components, without subsampling."""

    def segment(marker: int, data: bytes) -> bytes:
        return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data

    # The Huffman codes: of 4 bits for each length of a difference, of 1 bit for “the rest of the block is zero”.
    lengths = bytes([0, 0, 0, 12] + [0] * 12) + bytes(range(12))
    end_of_block = bytes([1] + [0] * 15) + b"\0"
    generator = random.Random(seed)
    bits, count, previous = 0, 0, [0, 0, 0]
    data = bytearray()
    for _ in range(columns * rows):
        for component in range(3):
            value = generator.randint(-60, 60)
            difference = value - previous[component]
            previous[component] = value
            length = abs(difference).bit_length()
            amplitude = difference if difference >= 0 else difference + (1 << length) - 1
            bits = (((bits << 4 | length) << length | amplitude) << 1) | 0
            count += 4 + length + 1
            while count >= 8:
                count -= 8
                byte = bits >> count & 0xFF
                data += b"\xff\0" if byte == 0xFF else bytes([byte])
            bits &= (1 << count) - 1
    if count:
        last = (bits << 8 - count | (1 << 8 - count) - 1) & 0xFF
        data += b"\xff\0" if last == 0xFF else bytes([last])
    frame = struct.pack(">BHHB", 8, rows * 8, columns * 8, 3) + b"".join(bytes([each, 0x11, 0]) for each in (1, 2, 3))
    return (
        b"\xff\xd8"
        + segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0")
        + segment(0xDB, b"\0" + bytes([16] * 64))
        + segment(0xC0, frame)
        + segment(0xC4, b"\0" + lengths + b"\x10" + end_of_block)
        + segment(0xDA, b"\3" + b"".join(bytes([each, 0]) for each in (1, 2, 3)) + b"\0\x3f\0")
        + bytes(data)
        + b"\xff\xd9"
    )


def svg(width: int, height: int, seed: int) -> bytes:
    generator = random.Random(seed)
    circles = "".join(
        f'<circle cx="{generator.randrange(width)}" cy="{generator.randrange(height)}" r="{generator.randrange(4, 40)}"'
        f' fill="hsl({generator.randrange(360)} 70% 50% / 0.6)"/>'
        for _ in range(40)
    )
    size = f'width="{width}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}><rect {size} fill="#eee"/>{circles}</svg>'
    ).encode()


def pictures(folder: Path) -> str:
    (folder / "pictures").mkdir(exist_ok=True)
    generator = random.Random(27)
    tags = []
    for number in range(300):
        columns, rows = generator.randrange(10, 50), generator.randrange(8, 40)
        width, height = columns * 8, rows * 8
        kind = ["png", "jpeg", "svg"][number % 3]
        data = jpeg(columns, rows, number) if kind == "jpeg" else {"png": png, "svg": svg}[kind](width, height, number)
        (folder / "pictures" / f"{number}.{kind}").write_bytes(data)
        # One in seven has no size, so that it moves the others when it arrives.
        size = "" if number % 7 == 0 else f' width="{width}" height="{height}"'
        lazy = ' loading="lazy"' if generator.randrange(3) == 0 else ""
        tags.append(f'<img src="pictures/{number}.{kind}" alt="Picture {number}"{size}{lazy}>')
    return page("300 pictures", "<h1>300 pictures</h1>\n" + "\n".join(tags), "img { margin: 2px; vertical-align: top }")


# --- An application

DASHBOARD = """
<h1>Orders</h1>
<p id="status">Loading…</p>
<div id="charts"></div>
<table id="orders"><thead></thead><tbody></tbody></table>
<script type="module">
    const make = (parent, name, text) => {
        const element = document.createElement(name);
        if (text !== undefined) element.textContent = text;
        return parent.appendChild(element);
    };
    const line = (values, width, height) => {
        const most = Math.max(...values);
        return values.map((each, at) => [at * width / (values.length - 1), height - each / most * (height - 4) - 2]);
    };
    const drawSVG = (parent, values, width, height) => {
        const space = "http://www.w3.org/2000/svg";
        const picture = parent.appendChild(document.createElementNS(space, "svg"));
        picture.setAttribute("width", width);
        picture.setAttribute("height", height);
        const path = picture.appendChild(document.createElementNS(space, "polyline"));
        path.setAttribute("points", line(values, width, height).join(" "));
    };
    const drawCanvas = (parent, values, width, height) => {
        const canvas = make(parent, "canvas");
        Object.assign(canvas, { width, height });
        const context = canvas.getContext("2d");
        context.fillStyle = "#2a6";
        for (const [x, y] of line(values, width, height)) context.fillRect(x - 2, y, 4, height - y);
    };
    const load = async (name) => (await fetch(`data/${name}.json`)).json();

    const charts = document.getElementById("charts");
    const regions = await load("regions");
    await Promise.all(regions.map(async (region, at) => {
        const figure = make(charts, "figure");
        make(figure, "figcaption", region.name);
        (at % 2 ? drawSVG : drawCanvas)(figure, await load(region.file), 360, 160);
    }));
    const orders = await load("orders");
    const head = make(document.querySelector("thead"), "tr");
    const titles = ["Number", "Customer", "Product", "Pieces", "Price", "State", "Last weeks"];
    for (const title of titles) make(head, "th", title);
    for (const order of orders) {
        const row = make(document.querySelector("tbody"), "tr");
        for (const value of [order.number, order.customer, order.product, order.pieces]) make(row, "td", value);
        make(row, "td", order.price.toLocaleString("en", { style: "currency", currency: "EUR" }));
        make(row, "td", order.state).className = order.state;
        drawSVG(make(row, "td"), order.weeks, 120, 24);
    }
    const status = document.getElementById("status");
    status.textContent = `${orders.length} orders`;
    status.className = "complete";
</script>
"""

DASHBOARD_STYLE = """
    #charts { display: grid; grid-template-columns: repeat(3, 1fr); gap: 1rem }
    figure { margin: 0; padding: 1rem; background: #fff; border-radius: 8px; box-shadow: 0 1px 4px #0003 }
    polyline { fill: none; stroke: #36c; stroke-width: 1.5 }
    table { width: 100%; border-collapse: collapse; background: #fff }
    th { position: sticky; top: 0; background: #eee }
    td, th { padding: 4px 8px; text-align: left; border-bottom: 1px solid #ddd }
    tr:nth-child(even) { background: #f6f6ff }
    .open { color: #b50 } .paid { color: #080 } .sent { color: #06c }
"""


def dashboard(folder: Path) -> str:
    (folder / "data").mkdir(exist_ok=True)
    generator = random.Random(15)

    def write(name: str, value: object) -> None:
        (folder / "data" / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")

    names = ["North", "East", "South", "West", "Coast", "Islands"]
    write("regions", [{"name": name, "file": name.lower()} for name in names])
    for name in names:
        write(name.lower(), [generator.randint(10, 100) for _ in range(60)])
    orders = [
        {
            "number": 1000 + number,
            "customer": generator.choice(["Ada", "Grace", "Edsger", "Barbara", "Tony", "Leslie"]),
            "product": generator.choice(["Grinder", "Kettle", "Filter", "Beans", "Cups"]),
            "pieces": generator.randint(1, 40),
            "price": generator.randint(500, 90000) / 100,
            "state": generator.choice(["open", "paid", "sent"]),
            "weeks": [generator.randint(1, 20) for _ in range(16)],
        }
        for number in range(400)
    ]
    write("orders", orders)
    return page("Orders", DASHBOARD, DASHBOARD_STYLE)


# --- Frames

FRAMES = """
<h1>Frames</h1>
<div id="frames"></div>
<script>
    // Of this server's two names, a browser takes each for a site of its own.
    const other = location.hostname == "localhost" ? "127.0.0.1" : "localhost";
    for (let number = 0; number < COUNT; number += 1) {
        const frame = document.createElement("iframe");
        frame.src = `http://${other}:${location.port}${new URL(`frame-${number}.html`, location).pathname}`;
        if (number % 3 == 2) frame.loading = "lazy";
        document.getElementById("frames").append(frame);
    }
</script>
"""

FRAMES_STYLE = """
    iframe { width: 31%; height: 420px; border: 1px solid #999; margin: 0.5% }
"""


def frames(folder: Path) -> str:
    inner = FRAMES.replace("COUNT", "1").replace("frame-${number}", "inner")
    for number in range(12):
        lines = "".join(f"<p>Line {line} of frame {number}.</p>" for line in range(1, 9))
        colour = f"body {{ background: hsl({number * 30} 60% 92%) }}"
        # Every fourth frame has a frame of the first site.
        body = f"<h2>Frame {number}</h2>{lines}" if number % 4 else inner
        text = page(f"Frame {number}", body, colour + FRAMES_STYLE)
        (folder / f"frame-{number}.html").write_text(text, encoding="utf-8")
    (folder / "inner.html").write_text(page("Inner", "<h2>A frame in a frame</h2>"), encoding="utf-8")
    return page("Frames", FRAMES.replace("COUNT", "12"), FRAMES_STYLE)


# --- Text

# The first article of the Universal Declaration of Human Rights.
TEXTS = [
    ("ar", "rtl", "العربية", "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميرًا وعليهم أن يعامل بعضهم بعضًا بروح الإخاء."),
    ("he", "rtl", "עברית", "כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחוה."),
    ("fa", "rtl", "فارسی", "تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند. همه دارای عقل و وجدان می‌باشند و باید نسبت به یکدیگر با روح برادری رفتار کنند."),
    ("zh-Hans", "ltr", "简体中文", "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。"),
    ("zh-Hant", "ltr", "繁體中文", "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神互相對待。"),
    ("ja", "ltr", "日本語", "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。"),
    ("ko", "ltr", "한국어", "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다."),
]


def scripts() -> str:
    sections = []
    for language, direction, name, text in TEXTS:
        # Paragraphs of growing length, a list that mixes scripts, and vertical lines where the script has them.
        paragraphs = "".join(f"<p>{' '.join([text] * count)}</p>" for count in range(1, 9))
        items = "".join(f"<li>{number}. ABC {text[:40]}</li>" for number in range(1, 13))
        vertical = f'<p class="vertical">{text * 3}</p>' if language in ("ja", "zh-Hant") else ""
        sections.append(
            f'<section lang="{language}" dir="{direction}"><h2>{name}</h2>{paragraphs}'
            f"<ul>{items}</ul>{vertical}</section>"
        )
    return page(
        "Scripts", "\n".join(sections), ".vertical { writing-mode: vertical-rl; height: 20rem }", 'lang="ar" dir="rtl"'
    )


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    short = "".join(f"<p>Paragraph {number}: all of this page fits in one window.</p>" for number in range(1, 11))
    pages = {
        "dashboard": dashboard(folder),
        "pictures": pictures(folder),
        "frames": frames(folder),
        "scripts": scripts(),
        "empty": '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Empty</title>\n</html>\n',
        "short": page("A short page", f"<h1>A short page</h1>{short}"),
    }
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
