// Renders emoji as a PNG, for the clipboard.

import { matrixOf } from "./drawing.js";

/** The pixels per point, unless a side would be too long. */
const scale = 2;
/** The maximum number of pixels along a side. */
const maximumSide = 4096;
/** The free space around the emoji, in points. */
const margin = 4;

/** Renders emoji as a PNG with a transparent background. `box` is the rectangle around them on the board. */
export async function renderPNG(emojis, box, glyphs) {
    const [width, height] = [box.right - box.left + 2 * margin, box.top - box.bottom + 2 * margin];
    const zoom = Math.min(scale, maximumSide / Math.max(width, height));
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
