// Moves emoji by the arrow keys: moves in quick succession are one step.

/** The time after the last key until the step ends, in milliseconds. */
const pause = 600;

export class Nudging {
    /** Begins a gesture that moves emoji: returns {update(dx, dy), end(), cancel()}. */
    #begin;
    #gesture = null;
    #way = { x: 0, y: 0 };
    #timer = null;

    constructor(begin) {
        this.#begin = begin;
        window.addEventListener("pagehide", () => this.end());
        document.addEventListener("visibilitychange", () => document.hidden && this.end());
    }

    move(dx, dy) {
        clearTimeout(this.#timer);
        if (!this.#gesture) {
            this.#way = { x: 0, y: 0 };
            this.#gesture = this.#begin();
        }
        this.#way = { x: this.#way.x + dx, y: this.#way.y + dy };
        this.#gesture.update(this.#way.x, this.#way.y);
    }

    /** Ends the step after a pause, unless another key is pressed. */
    rest() {
        if (!this.#gesture) return;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.end(), pause);
    }

    /** Ends the step. */
    end() {
        clearTimeout(this.#timer);
        this.#gesture?.end();
        this.#gesture = null;
    }

    /** Cancels the step. Returns whether there was one. */
    cancel() {
        clearTimeout(this.#timer);
        const wasOn = this.#gesture !== null;
        this.#gesture?.cancel();
        this.#gesture = null;
        return wasOn;
    }
}
