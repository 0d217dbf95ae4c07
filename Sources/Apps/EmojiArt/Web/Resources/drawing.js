// Draws a board: the paper and the picture on one canvas, emoji and the selection on another in front of it, so that
// dragging emoji doesn't redraw the picture. A frame is drawn only when something has changed.

/** If more emoji than this are selected, only their common frame is drawn while they or the view move. */
const maximumOutlines = 60;
/** The distance of the paper's dots at 100 %, and their size, in pixels. */
const spacing = 32;
const dot = 1.5;
/** The maximum distance from an emoji's middle to a drawn point, at any angle, as a multiple of its size. */
const maximumReach = 0.75 * Math.SQRT2;

/** The number of device pixels per CSS pixel. */
const currentRatio = () => Math.min(devicePixelRatio, 3);

export class Drawing {
    /** The rectangle being dragged, [x, y, width, height]; null if there is none. */
    marquee = null;
    /** Whether selected emoji are being dragged. */
    isDragging = false;
    /** Whether emoji are being resized. */
    isResizing = false;
    /** The number of frames drawn. */
    frames = 0;
    #board;
    #paper;
    #front;
    #ratio = 1;
    #isFrameRequested = false;
    #isPaperStale = true;
    #isFrontStale = true;
    #colours = {};
    /** The bitmap of a row of dots, with the parameters that it was made for. */
    #dots = { key: "", row: null };
    /** The view of the previous frame. */
    #view = "";

