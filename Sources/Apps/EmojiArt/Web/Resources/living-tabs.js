// Which tabs are alive: each holds a lock of its own for as long as it is, and whoever waits for that lock has it when
// the tab is closed, has crashed, or has gone to another page.

const answerWithin = 1000;

export class LivingTabs {
    #releases = [];
    #channel = null;
    #held = new Set();
    #answered = new Set();

    constructor(name) {
        this.name = name;
        // There are no locks where the site is reached by plain HTTP from another machine; there tabs ask each other.
        if (navigator.locks || typeof BroadcastChannel === "undefined") return;
        this.#channel = new BroadcastChannel(name);
        this.#channel.addEventListener("message", ({ data }) => {
            if ("isAlive" in data) this.#answered.add(data.isAlive);
            else if (this.#held.has(data.asksFor)) this.#channel.postMessage({ isAlive: data.asksFor });
        });
    }

    /** Says that a tab is alive, from now on. */
    hold(tab) {
        this.#held.add(tab);
        navigator.locks?.request(`${this.name}/${tab}`, () => new Promise((done) => this.#releases.push(done)));
    }

    /** Calls back when a tab is no longer alive. */
    async whenGone(tab, callback) {
        if (navigator.locks) return navigator.locks.request(`${this.name}/${tab}`, callback);
        if (this.#channel) {
            this.#answered.delete(tab);
            this.#channel.postMessage({ asksFor: tab });
            await new Promise((done) => setTimeout(done, answerWithin));
            // When it ends, the next page of the board asks again.
            if (this.#answered.has(tab)) return;
        }
        // Nobody can tell: two that send the same batch do no harm, as the server applies it once.
        await callback();
    }

    /** Says that what was alive here is so no longer. */
    release() {
        for (const release of this.#releases) release();
        this.#releases = [];
        this.#held.clear();
    }

    close() {
        this.release();
        this.#channel?.close();
    }
}
