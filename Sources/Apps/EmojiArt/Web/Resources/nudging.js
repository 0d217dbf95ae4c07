// Moves emoji with the arrow keys. Moves in quick succession form one undo step.

/** How long after the release of the last arrow key the step ends, in milliseconds. */
const endDelay = 600;

export class Nudging {
    /** Begins a gesture that moves emoji: returns {update(dx, dy), end(), cancel()}. */
    #begin;
    #gesture = null;
    #offset = { x: 0, y: 0 };
    #timer = null;

    constructor(begin) {
        this.#begin = begin;
        window.addEventListener("pagehide", () => this.end());
        document.addEventListener("visibilitychange", () => document.hidden && this.end());
    }

    move(dx, dy) {
        clearTimeout(this.#timer);
        if (!this.#gesture) {
            this.#offset = { x: 0, y: 0 };
            this.#gesture = this.#begin();
        }
        this.#offset = { x: this.#offset.x + dx, y: this.#offset.y + dy };
        this.#gesture.update(this.#offset.x, this.#offset.y);
    }

    /** Ends the step after a pause, unless an arrow key is pressed again. */
    endSoon() {
        if (!this.#gesture) return;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.end(), endDelay);
    }

    end() {
        clearTimeout(this.#timer);
        this.#gesture?.end();
        this.#gesture = null;
    }

    /** Cancels the step. Returns whether one was in progress. */
    cancel() {
        clearTimeout(this.#timer);
        const wasActive = this.#gesture !== null;
        this.#gesture?.cancel();
        this.#gesture = null;
        return wasActive;
    }
}
