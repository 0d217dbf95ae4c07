#!/usr/bin/env python3
"""Measures how much two pictures differ.

    compare_pictures.py A.png B.png [--tolerance 8] [--crop | --extend]

Prints {"width": W, "height": H, "different": F, "box": [left, top, right, bottom]}: the fraction of the pixels in which
any channel differs by more than the tolerance (of 255), and the smallest rectangle around them, which is null if there
are none. Pictures of different sizes are an error, {"error": "…"} and exit status 1, unless --crop compares their common
part at the top left, or --extend counts each pixel that only one of them has as different.
"""

import argparse
import json
import sys
from functools import reduce

from PIL import Image, ImageChops

# Pillow refuses very large pictures as decompression bombs, but pictures of long pages are that large.
Image.MAX_IMAGE_PIXELS = None


def picture(path):
    with Image.open(path) as image:
        return image.convert("RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB")


def extended(image, size):
    """The picture at the top left of a larger one, which is transparent elsewhere."""
    whole = Image.new("RGBA", size)
    whole.paste(image.convert("RGBA"))
    return whole


def difference(a, b, tolerance):
    """The fraction of pixels in which any channel differs by more than the tolerance, and the rectangle around them."""
    if a.mode != b.mode:
        a, b = a.convert("RGBA"), b.convert("RGBA")
    channels = ImageChops.difference(a, b).split()
    largest = reduce(ImageChops.lighter, channels)
    above = largest.point([0] * (tolerance + 1) + [255] * (255 - tolerance))
    return above.histogram()[255] / (a.width * a.height), above.getbbox()


def compare(first, second, tolerance, crop, extend):
    a, b = picture(first), picture(second)
    if a.size != b.size:
        if extend:
            size = max(a.width, b.width), max(a.height, b.height)
            a, b = extended(a, size), extended(b, size)
        elif not crop:
            return {"error": f"the sizes differ: {a.width}x{a.height} and {b.width}x{b.height}"}
        else:
            common = (0, 0, min(a.width, b.width), min(a.height, b.height))
            a, b = a.crop(common), b.crop(common)
    share, box = difference(a, b, tolerance)
    return {"width": a.width, "height": a.height, "different": share, "box": box}


def main():
    parser = argparse.ArgumentParser(description="Says how much two pictures differ.")
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--tolerance", type=int, choices=range(256), default=8, metavar="0…255")
    parser.add_argument("--crop", action="store_true")
    parser.add_argument("--extend", action="store_true")
    arguments = parser.parse_args()
    try:
        report = compare(arguments.first, arguments.second, arguments.tolerance, arguments.crop, arguments.extend)
    # Pillow's decoders raise SyntaxError and others for a damaged file.
    except Exception as problem:
        report = {"error": f"{type(problem).__name__}: {problem}"}
    print(json.dumps(report))
    return 1 if "error" in report else 0


if __name__ == "__main__":
    sys.exit(main())
