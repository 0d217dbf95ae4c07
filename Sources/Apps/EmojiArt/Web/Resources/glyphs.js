// Emoji as bitmaps: drawing a text takes a hundred times as long as drawing a bitmap of it.
//
// Bitmaps are made of the text at sizes that double, from that of a new emoji. Of these, while the zoom stays as it is,
// others are made at exactly the size that is wanted: drawn pixel by pixel, they take half the time. Each is an image of its
// own: a part of a larger one takes twice as long to draw.

/** What emoji are drawn with: the same as in the board's SVG and PNG. */
export const font = '"Noto Color Emoji", "Apple Color Emoji", "Segoe UI Emoji", "Twemoji Mozilla", sans-serif';

/** The size of a new emoji in pixels of the page, and how often it is doubled, or halved. */
const middle = 40;
const levels = { smallest: -3, largest: 3 };
/** How wide a text may be, as a multiple of its size, before it is made smaller. */
const widest = 1.4;
/** How many pixels the bitmaps of a kind may have together: 80 MB. */
const room = 20e6;
/** What is larger, in pixels, is no matter of many. */
const largestExact = 256;

export class Glyphs {
    /** Whether something could not be drawn as well as it should, for lack of time: a next frame will. */
    isBehind = false;
    /** By text: where its ink is, and its bitmaps by level. */
    #texts = new Map();
    /** How many pixels the bitmaps of each kind have. */
    #pixels = { levels: 0, exact: 0 };
    /** By the length of their sides: what bitmaps are drawn on. */
    #canvases = new Map();
    /** Which zoom the exact ones are for; each has a number. */
    #zoom = 0;
    #generation = 0;
    /** Whether exact ones are made in this frame. */
    #isExact = false;
    #ruler = new OffscreenCanvas(1, 1).getContext("2d");
    #ratio = 1;
    /** When the frame's time for making bitmaps is up. */
    #end = Infinity;

    /**
     * Begins a frame.
     *
     * - ratio: Pixels of the screen in one of the page.
     * - zoom: Pixels of the page in a point of the board.
     * - isSteady: Whether sizes stay as they are for now.
     * - time: How long bitmaps may be made in it, in milliseconds.
     */
    begin({ ratio, zoom, isSteady, time }) {
        if (ratio !== this.#ratio || this.#pixels.levels > room) this.#clear();
        const isSame = zoom === this.#zoom && ratio === this.#ratio;
        if (!isSame) {
            this.#generation += 1;
            this.#pixels.exact = 0;
        }
        this.#ratio = ratio;
        this.#zoom = zoom;
        this.#isExact = isSame && isSteady && this.#pixels.exact < room;
        this.#end = performance.now() + time;
        this.isBehind = !isSame;
    }

    /** How far a text reaches from its middle, as a multiple of its size: at least half of it. */
    reach(text) {
        return this.#measured(text).reach;
    }

    /**
     * A text's bitmap for a size in pixels of the screen: {image, size}, of which `size` is the one that it was made for;
     * null where there is no time to make one.
     */
    bitmap(text, size) {
        const glyph = this.#measured(text);
        // To a quarter of a pixel nobody sees a difference.
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
            this.isBehind = true;
            return rough;
        }
        const made = this.#scaled(rough, glyph, wanted);
        glyph.exact.set(wanted, made);
        return made;
    }

    #level(text, glyph, size) {
        const wanted = Math.ceil(Math.log2(size / (middle * this.#ratio)) - 1e-6);
        const level = Math.min(Math.max(wanted, levels.smallest), levels.largest);
        const made = glyph.levels.get(level);
        if (made) return made;
        if (performance.now() > this.#end) {
            this.isBehind = true;
            return glyph.last;
        }
        glyph.last = this.#draw(text, glyph, middle * this.#ratio * 2 ** level);
        glyph.levels.set(level, glyph.last);
        return glyph.last;
    }

    #measured(text) {
        let glyph = this.#texts.get(text);
        if (glyph) return glyph;
        const ruler = this.#ruler;
        ruler.font = `100px ${font}`;
        const ink = ruler.measureText(text);
        const left = -ink.actualBoundingBoxLeft / 100;
        const right = ink.actualBoundingBoxRight / 100;
        const top = ink.actualBoundingBoxAscent / 100;
        const bottom = -ink.actualBoundingBoxDescent / 100;
        const extent = Math.max(right - left, top - bottom, 0.01);
        // A face that this device does not have comes as its parts, side by side.
        const scale = Math.min(1, widest / extent);
        glyph = {
            scale, reach: Math.max(0.5, (extent * scale) / 2), x: (left + right) / 2, y: (top + bottom) / 2,
            levels: new Map(), last: null, exact: new Map(), generation: this.#generation,
        };
        this.#texts.set(text, glyph);
        return glyph;
    }

    #draw(text, glyph, size) {
        const drawing = this.#canvas(glyph, size);
        const scale = size * glyph.scale;
        const middle = drawing.canvas.width / 2;
        drawing.font = `${scale}px ${font}`;
        // Of what is no emoji, such as the signs of a palette of mathematics: seen on light and on dark.
        drawing.fillStyle = "#7b8794";
        drawing.fillText(text, middle - glyph.x * scale, middle + glyph.y * scale);
        return this.#taken(drawing, size, "levels");
    }

    #scaled(rough, glyph, size) {
        const drawing = this.#canvas(glyph, size);
        const length = (rough.image.width * size) / rough.size;
        const from = (drawing.canvas.width - length) / 2;
        drawing.imageSmoothingQuality = "medium";
        drawing.drawImage(rough.image, from, from, length, length);
        return this.#taken(drawing, size, "exact");
    }

    /** What to draw a bitmap on; it is empty. */
    #canvas(glyph, size) {
        // As many pixels as the ink takes, and an even number of them, so that the middle is between two.
        const side = 2 * Math.ceil(size * glyph.reach) + 2;
        let drawing = this.#canvases.get(side);
        if (!drawing) {
            drawing = new OffscreenCanvas(side, side).getContext("2d");
            this.#canvases.set(side, drawing);
        }
        return drawing;
    }

    #taken(drawing, size, kind) {
        // The canvas is empty again, and can be drawn on anew.
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
