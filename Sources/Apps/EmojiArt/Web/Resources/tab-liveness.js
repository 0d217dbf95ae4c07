// Detects when other tabs of this browser have ended. Each tab holds a lock while it is alive. A tab that waits for
// this lock acquires it when the other tab is closed, crashes, or navigates away.
//
// Locks are unavailable over plain HTTP from another machine; there, a tab listens to a channel while it is alive, and
// answers each question.

const responseTimeout = 1000;

/** Marks this tab as alive until the returned function is called. `tab` is a name that no other tab has. */
export function markAlive(tab) {
    if (navigator.locks) {
        let end;
        const lifetime = new Promise((done) => (end = done));
        navigator.locks.request(tab, () => lifetime);
        return end;
    }
    const channel = new BroadcastChannel(tab);
    channel.addEventListener("message", () => channel.postMessage("alive"));
    return () => channel.close();
}

/** Calls back when a tab is no longer alive. Without locks, asks the tab once, and never calls back if it answers. */
export async function whenEnded(tab, callback) {
    if (navigator.locks) return navigator.locks.request(tab, callback);
    const channel = new BroadcastChannel(tab);
    const isAlive = await new Promise((done) => {
        // Other tabs may ask the same question.
        channel.addEventListener("message", ({ data }) => data === "alive" && done(true));
        channel.postMessage("question");
        setTimeout(done, responseTimeout, false);
    });
    channel.close();
    // If the tab is alive, the next page of the board asks again. A missing answer doesn't prove that the tab has
    // ended. Two tabs may send the same batch: the server applies it once.
    if (!isAlive) await callback();
}
