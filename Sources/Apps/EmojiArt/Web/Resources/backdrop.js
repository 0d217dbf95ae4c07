// The picture that a board is drawn on: the one before stays until the next one can be drawn.

import { decode } from "./decoding.js";

/** No copy for a smaller view is larger than this, in pixels. */
const largestCopy = 16e6;

export class Backdrop {
    /** What is drawn: {url, width, height}; null for nothing. */
    shown = null;
    /** The picture that this browser could not load or decode; null for none. */
    failed = null;
    #wanted = null;
    #image = null;
    /** Smaller copies by their scale: a large picture drawn small takes as long as one drawn large. */
    #copies = new Map();
    #onChange;
    #onFailure;

    /**
     * - onChange: Called when there is something else to draw.
     * - onFailure: Called when this browser could not load or decode the picture.
     */
    constructor(onChange, onFailure) {
        this.#onChange = onChange;
        this.#onFailure = onFailure;
    }

    /** Draws another picture as soon as it has come; null takes it away. */
    async show(picture) {
        if (picture?.url === this.#wanted?.url) return;
        this.#wanted = picture;
        this.failed = null;
        if (!picture) {
            this.#set(null, null);
            return;
        }
        const image = new Image();
        image.src = picture.url;
        try {
            await decode(image);
        } catch {
            if (this.#wanted !== picture) return;
            // The earlier picture is still drawn.
            this.failed = picture;
            this.#onFailure();
            return;
        }
        if (this.#wanted === picture) this.#set(picture, image);
    }

    /** Lets `show` try a picture again that failed. */
    forgetFailure() {
        if (!this.failed) return;
        this.failed = null;
        this.#wanted = this.shown;
    }

    /** The picture's box on the board: its middle is the origin, a pixel is a point. */
    get box() {
        if (!this.shown) return null;
        const [x, y] = [this.shown.width / 2, this.shown.height / 2];
        return { left: -x, right: x, bottom: -y, top: y };
    }

    /** Draws it; the drawing's unit is a pixel of the page, of which the screen has `ratio`. */
    draw(drawing, camera, ratio) {
        if (!this.shown) return;
        const { width, height } = this.shown;
        const { x, y } = camera.toPage({ x: -width / 2, y: height / 2 });
        drawing.imageSmoothingQuality = "medium";
        drawing.drawImage(this.#copy(camera.zoom * ratio), x, y, width * camera.zoom, height * camera.zoom);
    }

    #copy(scale) {
        if (scale > 1) return this.#image;
        const level = Math.max(2 ** Math.ceil(Math.log2(scale)), 1 / 256);
        const made = this.#copies.get(level);
        if (made) return made;
        const width = Math.max(1, Math.round(this.shown.width * level));
        const height = Math.max(1, Math.round(this.shown.height * level));
        if (width * height > largestCopy) return this.#image;
        const canvas = Object.assign(document.createElement("canvas"), { width, height });
        const drawing = canvas.getContext("2d");
        drawing.imageSmoothingQuality = "high";
        drawing.drawImage(this.#image, 0, 0, width, height);
        this.#copies.set(level, canvas);
        return canvas;
    }

    #set(picture, image) {
        this.shown = picture;
        this.#image = image;
        this.#copies.clear();
        this.#onChange();
    }
}
