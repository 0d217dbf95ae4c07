// The background picture. The previous picture stays until the next one can be drawn.

import { decode } from "./decoding.js";

/** The maximum size of a scaled-down copy, in pixels. */
const largestCopy = 16e6;

export class Backdrop {
    /** The picture being drawn: {url, width, height}; null for none. */
    shown = null;
    /** The picture that this browser couldn't load or decode; null for none. */
    failed = null;
    #wanted = null;
    #image = null;
    /** Scaled-down copies, by scale. Drawing a large picture at a small size takes as long as at its full size. */
    #copies = new Map();
    #onChange;

    /** - onChange: Called when another picture, or none, is drawn, and when a picture couldn't be loaded or decoded. */
    constructor(onChange) {
        this.#onChange = onChange;
    }

    /**
     * Draws another picture as soon as it is decoded; null removes the picture. A picture that failed is tried again if
     * the server has reported it again, because its body may differ, or the connection had failed.
     */
    async show(picture, isReported) {
        const triesAgain = this.failed && isReported;
        if (picture === this.#wanted || (picture?.url === this.#wanted?.url && !triesAgain)) return;
        this.#wanted = picture;
        this.failed = null;
        const image = picture && Object.assign(new Image(), { src: picture.url });
        const isDecoded = image ? await decode(image).then(() => true, () => false) : true;
        if (this.#wanted !== picture) return;
        if (isDecoded) {
            this.shown = picture;
            this.#image = image;
            this.#copies.clear();
        } else {
            // The earlier picture is still drawn.
            this.failed = picture;
        }
        this.#onChange();
    }

    /** Lets `show` retry a picture that failed. */
    forgetFailure() {
        if (!this.failed) return;
        this.failed = null;
        this.#wanted = this.shown;
    }

    /**
     * Draws the picture, centred on the board's origin; one of its pixels is one point of the board. `ratio` is the
     * number of device pixels per CSS pixel.
     */
    draw(drawing, camera, ratio) {
        if (!this.shown) return;
        const { width, height } = this.shown;
        const { origin, zoom } = camera;
        const [left, top] = [origin.x - (width / 2) * zoom, origin.y - (height / 2) * zoom];
        drawing.imageSmoothingQuality = "medium";
        drawing.drawImage(this.#copy(zoom * ratio), left, top, width * zoom, height * zoom);
    }

    #copy(scale) {
        if (scale > 1) return this.#image;
        const level = Math.max(2 ** Math.ceil(Math.log2(scale)), 1 / 256);
        if (this.#copies.has(level)) return this.#copies.get(level);
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
}
