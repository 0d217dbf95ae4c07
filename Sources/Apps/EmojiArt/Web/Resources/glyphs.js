// Caches emoji as bitmaps: drawing a text takes a hundred times as long as drawing a bitmap of it.
//
// Each text is drawn to bitmaps of several sizes, its levels: the size of a new emoji, halved or doubled several times.
// While the zoom stays the same, bitmaps of the exact size are made from the levels, because drawing a bitmap without
// scaling takes half the time. Each bitmap is an image of its own, because drawing a part of a larger image takes twice
// as long.

/** The font of emoji: the same as in the board's SVG and PNG. */
export const font = '"Noto Color Emoji", "Apple Color Emoji", "Segoe UI Emoji", "Twemoji Mozilla", sans-serif';

/** The size of a new emoji in CSS pixels, and how many times it is halved or doubled. */
const baseSize = 40;
const levels = { smallest: -3, largest: 3 };
/** The maximum width of a text, as a multiple of its size, before it is scaled down. */
const maximumWidth = 1.4;
/** The maximum number of pixels of all bitmaps of a kind, which take 80 MB. */
const pixelBudget = 20e6;
/** The largest exact bitmap, in pixels: few emoji are larger. */
const largestExact = 256;

export class Glyphs {
    /** Whether a bitmap was drawn at less than full quality to save time. If so, draw another frame. */
    isUnfinished = false;
    /** Measurements and bitmaps, by text. */
    #texts = new Map();
    /** The number of pixels of all bitmaps, by kind. */
    #pixels = { levels: 0, exact: 0 };
    /** The canvases for drawing bitmaps, by side length. */
    #canvases = new Map();
    /** The zoom of the exact bitmaps, and a number that changes with it. */
    #zoom = 0;
    #generation = 0;
    /** Whether this frame makes exact bitmaps. */
    #isExact = false;
    #measuringContext = new OffscreenCanvas(1, 1).getContext("2d");
    #ratio = 1;
    /** The time at which this frame stops making bitmaps. */
    #end = Infinity;

    /**
     * Begins a frame.
     *
     * - ratio: Device pixels per CSS pixel.
     * - zoom: CSS pixels per point of the board.
     * - isSteady: Whether sizes aren't changing now.
     * - time: The time for making bitmaps, in milliseconds.
     */
    begin({ ratio, zoom, isSteady, time }) {
        if (ratio !== this.#ratio || this.#pixels.levels > pixelBudget) this.#clear();
        const isUnchanged = zoom === this.#zoom && ratio === this.#ratio;
        if (!isUnchanged) {
            this.#generation += 1;
            this.#pixels.exact = 0;
        }
        this.#ratio = ratio;
        this.#zoom = zoom;
        this.#isExact = isUnchanged && isSteady && this.#pixels.exact < pixelBudget;
        this.#end = performance.now() + time;
        this.isUnfinished = !isUnchanged;
    }

    /** The distance from a text's middle to its farthest edge, as a multiple of its size: at least 0.5. */
    reach(text) {
        return this.#measured(text).reach;
    }

    /**
     * A text's bitmap for a size in device pixels: {image, size}, where `size` is the one that it was made for; null if
     * there is no time to make one.
     */
    bitmap(text, size) {
        const glyph = this.#measured(text);
        // Differences below a quarter of a pixel aren't visible.
        const wanted = Math.round(size * 4) / 4;
        if (glyph.generation !== this.#generation) {
            glyph.generation = this.#generation;
            glyph.exact.clear();
        }
        const exact = glyph.exact.get(wanted);
        if (exact) return exact;
        const rough = this.#level(text, glyph, size);
        if (!rough || !this.#isExact || wanted > largestExact || wanted < 1) return rough;
        if (performance.now() > this.#end) {
            this.isUnfinished = true;
            return rough;
        }
        const made = this.#scaled(rough, glyph, wanted);
        glyph.exact.set(wanted, made);
        return made;
    }

    #level(text, glyph, size) {
        const wanted = Math.ceil(Math.log2(size / (baseSize * this.#ratio)) - 1e-6);
        const level = Math.min(Math.max(wanted, levels.smallest), levels.largest);
        const made = glyph.levels.get(level);
        if (made) return made;
        if (performance.now() > this.#end) {
            this.isUnfinished = true;
            return glyph.last;
        }
        glyph.last = this.#draw(text, glyph, baseSize * this.#ratio * 2 ** level);
        glyph.levels.set(level, glyph.last);
        return glyph.last;
    }

    #measured(text) {
        let glyph = this.#texts.get(text);
        if (glyph) return glyph;
        const context = this.#measuringContext;
        context.font = `100px ${font}`;
        const metrics = context.measureText(text);
        const left = -metrics.actualBoundingBoxLeft / 100;
        const right = metrics.actualBoundingBoxRight / 100;
        const top = metrics.actualBoundingBoxAscent / 100;
        const bottom = -metrics.actualBoundingBoxDescent / 100;
        const extent = Math.max(right - left, top - bottom, 0.01);
        // A sequence that the font doesn't support is drawn as its parts side by side, so it may be wide.
        const scale = Math.min(1, maximumWidth / extent);
        glyph = {
            scale, reach: Math.max(0.5, (extent * scale) / 2), x: (left + right) / 2, y: (top + bottom) / 2,
            levels: new Map(), last: null, exact: new Map(), generation: this.#generation,
        };
        this.#texts.set(text, glyph);
        return glyph;
    }

    #draw(text, glyph, size) {
        const drawing = this.#canvas(glyph, size);
        this.#fillText(drawing, text, glyph, size, drawing.canvas.width / 2);
        return this.#takeBitmap(drawing, size, "levels");
    }

    /** Draws a text on a canvas, with its middle at the origin. */
    paint(drawing, text, size) {
        this.#fillText(drawing, text, this.#measured(text), size, 0);
    }

    #fillText(drawing, text, glyph, size, middle) {
        const scale = size * glyph.scale;
        drawing.font = `${scale}px ${font}`;
        // The colour of symbols that aren't emoji, such as mathematical ones: visible on light and dark backgrounds.
        drawing.fillStyle = "#7b8794";
        drawing.fillText(text, middle - glyph.x * scale, middle + glyph.y * scale);
    }

    #scaled(rough, glyph, size) {
        const drawing = this.#canvas(glyph, size);
        const length = (rough.image.width * size) / rough.size;
        const from = (drawing.canvas.width - length) / 2;
        drawing.imageSmoothingQuality = "medium";
        drawing.drawImage(rough.image, from, from, length, length);
        return this.#takeBitmap(drawing, size, "exact");
    }

    /** An empty canvas for a bitmap of a size. */
    #canvas(glyph, size) {
        // The side covers the ink and is even, so that the middle is between two pixels.
        const side = 2 * Math.ceil(size * glyph.reach) + 2;
        let drawing = this.#canvases.get(side);
        if (!drawing) {
            drawing = new OffscreenCanvas(side, side).getContext("2d");
            this.#canvases.set(side, drawing);
        }
        return drawing;
    }

    #takeBitmap(drawing, size, kind) {
        // Transferring the bitmap leaves the canvas empty, for reuse.
        const image = drawing.canvas.transferToImageBitmap();
        this.#pixels[kind] += image.width * image.height;
        return { image, size };
    }

    #clear() {
        this.#texts.clear();
        this.#canvases.clear();
        this.#pixels = { levels: 0, exact: 0 };
        this.#generation += 1;
    }
}
