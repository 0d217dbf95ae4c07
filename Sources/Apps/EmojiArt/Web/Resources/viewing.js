// The view that a tab had last, and the tool of its pointers.

export class Viewing {
    /** The action of pointers: "select", "hand" (move the view), or "area" (fingers draw selection rectangles, too). */
    tool = "select";
    isSpaceHeld = false;
    #board;
    #key;

    constructor(board) {
        this.#board = board;
        this.#key = `art-view-${board.id}`;
        window.addEventListener("pagehide", () => this.#store());
    }

    #store() {
        try {
            const { zoom, pan } = this.#board.camera;
            sessionStorage.setItem(this.#key, JSON.stringify([zoom, pan.x, pan.y]));
        } catch {
            // Storage is forbidden or full: the page will show everything again.
        }
    }

    /** Restores the tab's last view, or shows everything. */
    open() {
        let view = null;
        try {
            view = JSON.parse(sessionStorage.getItem(this.#key));
        } catch {
            // The stored value is invalid.
        }
        const isView = Array.isArray(view) && view.length === 3 && view.every(Number.isFinite) && view[0] > 0;
        this.#board.model.openView(isView ? view : null);
    }

    holdSpace(isHeld) {
        if (this.isSpaceHeld === isHeld) return;
        this.isSpaceHeld = isHeld;
        this.#board.model.holdSpace(isHeld);
    }
}
