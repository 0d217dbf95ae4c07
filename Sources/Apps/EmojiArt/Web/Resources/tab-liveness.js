// Detects when other tabs of this browser have ended. Each tab holds a lock while it is alive. A tab that waits for
// this lock acquires it when the other tab is closed, crashes, or navigates away.

const responseTimeout = 1000;

export class TabLiveness {
    #name;
    #tab;
    #channel = null;
    #isHeld = false;
    #release;
    #answered = new Set();

    /** - name: The name that the tabs share; `tab` is this tab's own. */
    constructor(name, tab) {
        this.#name = name;
        this.#tab = tab;
        // Locks are unavailable over plain HTTP from another machine; there, tabs ask each other by messages.
        if (navigator.locks) return;
        this.#channel = new BroadcastChannel(name);
        this.#channel.addEventListener("message", ({ data }) => {
            if ("isAlive" in data) this.#answered.add(data.isAlive);
            else if (this.#isHeld && data.asksFor === tab) this.#channel.postMessage({ isAlive: tab });
        });
    }

    /** Marks this tab as alive. */
    hold() {
        this.#isHeld = true;
        const end = new Promise((done) => (this.#release = done));
        navigator.locks?.request(`${this.#name}/${this.#tab}`, () => end);
    }

    /** Marks this tab as no longer alive. */
    release() {
        this.#isHeld = false;
        this.#release();
    }

    /**
     * Calls back when a tab is no longer alive. Without locks, asks the tab once, and never calls back if it answers.
     */
    async whenEnded(tab, callback) {
        if (navigator.locks) return navigator.locks.request(`${this.#name}/${tab}`, callback);
        this.#answered.delete(tab);
        this.#channel.postMessage({ asksFor: tab });
        await new Promise((done) => setTimeout(done, responseTimeout));
        // The tab is alive. When it has ended, the next page of the board asks again.
        if (this.#answered.has(tab)) return;
        // A missing answer doesn't prove that the tab has ended. Two tabs may send the same batch: the server applies
        // it once.
        await callback();
    }
}