    constructor(board) {
        this.#board = board;
        const [paper, front] = board.stage.querySelectorAll("canvas");
        this.#paper = paper.getContext("2d", { alpha: false });
        this.#front = front.getContext("2d");
        for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"]) {
            matchMedia(query).addEventListener("change", () => this.#readColours());
        }
        this.#readColours();
        this.#resize();
        new ResizeObserver(() => {
            this.#resize();
            // Resizing clears a canvas, so redraw it before it is shown.
            this.#drawFrame();
        }).observe(board.stage);
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

    /** Requests a frame. Only stale canvases are redrawn; the moves of pointers may make them stale. */
    request() {
        if (this.#isFrameRequested) return;
        this.#isFrameRequested = true;
        requestAnimationFrame(() => this.#drawFrame());
    }

    #resize() {
        const { clientWidth: width, clientHeight: height } = this.#board.stage;
        this.#ratio = currentRatio();
        for (const { canvas } of [this.#paper, this.#front]) {
            canvas.width = Math.round(width * this.#ratio);
            canvas.height = Math.round(height * this.#ratio);
        }
        this.#board.camera.resize(width, height);
        this.#isPaperStale = this.#isFrontStale = true;
    }

    #readColours() {
        const style = getComputedStyle(this.#board.stage);
        const names = ["paper", "dots", "frame", "frame-wash", "halo", "handle"];
        this.#colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--board-${name}`)]));
        this.invalidate();
    }

    #drawFrame() {
        this.#isFrameRequested = false;
        this.#board.gestures.handleLatestMoves();
        this.#board.background.placeProgress();
        if (this.#ratio !== currentRatio()) this.#resize();
        if (this.#isPaperStale) this.#drawPaper();
        if (this.#isFrontStale) this.#drawFront();
        this.frames += 1;
        if (this.#board.glyphs.isUnfinished) this.invalidateFront();
    }

    // --- The canvas behind.

    #drawPaper() {
        this.#isPaperStale = false;
        const drawing = this.#paper;
        const { camera, backdrop } = this.#board;
        drawing.resetTransform();
        drawing.fillStyle = this.#colours.paper;
        drawing.fillRect(0, 0, drawing.canvas.width, drawing.canvas.height);
        this.#drawDots(drawing);
        drawing.scale(this.#ratio, this.#ratio);
        backdrop.draw(drawing, camera, this.#ratio);
    }

    /** Draws the dots by rows, each of them a bitmap: a thousand single dots would take longer than the picture. */
    #drawDots(drawing) {
        const { origin, size, zoom } = this.#board.camera;
        // The distance follows the zoom, doubled or halved to stay near `spacing`.
        const distance = spacing * zoom * 2 ** -Math.round(Math.log2(zoom));
        const first = (value) => ((value % distance) + distance) % distance;
        const row = this.#rowOfDots(distance, size.width + 2 * distance);
        const left = Math.round((first(origin.x) - distance) * this.#ratio);
        for (let y = first(origin.y); y < size.height + 1; y += distance) {
            drawing.drawImage(row, left, Math.round((y - dot / 2) * this.#ratio));
        }
    }

    #rowOfDots(distance, width) {
        const colour = this.#colours.dots;
        const ratio = this.#ratio;
        const key = `${distance} ${width} ${ratio} ${colour}`;
        if (this.#dots.key === key) return this.#dots.row;
        const side = Math.ceil(dot * ratio);
        const drawing = new OffscreenCanvas(Math.ceil(width * ratio), side).getContext("2d");
        drawing.fillStyle = colour;
        for (let x = 0; x <= width; x += distance) {
            drawing.fillRect(Math.round((x - dot / 2) * ratio), 0, side, side);
        }
        this.#dots = { key, row: drawing.canvas.transferToImageBitmap() };
        return this.#dots.row;
    }

    // --- The canvas in front.

    #drawFront() {
        this.#isFrontStale = false;
        const drawing = this.#front;
        const { camera, model, selection } = this.#board;
        drawing.resetTransform();
        drawing.clearRect(0, 0, drawing.canvas.width, drawing.canvas.height);
        this.#drawEmoji(drawing);
        drawing.scale(this.#ratio, this.#ratio);
        const view = `${camera.zoom} ${camera.pan.x} ${camera.pan.y}`;
        if (selection.size) this.#drawSelection(drawing, view !== this.#view);
        this.#view = view;
        const cursor = selection.cursor === null ? null : model.keyboardOutline();
        if (cursor) {
            drawing.setLineDash([7, 4]);
            this.#drawOutline(drawing, cursor, "frame", 2.5);
            drawing.setLineDash([]);
        }
        if (this.marquee) {
            drawing.fillStyle = this.#colours["frame-wash"];
            drawing.fillRect(...this.marquee);
            this.#drawOutline(drawing, this.marquee, "frame", 1);
        }
    }

    /** Draws in device pixels, so that bitmaps of the right size aren't scaled. */
    #drawEmoji(drawing) {
        const { camera, glyphs, sync } = this.#board;
        const ratio = this.#ratio;
        const zoom = camera.zoom * ratio;
        const [left, top] = [camera.origin.x * ratio, camera.origin.y * ratio];
        const { width, height } = drawing.canvas;
        glyphs.begin({ ratio, zoom: camera.zoom, isSteady: !this.isResizing });
        for (const emoji of sync.art.ordered()) {
            const length = emoji.size * zoom;
            const x = left + emoji.x * zoom;
            const y = top - emoji.y * zoom;
            const reach = length * maximumReach;
            if (x + reach < 0 || x - reach > width || y + reach < 0 || y - reach > height) continue;
            const bitmap = glyphs.bitmap(emoji.text, length);
            if (!bitmap) continue;
            const { image, size } = bitmap;
            const side = (image.width * length) / size;
            if (emoji.angle || emoji.flipped) {
                setTransform(drawing, emoji, x, y);
                drawing.drawImage(image, -side / 2, -side / 2, side, side);
                drawing.resetTransform();
            } else if (Math.abs(size - length) <= 0.125) {
                drawing.drawImage(image, Math.round(x - image.width / 2), Math.round(y - image.width / 2));
            } else {
                drawing.drawImage(image, x - side / 2, y - side / 2, side, side);
            }
        }
    }

    #drawSelection(drawing, isViewMoving) {
        const { selection, model } = this.#board;
        drawing.strokeStyle = this.#colours.frame;
        const isSimplified = selection.size > maximumOutlines && (this.isDragging || isViewMoving);
        if (isSimplified && !this.isDragging) this.invalidateFront();
        if (selection.size > 1 && !isSimplified) {
            drawing.lineWidth = 1.25;
            drawing.beginPath();
            for (const outline of model.outlines()) drawing.rect(...outline);
            drawing.stroke();
        }
        // If all emoji are locked, there are no corners, and the handle that rotates is null.
        const [frame, corners, rotationHandle] = model.frame();
        // Two colours, to be visible on light and on dark.
        this.#drawOutline(drawing, frame, "halo", 4);
        this.#drawOutline(drawing, frame, "frame", 1.75);
        if (this.isDragging || !rotationHandle) return;
        const [x, y, isBelow] = rotationHandle;
        drawing.fillStyle = this.#colours.handle;
        drawing.beginPath();
        drawing.moveTo(x, y);
        drawing.lineTo(x, isBelow ? frame[1] + frame[3] : frame[1]);
        drawing.stroke();
        for (const [handleX, handleY] of [...corners, rotationHandle]) {
            drawing.beginPath();
            drawing.arc(handleX, handleY, 5.5, 0, 2 * Math.PI);
            drawing.fill();
            drawing.stroke();
        }
    }

    /** Draws the outline of a rectangle, [x, y, width, height], in one of the board's colours. */
    #drawOutline(drawing, rectangle, colour, width) {
        drawing.strokeStyle = this.#colours[colour];
        drawing.lineWidth = width;
        drawing.strokeRect(...rectangle);
    }
}

/** Moves a canvas's origin to a position, where it is rotated and mirrored as an emoji is. */
export function setTransform(drawing, { angle, flipped }, x, y) {
    const radians = (angle * Math.PI) / 180;
    const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
    const side = flipped ? -1 : 1;
    drawing.setTransform(side * cos, side * sin, -sin, cos, x, y);
}
