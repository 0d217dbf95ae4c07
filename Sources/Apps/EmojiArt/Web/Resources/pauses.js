// Pauses between attempts: each about twice as long as the one before, and never the same for all who wait.

const shortest = 500;
const longest = 10000;

export class Pauses {
    #next = shortest;
    #timer = null;

    /** Whether one is going on. */
    get isResting() {
        return this.#timer !== null;
    }

    /** Calls back after a pause, unless it is ended before. */
    rest(callback) {
        this.end();
        this.#timer = setTimeout(() => {
            this.#timer = null;
            callback();
        }, this.#next * (0.75 + Math.random() / 2));
        this.#next = Math.min(this.#next * 2, longest);
    }

    /** Ends the pause that is going on; nobody is called. */
    end() {
        clearTimeout(this.#timer);
        this.#timer = null;
    }

    /** The next pause is a short one again. */
    reset() {
        this.end();
        this.#next = shortest;
    }
}
