// Drags an emoji from the palette onto the board. Uses pointer events, which also work for fingers and pens.

/** The distance after which a press becomes a drag, in pixels. */
const dragThreshold = 6;

export class PaletteDrag {
    #board;
    /** The emoji at the pointer, which is hidden unless one is dragged. */
    #ghost = document.getElementById("ghost");
    /** The current press: {emoji, id, x, y}. */
    #press = null;
    /** Whether an emoji was dragged since the last press. */
    #hasDragged = false;

    /** - strip: The element with the buttons of the emoji, which get no click for the end of a drag. */
    constructor(board, strip) {
        this.#board = board;
        strip.addEventListener("pointerdown", (event) => this.#down(event));
        strip.addEventListener("dragstart", (event) => event.preventDefault());
        strip.addEventListener("pointermove", (event) => this.#move(event));
        strip.addEventListener("pointerup", (event) => this.#up(event));
        // If a finger moves along the strip, the browser cancels the pointer and scrolls.
        strip.addEventListener("pointercancel", () => this.cancel());
        strip.addEventListener("click", (event) => {
            // A click from the keyboard has no `detail` and never ends a drag.
            if (this.#hasDragged && event.detail > 0) event.stopPropagation();
            this.#hasDragged = false;
        }, true);
        window.addEventListener("blur", () => this.cancel());
    }

    /** Cancels the drag. Returns whether there was one. */
    cancel() {
        const wasDragging = !this.#ghost.hidden;
        this.#press = null;
        this.#ghost.hidden = true;
        this.#board.stage.classList.remove("is-target");
        return wasDragging;
    }

    #down(event) {
        const button = event.target.closest("[data-emoji]");
        this.#hasDragged = false;
        if (!button || event.button !== 0 || !event.isPrimary || this.#board.isGone) return;
        const { clientX: x, clientY: y, pointerId: id } = event;
        button.setPointerCapture(id);
        this.#press = { emoji: button.dataset.emoji, id, x, y };
    }

    #move(event) {
        const { camera, model, stage } = this.#board;
        const { clientX: x, clientY: y, pointerId } = event;
        const press = this.#press;
        if (press?.id !== pointerId) return;
        if (this.#ghost.hidden) {
            if (Math.hypot(x - press.x, y - press.y) < dragThreshold) return;
            this.#hasDragged = true;
            // As large as it will be on the board.
            this.#ghost.style.fontSize = `${model.newEmojiSize() * camera.zoom}px`;
            this.#ghost.textContent = press.emoji;
            this.#ghost.hidden = false;
        }
        this.#ghost.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`;
        stage.classList.toggle("is-target", this.#positionOf(event) !== null);
    }

    #up(event) {
        const press = this.#press;
        if (press?.id !== event.pointerId) return;
        const position = this.cancel() ? this.#positionOf(event) : null;
        if (position) this.#board.add([press.emoji], this.#board.model.boardPoint(position));
    }

    /** The pointer's position on the stage, [x, y]; null outside it. */
    #positionOf({ clientX, clientY }) {
        const { left, top, width, height } = this.#board.stage.getBoundingClientRect();
        const [x, y] = [clientX - left, clientY - top];
        return x > 0 && x < width && y > 0 && y < height ? [x, y] : null;
    }
}
