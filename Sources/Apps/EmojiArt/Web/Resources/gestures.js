// Passes pointer events to the model, which decides what they mean.

export class Gestures {
    /** Whether a gesture is running that can be cancelled. */
    isActive = false;
    /** The time after which a resting finger begins a selection rectangle, in milliseconds; null for the model's. */
    longPress = null;
    #board;
    /** The latest move of each pointer that hasn't been passed on: once a frame is enough. */
    #moved = new Map();

    constructor(board) {
        this.#board = board;
        const { stage, drawing, model } = board;
        stage.addEventListener("pointerdown", (event) => this.#down(event));
        // Browsers scroll with the middle button, or paste the primary selection.
        for (const type of ["mousedown", "mouseup", "auxclick"]) {
            stage.addEventListener(type, (event) => event.button === 1 && event.preventDefault());
        }
        stage.addEventListener("pointermove", (event) => {
            this.#moved.set(event.pointerId, event);
            drawing.request();
        });
        stage.addEventListener("pointerup", (event) => {
            this.#passMoves();
            model.pointerUp(...this.#described(event));
        });
        stage.addEventListener("pointercancel", () => this.cancel());
        stage.addEventListener("lostpointercapture", () => this.isActive && this.cancel());
        stage.addEventListener("pointerleave", () => model.pointerLeft());
        stage.addEventListener("contextmenu", (event) => this.#menu(event));
        window.addEventListener("blur", () => this.cancel());
        drawing.beforeFrames(() => this.#passMoves());
    }

    /** Cancels the current gesture, and restores what it changed. Returns whether there was one. */
    cancel() {
        this.#moved.clear();
        return this.#board.model.cancelPointers();
    }

    /** The position of an event on the stage. */
    place({ clientX, clientY }) {
        const { left, top } = this.#board.stage.getBoundingClientRect();
        return { x: clientX - left, y: clientY - top };
    }

    #down(event) {
        const { stage, model, isGone } = this.#board;
        if (event.button > 1 || isGone) return;
        // The browser moves the focus to the board, but not while a finger drags.
        if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
        stage.setPointerCapture(event.pointerId);
        this.#passMoves();
        model.pointerDown(...this.#described(event));
    }

    #passMoves() {
        for (const event of this.#moved.values()) this.#board.model.pointerMoved(...this.#described(event));
        this.#moved.clear();
    }

    #described(event) {
        const { x, y } = this.place(event);
        const isAdding = event.shiftKey || event.ctrlKey || event.metaKey;
        const flags = (event.button === 1 ? 1 : 0) + (isAdding ? 2 : 0) + (event.altKey ? 4 : 0);
        return [event.pointerId, event.pointerType || "mouse", x, y, flags, event.timeStamp];
    }

    #menu(event) {
        event.preventDefault();
        // A long press of a finger draws a rectangle instead.
        if (event.pointerType === "touch" || this.#board.isGone) return;
        const { model, stage, bars } = this.#board;
        // Without a pointer, it is the keyboard's: the menu of the selection, or of the emoji at the keyboard's cursor.
        const place = event.pointerType ? this.place(event) : null;
        const [x, y] = model.openMenu(place ? [place.x, place.y] : null);
        const { left, top } = stage.getBoundingClientRect();
        bars.showMenuAt(left + x, top + y);
    }
}
