// Stores the tab's last view. The model has the tool of the pointers, and moves the view.

export class Viewing {
    /** The action of pointers: "select", "hand" (move the view), or "area" (fingers draw selection rectangles, too). */
    tool = "select";
    isSpaceHeld = false;
    #board;
    #key;

    constructor(board) {
        this.#board = board;
        this.#key = `art-view-${board.id}`;
        window.addEventListener("pagehide", () => this.#storeView());
    }

    #storeView() {
        try {
            const { zoom, pan } = this.#board.camera;
            sessionStorage.setItem(this.#key, JSON.stringify({ zoom, pan }));
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
        const view = [stored?.zoom, stored?.pan?.x, stored?.pan?.y];
        const isValid = view.every(Number.isFinite) && stored.zoom > 0;
        this.#board.model.openView(isValid ? view : null);
    }

    holdSpace(isHeld) {
        if (this.isSpaceHeld === isHeld) return;
        this.isSpaceHeld = isHeld;
        this.#board.model.holdSpace(isHeld);
    }
}
