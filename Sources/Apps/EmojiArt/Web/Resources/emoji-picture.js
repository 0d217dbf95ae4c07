// Renders emoji as a PNG, for the clipboard.

import { matrixOf } from "./drawing.js";

/** The pixels per point, unless a side would be too long. */
const scale = 2;
/** The maximum number of pixels along a side. */
const maximumSide = 4096;
/** The free space around the emoji, in points. */
const margin = 4;

/** Renders emoji as a PNG with a transparent background. The sides are those of the box around them on the board. */
export async function renderPNG(emojis, [left, bottom, right, top], glyphs) {
    const [width, height] = [right - left + 2 * margin, top - bottom + 2 * margin];
    const zoom = Math.min(scale, maximumSide / Math.max(width, height));
    const canvas = new OffscreenCanvas(Math.ceil(width * zoom), Math.ceil(height * zoom));
    const drawing = canvas.getContext("2d");
    for (const emoji of emojis) {
        const { a, b, c, d } = matrixOf(emoji);
        const [x, y] = [(emoji.x - left + margin) * zoom, (top - emoji.y + margin) * zoom];
        drawing.setTransform(a, b, c, d, x, y);
        glyphs.paint(drawing, emoji.text, emoji.size * zoom);
    }
    return await canvas.convertToBlob({ type: "image/png" });
}
