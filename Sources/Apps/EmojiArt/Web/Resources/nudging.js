// Moving emoji by the arrow keys: what comes in quick succession is one step.

/** How long after the last key the step is done, in milliseconds. */
const pause = 600;

export class Nudging {
    /** Begins a gesture that moves emoji: answers {update(dx, dy), end(), cancel()}. */
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

    /** All keys are up: soon the step is done, unless another key comes. */
    rest() {
        if (!this.#gesture) return;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.end(), pause);
    }

    /** The step is done. */
    end() {
        clearTimeout(this.#timer);
        this.#gesture?.end();
        this.#gesture = null;
    }

    /** Whether there was a step to put back. */
    cancel() {
        clearTimeout(this.#timer);
        const wasOn = this.#gesture !== null;
        this.#gesture?.cancel();
        this.#gesture = null;
        return wasOn;
    }
}
