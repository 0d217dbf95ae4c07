// Draws a board: the paper and the picture on one canvas, emoji and the selection on another in front of it, so that
// dragging emoji doesn't redraw the picture. A frame is drawn only when something has changed.

/** The maximum time that a frame spends on making bitmaps of emoji, in milliseconds. */
const bitmapTime = 8;
/** If more emoji than this are selected, only their common frame is drawn while they or the view move. */
const maximumOutlines = 60;
/** The distance of the paper's dots at 100 %, and their size, in pixels. */
const spacing = 32;
const dot = 1.5;
/** The maximum distance from an emoji's middle to a drawn point, at any angle, as a multiple of its size. */
const maximumReach = 0.75 * Math.SQRT2;

export class Drawing {
    /** The rectangle being dragged, [x, y, width, height]; null if there is none. */
    marquee = null;
    /** Whether selected emoji are being dragged. */
    isDragging = false;
    /** Whether emoji are being resized. */
    isResizing = false;
    /** The number of frames drawn. */
    frames = 0;
    #parts;
    #paper;
    #front;
    #ratio = 1;
    #isFrameRequested = false;
    #isPaperStale = true;
    #isFrontStale = true;
    #colours = {};
    /** The bitmap of a row of dots, with the parameters that it was made for. */
    #dots = { key: "", row: null };
    #frameActions = [];
    /** The view of the previous frame, and whether it has changed since. */
    #view = "";
    #isViewMoving = false;

