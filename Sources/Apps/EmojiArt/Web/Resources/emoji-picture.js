// Draws emoji as a PNG, to be copied.

import { matrixOf } from "./drawing.js";

/** The pixels per point, and the maximum number of pixels along a side. */
const scale = 2;
const longest = 4096;
/** The free space around the emoji, in points. */
const margin = 4;

/** A PNG of emoji on a transparent ground: the part of the board within a box. */
export async function pictureOf(emojis, box, glyphs) {
    const [width, height] = [box.right - box.left + 2 * margin, box.top - box.bottom + 2 * margin];
    const zoom = Math.min(scale, longest / Math.max(width, height));
    const canvas = new OffscreenCanvas(Math.ceil(width * zoom), Math.ceil(height * zoom));
    const drawing = canvas.getContext("2d");
    for (const emoji of emojis) {
        const { a, b, c, d } = matrixOf(emoji);
        const [x, y] = [(emoji.x - box.left + margin) * zoom, (box.top - emoji.y + margin) * zoom];
        drawing.setTransform(a, b, c, d, x, y);
        glyphs.paint(drawing, emoji.text, emoji.size * zoom);
    }
    return await canvas.convertToBlob({ type: "image/png" });
}
