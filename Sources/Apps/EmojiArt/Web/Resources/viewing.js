// The commands of the view, and the current tool.

import { showingEverything, showingNearest, showingSelection, zoomIs } from "./words.js";

export class Viewing {
    /** The action of pointers: "select", "hand" (move the view), or "area" (fingers draw selection rectangles, too). */
    tool = "select";
    isSpaceHeld = false;
    /** Whether the person has done nothing yet. While this is true, the view fits the content as it loads. */
    isUntouched = true;
    #board;
    #key;

    constructor(board) {
        this.#board = board;
        this.#key = `art-view-${board.id}`;
        window.addEventListener("pagehide", () => this.#storeView());
    }

    #storeView() {
        try {
            sessionStorage.setItem(this.#key, JSON.stringify(this.#board.camera));
        } catch {
            // Storage is forbidden or full: the page will show everything again.
        }
    }

    /** Restores the tab's last view, or shows everything. */
    open() {
        let stored = null;
        try {
            stored = JSON.parse(sessionStorage.getItem(this.#key));
        } catch {
            // The stored value is invalid.
        }
        if (this.#board.camera.restore(stored)) this.isUntouched = false;
        else this.#showAll();
    }

    /** Fits the view to the picture, which loads after the page. */
    pictureDidLoad() {
        if (this.isUntouched) this.#showAll();
    }

    /** Shows everything at 100 %, or smaller if it doesn't fit. */
    #showAll() {
        const { camera } = this.#board;
        camera.show(camera.fitting(this.contentBox, 1), { isAnimated: false });
    }

    /** Whether dragging always moves the view. */
    get isPanning() {
        return this.isSpaceHeld || this.tool === "hand";
    }

    get isChoosingArea() {
        return this.tool === "area";
    }

    setTool(tool) {
        this.tool = this.tool === tool ? "select" : tool;
        this.#showTool();
        this.#board.refresh();
    }

    holdSpace(isHeld) {
        if (this.isSpaceHeld === isHeld) return;
        this.isSpaceHeld = isHeld;
        this.#showTool();
    }

    #showTool() {
        const { gestures, stage } = this.#board;
        if (!gestures.isActive) stage.dataset.cursor = this.isPanning ? "grab" : "";
    }

    /** The bounding box of all emoji and the picture; null if there are none. */
    get contentBox() {
        const { selection, sync, backdrop } = this.#board;
        const boxes = [selection.box(sync.art.emojis.values()), backdrop.box].filter(Boolean);
        return boxes.length ? boxes.reduce(union) : null;
    }

    /** Whether any content is visible. */
    get isContentSeen() {
        const { selection, sync, backdrop, camera } = this.#board;
        const { view } = camera;
        if (backdrop.box && isTouching(backdrop.box, view)) return true;
        for (const emoji of sync.art.emojis.values()) if (isTouching(selection.box([emoji]), view)) return true;
        return false;
    }

    fit() {
        const { announcer, camera } = this.#board;
        camera.show(camera.fitting(this.contentBox));
        announcer.announce(showingEverything);
    }

    fitSelection() {
        const { announcer, camera, selection } = this.#board;
        camera.show(camera.fitting(selection.box(selection.targets)));
        announcer.announce(showingSelection);
    }

    /**
     * Moves the view to the nearest content without zooming; fits everything if that would be too small or too large.
     */
    goToContent() {
        const { announcer, backdrop, camera, selection, sync } = this.#board;
        const { middle, zoom } = camera;
        let [nearest, smallestDistance] = [backdrop.box, Infinity];
        for (const emoji of sync.art.emojis.values()) {
            const distance = Math.hypot(emoji.x - middle.x, emoji.y - middle.y);
            if (distance < smallestDistance) [nearest, smallestDistance] = [selection.box([emoji]), distance];
        }
        const length = (nearest.right - nearest.left) * zoom;
        if (length < 8 || length > camera.size.width) this.fit();
        else {
            const [x, y] = [(nearest.left + nearest.right) / 2, (nearest.bottom + nearest.top) / 2];
            camera.show({ zoom, pan: { x: -x * zoom, y: y * zoom } });
            announcer.announce(showingNearest);
        }
    }

    zoom(factor) {
        const { announcer, camera } = this.#board;
        const { width, height } = camera.size;
        camera.zoomAt({ x: width / 2, y: height / 2 }, factor);
        announcer.announce(zoomIs({ percent: camera.percent }));
    }

    actualSize() {
        const { announcer, camera } = this.#board;
        camera.show(camera.at(1));
        announcer.announce(zoomIs({ percent: "100 %" }));
    }

    /** The mouse's position on the board; without a mouse, the middle of the view. */
    get pointerOrMiddle() {
        const { camera, gestures } = this.#board;
        return gestures.pointer ? camera.toBoard(gestures.pointer) : camera.middle;
    }
}

function union(one, other) {
    return {
        left: Math.min(one.left, other.left), right: Math.max(one.right, other.right),
        bottom: Math.min(one.bottom, other.bottom), top: Math.max(one.top, other.top),
    };
}

function isTouching(one, other) {
    return one.left < other.right && one.right > other.left && one.bottom < other.top && one.top > other.bottom;
}