    /** - parts: {stage, paper, front, camera, glyphs, selection, backdrop, model, art}; `art` returns the board to draw. */
    constructor(parts) {
        this.#parts = parts;
        this.#paper = parts.paper.getContext("2d", { alpha: false });
        this.#front = parts.front.getContext("2d");
        new ResizeObserver(() => this.#resize()).observe(parts.stage);
        for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"]) {
            matchMedia(query).addEventListener("change", () => this.#readColours());
        }
        this.#readColours();
        this.#resize();
    }

    /** Applies the model's effects on a drag. */
    update({ drag }) {
        if (!drag) return;
        const { marquee, isDragging, isResizing } = drag;
        Object.assign(this, { marquee, isDragging, isResizing });
        this.invalidateFront();
    }

    /** Calls an action at the beginning of each frame. */
    beforeFrames(action) {
        this.#frameActions.push(action);
    }

    /** Redraws everything in the next frame. */
    invalidate() {
        this.#isPaperStale = true;
        this.invalidateFront();
    }

    /** Redraws emoji and the selection in the next frame. */
    invalidateFront() {
        this.#isFrontStale = true;
        this.request();
    }

    /** Requests a frame. Only stale canvases are redrawn; the actions of `beforeFrames` may make them stale. */
    request() {
        if (this.#isFrameRequested) return;
        this.#isFrameRequested = true;
        requestAnimationFrame(() => this.#drawFrame());
    }

    #resize() {
        const { stage, paper, front, camera } = this.#parts;
        const { clientWidth: width, clientHeight: height } = stage;
        this.#ratio = Math.min(devicePixelRatio || 1, 3);
        for (const canvas of [paper, front]) {
            canvas.width = Math.round(width * this.#ratio);
            canvas.height = Math.round(height * this.#ratio);
        }
        camera.resize(width, height);
        // Resizing clears a canvas, so redraw it before it is shown.
        this.#isPaperStale = this.#isFrontStale = true;
        this.#drawFrame();
    }

    #readColours() {
        const style = getComputedStyle(this.#parts.stage);
        const names = ["paper", "dots", "frame", "frame-wash", "halo", "handle"];
        this.#colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--board-${name}`)]));
        this.invalidate();
    }

    #drawFrame() {
        this.#isFrameRequested = false;
        for (const action of this.#frameActions) action();
        if (this.#ratio !== Math.min(devicePixelRatio || 1, 3)) {
            this.#resize();
            return;
        }
        if (this.#isPaperStale) this.#drawPaper();
        if (this.#isFrontStale) this.#drawFront();
        this.frames += 1;
        if (this.#parts.glyphs.isUnfinished) this.invalidateFront();
    }

    // --- The canvas behind.

    #drawPaper() {
        this.#isPaperStale = false;
        const drawing = this.#paper;
        const { camera, backdrop } = this.#parts;
        const { width, height } = camera.size;
        drawing.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
        drawing.fillStyle = this.#colours.paper;
        drawing.fillRect(0, 0, width, height);
        this.#drawDots(drawing);
        backdrop.draw(drawing, camera, this.#ratio);
    }

    /** Draws the dots by rows, each of them a bitmap: a thousand single dots would take longer than the picture. */
    #drawDots(drawing) {
        const { camera } = this.#parts;
        const { origin, size } = camera;
        // The distance follows the zoom, doubled or halved to stay near `spacing`.
        let distance = spacing * camera.zoom;
        distance *= 2 ** -Math.round(Math.log2(distance / spacing));
        const first = (value) => ((value % distance) + distance) % distance;
        const row = this.#rowOfDots(distance, size.width);
        const ratio = this.#ratio;
        drawing.setTransform(1, 0, 0, 1, 0, 0);
        const left = Math.round((first(origin.x) - distance) * ratio);
        for (let y = first(origin.y); y < size.height + 1; y += distance) {
            drawing.drawImage(row, left, Math.round((y - dot / 2) * ratio));
        }
        drawing.setTransform(ratio, 0, 0, ratio, 0, 0);
    }

    #rowOfDots(distance, width) {
        const colour = this.#colours.dots;
        const key = `${distance} ${width} ${this.#ratio} ${colour}`;
        if (this.#dots.key === key) return this.#dots.row;
        const ratio = this.#ratio;
        const [length, height] = [Math.ceil((width + 2 * distance) * ratio), Math.ceil(dot * ratio)];
        const drawing = new OffscreenCanvas(length, height).getContext("2d");
        drawing.fillStyle = colour;
        for (let x = 0; x <= width + 2 * distance; x += distance) {
            drawing.fillRect(Math.round((x - dot / 2) * ratio), 0, height, height);
        }
        this.#dots = { key, row: drawing.canvas.transferToImageBitmap() };
        return this.#dots.row;
    }

    // --- The canvas in front.

    #drawFront() {
        this.#isFrontStale = false;
        const drawing = this.#front;
        const { camera, selection } = this.#parts;
        drawing.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
        drawing.clearRect(0, 0, camera.size.width, camera.size.height);
        const view = `${camera.zoom} ${camera.pan.x} ${camera.pan.y}`;
        this.#isViewMoving = view !== this.#view;
        this.#view = view;
        this.#drawEmoji(drawing);
        if (selection.size) this.#drawSelection(drawing);
        if (selection.cursor !== null) this.#drawCursor(drawing);
        if (this.marquee) this.#drawMarquee(drawing);
    }

    /** Draws in device pixels, so that bitmaps of the right size aren't scaled. */
    #drawEmoji(drawing) {
        const { camera, glyphs, art } = this.#parts;
        const ratio = this.#ratio;
        const zoom = camera.zoom * ratio;
        const [left, top] = [camera.origin.x * ratio, camera.origin.y * ratio];
        const [width, height] = [camera.size.width * ratio, camera.size.height * ratio];
        glyphs.begin({ ratio, zoom: camera.zoom, isSteady: !this.isResizing, time: bitmapTime });
        drawing.setTransform(1, 0, 0, 1, 0, 0);
        for (const emoji of art().ordered()) {
            const length = emoji.size * zoom;
            const x = left + emoji.x * zoom;
            const y = top - emoji.y * zoom;
            const reach = length * maximumReach;
            if (x + reach < 0 || x - reach > width || y + reach < 0 || y - reach > height) continue;
            const bitmap = glyphs.bitmap(emoji.text, length);
            if (!bitmap) continue;
            const { image, size } = bitmap;
            const side = image.width;
            if (emoji.angle || emoji.flipped) {
                const { a, b, c, d } = matrixOf(emoji);
                const drawnSide = (side * length) / size;
                drawing.setTransform(a, b, c, d, x, y);
                drawing.drawImage(image, -drawnSide / 2, -drawnSide / 2, drawnSide, drawnSide);
                drawing.setTransform(1, 0, 0, 1, 0, 0);
            } else if (Math.abs(size - length) <= 0.125) {
                drawing.drawImage(image, Math.round(x - side / 2), Math.round(y - side / 2));
            } else {
                const drawnSide = (side * length) / size;
                drawing.drawImage(image, x - drawnSide / 2, y - drawnSide / 2, drawnSide, drawnSide);
            }
        }
        drawing.setTransform(ratio, 0, 0, ratio, 0, 0);
    }

    #drawSelection(drawing) {
        const { selection, model } = this.#parts;
        drawing.strokeStyle = this.#colours.frame;
        const isSimplified = selection.size > maximumOutlines && (this.isDragging || this.#isViewMoving);
        if (isSimplified && !this.isDragging) this.invalidateFront();
        if (selection.size > 1 && !isSimplified) {
            drawing.lineWidth = 1.25;
            drawing.beginPath();
            for (const outline of model.outlines()) drawing.rect(...outline);
            drawing.stroke();
        }
        const { frame, corners, handle } = this.frame();
        // Two colours, to be visible on light and on dark.
        for (const [colour, width] of [["halo", 4], ["frame", 1.75]]) {
            drawing.strokeStyle = this.#colours[colour];
            drawing.lineWidth = width;
            drawing.strokeRect(...frame);
        }
        if (this.isDragging || !handle) return;
        drawing.fillStyle = this.#colours.handle;
        drawing.beginPath();
        drawing.moveTo(handle.x, handle.y);
        drawing.lineTo(handle.x, handle.isBelow ? frame[1] + frame[3] : frame[1]);
        drawing.stroke();
        for (const { x, y } of [...corners, handle]) {
            drawing.beginPath();
            drawing.arc(x, y, 5.5, 0, 2 * Math.PI);
            drawing.fill();
            drawing.stroke();
        }
    }

    #drawCursor(drawing) {
        const outline = this.#parts.model.keyboardOutline();
        if (!outline) return;
        drawing.lineWidth = 2.5;
        drawing.strokeStyle = this.#colours.frame;
        drawing.setLineDash([7, 4]);
        drawing.strokeRect(...outline);
        drawing.setLineDash([]);
    }

    #drawMarquee(drawing) {
        drawing.fillStyle = this.#colours["frame-wash"];
        drawing.fillRect(...this.marquee);
        drawing.strokeStyle = this.#colours.frame;
        drawing.lineWidth = 1;
        drawing.strokeRect(...this.marquee);
    }

    /**
     * The model's frame around the emoji that commands apply to; null if there are none. `frame` is [x, y, width,
     * height]. `corners` has the positions of the handles that resize, and `handle` that of the one that rotates, which
     * may be below the frame (`isBelow`). If all emoji are locked, `corners` is empty and `handle` is null.
     */
    frame() {
        const found = this.#parts.model.frame();
        if (!found) return null;
        const [frame, corners, handle] = found;
        return {
            frame,
            corners: corners.map(([x, y]) => ({ x, y })),
            handle: handle && { x: handle[0], y: handle[1], isBelow: handle[2] },
        };
    }
}

/** The transform that rotates and mirrors an emoji around the canvas's origin. */
export function matrixOf({ angle, flipped }) {
    const radians = (angle * Math.PI) / 180;
    const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
    return flipped ? { a: -cos, b: -sin, c: -sin, d: cos } : { a: cos, b: sin, c: -sin, d: cos };
}
