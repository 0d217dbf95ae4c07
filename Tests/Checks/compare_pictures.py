#!/usr/bin/env python3
"""Measures how much two pictures differ.

    compare_pictures.py A.png B.png [--tolerance 8] [--crop]

Prints {"width": W, "height": H, "different": F}: the fraction of the pixels in which any channel differs by more than
the tolerance (of 255). Pictures of different sizes are an error, {"error": "…"} and exit status 1, unless --crop
compares their common part at the top left.
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


def different(a, b, tolerance):
    """The fraction of pixels in which any channel differs by more than the tolerance, for pictures of one size."""
    if a.mode != b.mode:
        a, b = a.convert("RGBA"), b.convert("RGBA")
    channels = ImageChops.difference(a, b).split()
    largest = reduce(ImageChops.lighter, channels)
    counts = largest.histogram()
    return sum(counts[tolerance + 1 :]) / (a.width * a.height)


def compare(first, second, tolerance, crop):
    a, b = picture(first), picture(second)
    if a.size != b.size:
        if not crop:
            return {"error": f"the sizes differ: {a.width}x{a.height} and {b.width}x{b.height}"}
        common = (0, 0, min(a.width, b.width), min(a.height, b.height))
        a, b = a.crop(common), b.crop(common)
    return {"width": a.width, "height": a.height, "different": different(a, b, tolerance)}


def main():
    parser = argparse.ArgumentParser(description="Says how much two pictures differ.")
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--tolerance", type=int, choices=range(256), default=8, metavar="0…255")
    parser.add_argument("--crop", action="store_true")
    arguments = parser.parse_args()
    try:
        report = compare(arguments.first, arguments.second, arguments.tolerance, arguments.crop)
    # Pillow's decoders raise SyntaxError and others for a damaged file.
    except Exception as problem:
        report = {"error": f"{type(problem).__name__}: {problem}"}
    print(json.dumps(report))
    return 1 if "error" in report else 0


if __name__ == "__main__":
    sys.exit(main())
