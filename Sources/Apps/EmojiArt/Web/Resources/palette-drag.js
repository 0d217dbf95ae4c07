// Drags an emoji from the palette onto the board. Uses pointer events, which also work for fingers and pens.

/** The distance after which a press becomes a drag, in pixels. */
const dragThreshold = 6;

export class PaletteDrag {
    #board;
    #ghost = document.getElementById("ghost");
    /** The current press: {emoji, id, x, y, isMoving}. */
    #press = null;
    #dropped = false;

    constructor(board, strip) {
        this.#board = board;
        strip.addEventListener("pointerdown", (event) => this.#down(event));
        strip.addEventListener("dragstart", (event) => event.preventDefault());
        strip.addEventListener("pointermove", (event) => this.#move(event));
        strip.addEventListener("pointerup", (event) => this.#up(event));
        // If a finger moves along the strip, the browser cancels the pointer and scrolls.
        strip.addEventListener("pointercancel", () => this.cancel());
        window.addEventListener("blur", () => this.cancel());
    }

    /** Whether the next click belongs to a drag that has ended. Resets the flag. */
    hasDropped() {
        const dropped = this.#dropped;
        this.#dropped = false;
        return dropped;
    }

    /** Cancels the drag. Returns whether there was one. */
    cancel() {
        const wasMoving = this.#press?.isMoving ?? false;
        this.#press = null;
        // The pointer is still down, so a click will follow.
        if (wasMoving) this.#dropped = true;
        this.#ghost.hidden = true;
        this.#board.stage.classList.remove("is-target");
        return wasMoving;
    }

    #down(event) {
        const button = event.target.closest("[data-emoji]");
        this.#dropped = false;
        if (!button || event.button !== 0 || !event.isPrimary || this.#board.isGone) return;
        const { clientX: x, clientY: y, pointerId: id } = event;
        button.setPointerCapture(id);
        this.#press = { emoji: button.dataset.emoji, id, x, y, isMoving: false };
    }

    #move(event) {
        const press = this.#press;
        if (press?.id !== event.pointerId) return;
        if (!press.isMoving) {
            if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < dragThreshold) return;
            press.isMoving = true;
            // As large as it will be on the board.
            this.#ghost.style.fontSize = `${this.#board.model.newEmojiSize() * this.#board.camera.zoom}px`;
            this.#ghost.textContent = press.emoji;
            this.#ghost.hidden = false;
        }
        this.#ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px) translate(-50%, -50%)`;
        this.#board.stage.classList.toggle("is-target", this.#positionOf(event) !== null);
    }

    #up(event) {
        const press = this.#press;
        if (press?.id !== event.pointerId) return;
        this.cancel();
        const position = press.isMoving ? this.#positionOf(event) : null;
        if (!position) return;
        this.#board.add([press.emoji], this.#board.model.boardPoint([position.x, position.y]));
    }

    /** The pointer's position on the stage; null outside it. */
    #positionOf({ clientX, clientY }) {
        const { left, top, right, bottom } = this.#board.stage.getBoundingClientRect();
        const isInside = clientX > left && clientX < right && clientY > top && clientY < bottom;
        return isInside ? { x: clientX - left, y: clientY - top } : null;
    }
}
