// Pauses between attempts: each about twice as long as the one before, and of random length, so that many browsers that lost
// one server don't come back at the same moment.

export class Backoff {
    #shortest;
    #longest;
    #next;
    #timer = null;

    /** Times in milliseconds. */
    constructor(shortest, longest) {
        this.#shortest = shortest;
        this.#longest = longest;
        this.#next = shortest;
    }

    get isWaiting() {
        return this.#timer !== null;
    }

    /** Calls back after the next pause, unless that is ended before. */
    wait(callback) {
        this.end();
        this.#timer = setTimeout(() => {
            this.#timer = null;
            callback();
        }, this.#next * (0.75 + Math.random() / 2));
        this.#next = Math.min(this.#next * 2, this.#longest);
    }

    /** Ends the pause, without calling back. */
    end() {
        clearTimeout(this.#timer);
        this.#timer = null;
    }

    /** Ends the pause, and makes the next one the shortest. */
    reset() {
        this.end();
        this.#next = this.#shortest;
    }
}
