// Detects when other tabs of this browser have ended. Each tab holds a lock while it is alive. A tab that waits for
// this lock acquires it when the other tab is closed, crashes, or navigates away.

const responseTimeout = 1000;

export class TabLiveness {
    #releases = [];
    #channel = null;
    #held = new Set();
    #answered = new Set();

    constructor(name) {
        this.name = name;
        // Locks are unavailable over plain HTTP from another machine; there, tabs ask each other by messages.
        if (navigator.locks || typeof BroadcastChannel === "undefined") return;
        this.#channel = new BroadcastChannel(name);
        this.#channel.addEventListener("message", ({ data }) => {
            if ("isAlive" in data) this.#answered.add(data.isAlive);
            else if (this.#held.has(data.asksFor)) this.#channel.postMessage({ isAlive: data.asksFor });
        });
    }

    /** Marks a tab as alive. */
    hold(tab) {
        this.#held.add(tab);
        navigator.locks?.request(`${this.name}/${tab}`, () => new Promise((done) => this.#releases.push(done)));
    }

    /**
     * Calls back when a tab is no longer alive. Without locks, asks the tab once, and never calls back if it answers.
     */
    async whenEnded(tab, callback) {
        if (navigator.locks) return navigator.locks.request(`${this.name}/${tab}`, callback);
        if (this.#channel) {
            this.#answered.delete(tab);
            this.#channel.postMessage({ asksFor: tab });
            await new Promise((done) => setTimeout(done, responseTimeout));
            // The tab is alive. When it has ended, the next page of the board asks again.
            if (this.#answered.has(tab)) return;
        }
        // A missing answer doesn't prove that the tab has ended. Two tabs may send the same batch: the server applies
        // it once.
        await callback();
    }

    /** Marks the tabs that this object holds as no longer alive. */
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
