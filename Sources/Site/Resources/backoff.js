// Delays between attempts. Each is about twice as long as the one before, with jitter, so that browsers that lost the
// same server don't reconnect at the same moment.

export class Backoff {
    #shortest;
    #longest;
    #next;
    #timer = null;

    /** Times in milliseconds: the first delay and the maximum. */
    constructor(shortest, longest) {
        this.#shortest = shortest;
        this.#longest = longest;
        this.#next = shortest;
    }

    get isWaiting() {
        return this.#timer !== null;
    }

    /** Calls back after the next delay, unless it is cancelled. */
    wait(callback) {
        this.end();
        this.#timer = setTimeout(() => {
            this.#timer = null;
            callback();
        }, this.#next * (0.75 + Math.random() / 2));
        this.#next = Math.min(this.#next * 2, this.#longest);
    }

    /** Cancels the delay without calling back. */
    end() {
        clearTimeout(this.#timer);
        this.#timer = null;
    }

    /** Cancels the delay and starts again from the shortest. */
    reset() {
        this.end();
        this.#next = this.#shortest;
    }
}
