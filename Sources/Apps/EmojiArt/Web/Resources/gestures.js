// Passes pointer events to the model, which decides what they mean.

export class Gestures {
    /** Whether a gesture is running that can be cancelled. */
    isActive = false;
    /** The time after which a resting finger starts a rectangle, in milliseconds; null for the model's. */
    longPress = null;
    #board;
    /** The latest move of each pointer that hasn't been handled. Each frame handles only the latest one. */
    #latestMoves = new Map();
    /** The IDs of the pointers that were pressed on the board, and are captured. */
    #pressedPointers = new Set();

    constructor(board) {
        this.#board = board;
        const { stage, drawing, model } = board;
        stage.addEventListener("pointerdown", (event) => this.#down(event));
        // Browsers scroll with the middle button, or paste the primary selection.
        for (const type of ["mousedown", "mouseup", "auxclick"]) {
            stage.addEventListener(type, (event) => event.button === 1 && event.preventDefault());
        }
        stage.addEventListener("pointermove", (event) => {
            this.#latestMoves.set(event.pointerId, event);
            drawing.request();
        });
        stage.addEventListener("pointerup", (event) => this.#up(event));
        stage.addEventListener("pointercancel", () => this.cancel());
        stage.addEventListener("lostpointercapture", ({ pointerId }) =>
            this.#pressedPointers.has(pointerId) && this.cancel());
        stage.addEventListener("pointerleave", () => {
            this.handleLatestMoves();
            model.pointerLeft();
        });
        stage.addEventListener("contextmenu", (event) => this.#menu(event));
        window.addEventListener("blur", () => this.cancel());
    }

    /** Cancels the current gesture and restores what it changed. Returns whether there was one. */
    cancel() {
        this.#latestMoves.clear();
        this.#pressedPointers.clear();
        return this.#board.model.cancelPointers();
    }

    /** The position of an event on the stage, [x, y]. */
    positionOf({ clientX, clientY }) {
        const { left, top } = this.#board.stage.getBoundingClientRect();
        return [clientX - left, clientY - top];
    }

    #down(event) {
        const { stage, model, isGone } = this.#board;
        if (event.button > 1 || isGone) return;
        // A browser moves the focus to the board when a mouse presses it, but not when a finger drags on it.
        if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
        stage.setPointerCapture(event.pointerId);
        this.#pressedPointers.add(event.pointerId);
        this.handleLatestMoves();
        model.pointerDown(...this.#argumentsFor(event));
    }

    #up(event) {
        this.#pressedPointers.delete(event.pointerId);
        this.handleLatestMoves();
        this.#board.model.pointerUp(...this.#argumentsFor(event));
    }

    /** Handles the latest positions of the pointers: once per frame, however many events arrive. */
    handleLatestMoves() {
        const moves = this.#latestMoves;
        this.#latestMoves = new Map();
        for (const event of moves.values()) this.#board.model.pointerMoved(...this.#argumentsFor(event));
    }

    /** The arguments of the model's functions for an event. */
    #argumentsFor(event) {
        const isAdding = event.shiftKey || event.ctrlKey || event.metaKey;
        const flags = [event.button === 1, isAdding, event.altKey, event.shiftKey]
            .reduce((sum, isSet, index) => sum + (isSet ? 2 ** index : 0), 0);
        return [event.pointerId, event.pointerType || "mouse", ...this.positionOf(event), flags, event.timeStamp];
    }

    #menu(event) {
        event.preventDefault();
        // A long press of a finger draws a rectangle instead.
        if (event.pointerType === "touch" || this.#board.isGone || this.#board.isViewOnly) return;
        const { model, stage, toolbars } = this.#board;
        const { left, top } = stage.getBoundingClientRect();
        // From the keyboard, the event has an empty `pointerType`: the menu is that of the selection, or of the emoji
        // at the keyboard's cursor. In browsers where this event isn't a PointerEvent, it is treated like a mouse's.
        const place = event.pointerType === "" ? null : [event.clientX - left, event.clientY - top];
        const [x, y, isEmpty] = model.openMenu(place);
        toolbars.showMenuAt(left + x, top + y, isEmpty);
    }
}
