// What is looked at, and with which tool: the commands of the view.

export class Viewing {
    /** What pointers do: "select", "hand" (move the view), or "area" (fingers choose, too). */
    tool = "select";
    isSpaceHeld = false;
    /** Whether nobody has done anything yet: then the view is of everything, as it comes. */
    isUntouched = true;
    #board;
    #key;

    constructor(board) {
        this.#board = board;
        this.#key = `art-view-${board.id}`;
        window.addEventListener("pagehide", () => this.#keep());
    }

    #keep() {
        try {
            sessionStorage.setItem(this.#key, JSON.stringify(this.#board.camera));
        } catch {
            // Forbidden, or full: the page begins with everything again.
        }
    }

    /** Goes where the tab was, or shows everything. */
    open() {
        let kept = null;
        try {
            kept = JSON.parse(sessionStorage.getItem(this.#key));
        } catch {
            // What is kept there was another version's.
        }
        if (this.#board.camera.restore(kept)) this.isUntouched = false;
        else this.#showAll();
    }

    /** The first picture comes after the page. */
    pictureHasCome() {
        if (this.isUntouched) this.#showAll();
    }

    /** So large as it is, unless it is too large: a few emoji stay as small as they are. */
    #showAll() {
        const { camera } = this.#board;
        camera.show(camera.fitting(this.contentBox, 1), { isAnimated: false });
    }

    /** Whether dragging moves the view, whatever is below the pointer. */
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

    /** Around all emoji and the picture; null while there is nothing. */
    get contentBox() {
        const { selection, sync, backdrop } = this.#board;
        const boxes = [selection.box(sync.art.emojis.values()), backdrop.box].filter(Boolean);
        return boxes.length ? boxes.reduce(union) : null;
    }

    /** Whether something of the board is in sight. */
    get isContentSeen() {
        const { selection, sync, backdrop, camera } = this.#board;
        const { view } = camera;
        if (backdrop.box && isTouching(backdrop.box, view)) return true;
        for (const emoji of sync.art.emojis.values()) if (isTouching(selection.box([emoji]), view)) return true;
        return false;
    }

    fit() {
        const { camera } = this.#board;
        camera.show(camera.fitting(this.contentBox));
    }

    fitChosen() {
        const { camera, selection } = this.#board;
        camera.show(camera.fitting(selection.box(selection.targets)));
    }

    /** Goes to what is nearest, and stays as near as it was. */
    goToContent() {
        const { backdrop, camera, selection, sync } = this.#board;
        const { middle, zoom } = camera;
        let [nearest, least] = [backdrop.box, Infinity];
        for (const emoji of sync.art.emojis.values()) {
            const distance = Math.hypot(emoji.x - middle.x, emoji.y - middle.y);
            if (distance < least) [nearest, least] = [selection.box([emoji]), distance];
        }
        const length = (nearest.right - nearest.left) * zoom;
        if (length < 8 || length > camera.size.width) this.fit();
        else {
            const [x, y] = [(nearest.left + nearest.right) / 2, (nearest.bottom + nearest.top) / 2];
            camera.show({ zoom, pan: { x: -x * zoom, y: y * zoom } });
        }
    }

    zoom(factor) {
        const { camera } = this.#board;
        const { width, height } = camera.size;
        camera.zoomAt({ x: width / 2, y: height / 2 }, factor);
    }

    actualSize() {
        const { camera } = this.#board;
        camera.show(camera.at(1));
    }

    /** Where the mouse is on the board; the middle of the view, where it is not. */
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
