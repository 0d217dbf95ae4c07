"""Compares two pictures of one page, for `capture-figures`.

    compare_pictures.py PICTURE OTHER

Prints the share of the pixels that differ, and the left, top, right and bottom edge of the smallest rectangle around
them; the edges are 0 if none differ. Where only one of the pictures has a pixel, it differs.
"""

import sys

from PIL import Image, ImageChops

# A page may be taller than Pillow's limit, which protects from pictures of strangers.
Image.MAX_IMAGE_PIXELS = None


def canvas(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    """The picture in the upper left corner of a larger one, with a channel that says where it is."""
    whole = Image.new("RGBA", size)
    whole.paste(picture.convert("RGB"))
    mask = Image.new("L", size)
    mask.paste(255, (0, 0, *picture.size))
    whole.putalpha(mask)
    return whole


def main() -> None:
    pictures = [Image.open(path) for path in sys.argv[1:]]
    size = tuple(max(picture.size[axis] for picture in pictures) for axis in (0, 1))
    first, *channels = ImageChops.difference(*(canvas(picture, size) for picture in pictures)).split()
    for channel in channels:
        first = ImageChops.lighter(first, channel)
    differing = size[0] * size[1] - first.histogram()[0]
    print(differing / (size[0] * size[1]), *(first.getbbox() or (0, 0, 0, 0)))


main()
