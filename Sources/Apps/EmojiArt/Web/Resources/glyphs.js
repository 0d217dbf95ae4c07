// Caches emoji as bitmaps: drawing a text takes a hundred times as long as drawing a bitmap of it.
//
// Each text is drawn to bitmaps of several sizes, its levels: the size of a new emoji, halved or doubled several times.
// While the zoom stays the same, bitmaps of the exact size are made from the levels, because drawing a bitmap without
// scaling takes half the time. Each bitmap is an image of its own, because drawing a part of a larger image takes twice
// as long.

/** The font of emoji: the same as in the board's SVG and PNG. */
const font = '"Noto Color Emoji", "Apple Color Emoji", "Segoe UI Emoji", "Twemoji Mozilla", sans-serif';

/** The size of a new emoji in CSS pixels, and how many times it is halved or doubled. */
const baseSize = 40;
const levels = { smallest: -3, largest: 3 };
/** The maximum width of a text, as a multiple of its size, before it is scaled down. */
const maximumWidth = 1.4;
/** The maximum number of pixels of all bitmaps of a kind, which take 80 MB. */
const pixelBudget = 20e6;
/** The largest exact bitmap, in pixels: few emoji are larger. */
const largestExact = 256;
/** The maximum time that a frame spends on making bitmaps, in milliseconds. */
const bitmapTime = 8;

export class Glyphs {
    /** Whether a bitmap was drawn at less than full quality to save time. If so, draw another frame. */
    isUnfinished = false;
    /** Measurements and bitmaps, by text. */
    #texts = new Map();
    /** The number of pixels of all bitmaps, by kind. */
    #pixels = { levels: 0, exact: 0 };
    /** For measuring texts and making bitmaps. */
    #drawing = new OffscreenCanvas(1, 1).getContext("2d");
    #ratio = 1;
    /** The zoom of the exact bitmaps. */
    #zoom = 0;
    /** Whether this frame makes exact bitmaps. */
    #isExact = false;
    /** The time at which this frame stops making bitmaps. */
    #end = Infinity;

    /**
     * Begins a frame.
     *
     * - ratio: Device pixels per CSS pixel.
     * - zoom: CSS pixels per point of the board.
     * - isSteady: Whether sizes aren't changing now.
     */
    begin({ ratio, zoom, isSteady }) {
        const isUnchanged = zoom === this.#zoom && ratio === this.#ratio;
        if (ratio !== this.#ratio || this.#pixels.levels > pixelBudget) {
            this.#texts.clear();
            this.#pixels = { levels: 0, exact: 0 };
        } else if (!isUnchanged) {
            for (const glyph of this.#texts.values()) glyph.exact.clear();
            this.#pixels.exact = 0;
        }
        this.#ratio = ratio;
        this.#zoom = zoom;
        this.#isExact = isUnchanged && isSteady && this.#pixels.exact < pixelBudget;
        this.#end = performance.now() + bitmapTime;
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
        const exactSize = Math.round(size * 4) / 4;
        const exact = glyph.exact.get(exactSize);
        if (exact) return exact;
        const base = baseSize * this.#ratio;
        const wanted = Math.ceil(Math.log2(size / base) - 1e-6);
        const level = Math.min(Math.max(wanted, levels.smallest), levels.largest);
        const rough = this.#made("levels", glyph, base * 2 ** level) ?? glyph.lastLevel;
        if (!rough || !this.#isExact || exactSize > largestExact || exactSize < 1) return rough;
        return this.#made("exact", glyph, exactSize, rough) ?? rough;
    }

    /** Draws a text on a canvas, with its middle at the origin. */
    paint(drawing, text, size) {
        const glyph = this.#measured(text);
        const scale = size * glyph.scale;
        drawing.font = `${scale}px ${font}`;
        // The colour of symbols that aren't emoji, such as mathematical ones: visible on light and dark backgrounds.
        drawing.fillStyle = "#7b8794";
        drawing.fillText(text, -glyph.x * scale, glyph.y * scale);
    }

    #measured(text) {
        let glyph = this.#texts.get(text);
        if (glyph) return glyph;
        this.#drawing.font = `100px ${font}`;
        // The distances of the ink's edges from the text's origin.
        const {
            actualBoundingBoxLeft: left, actualBoundingBoxRight: right,
            actualBoundingBoxAscent: top, actualBoundingBoxDescent: bottom,
        } = this.#drawing.measureText(text);
        const extent = Math.max(left + right, top + bottom, 1) / 100;
        // A sequence that the font doesn't support is drawn as its parts side by side, so it may be wide.
        const scale = Math.min(1, maximumWidth / extent);
        glyph = {
            text, scale, reach: Math.max(0.5, (extent * scale) / 2), x: (right - left) / 200, y: (top - bottom) / 200,
            levels: new Map(), lastLevel: null, exact: new Map(),
        };
        this.#texts.set(text, glyph);
        return glyph;
    }

    /** A glyph's bitmap of a kind, which is made if necessary, from `rough` if given; null if there is no time. */
    #made(kind, glyph, size, rough = null) {
        const found = glyph[kind].get(size);
        if (found) return found;
        if (performance.now() > this.#end) {
            this.isUnfinished = true;
            return null;
        }
        const drawing = this.#drawing;
        // The side covers the ink and is even, so that the middle is between two pixels.
        const side = 2 * Math.ceil(size * glyph.reach) + 2;
        drawing.canvas.width = drawing.canvas.height = side;
        drawing.translate(side / 2, side / 2);
        if (rough) {
            const length = (rough.image.width * size) / rough.size;
            drawing.imageSmoothingQuality = "medium";
            drawing.drawImage(rough.image, -length / 2, -length / 2, length, length);
        } else {
            this.paint(drawing, glyph.text, size);
        }
        const made = { image: drawing.canvas.transferToImageBitmap(), size };
        this.#pixels[kind] += side * side;
        glyph[kind].set(size, made);
        if (!rough) glyph.lastLevel = made;
        return made;
    }
}
