// Stores the undo history of boards in the browser, so that it survives a reload and a restart. If a board is open in
// several tabs, the history of the tab that was used last is stored.

const prefix = "meanwhile.art.history/";
/** The delay between a step and storing the history, in milliseconds. */
const storeDelay = 500;
/** The maximum number of boards whose history is stored: unsent changes need room in the same storage. */
const maximumBoards = 10;
/** Milliseconds after which the history of a missing board is removed. Until then, the board can be restored. */
const lifetime = 3600_000;

/** Restores the history of a board, and stores it after each step. */
export function storeHistory({ id, sync, model }) {
    const key = prefix + id;
    let timer = null;
    const store = () => {
        if (timer === null) return;
        clearTimeout(timer);
        timer = null;
        try {
            localStorage.setItem(key, JSON.stringify({ time: Date.now(), ...model.history() }));
            for (const old of storedKeys().slice(maximumBoards)) localStorage.removeItem(old);
        } catch {
            // Storage is forbidden or full: the history ends with the tab.
        }
    };
    try {
        const stored = JSON.parse(localStorage.getItem(key));
        if (stored) model.restoreHistory(stored);
    } catch {
        // Storage is forbidden, or the stored value is invalid.
    }
    sync.addEventListener("history", () => (timer ??= setTimeout(store, storeDelay)));
    window.addEventListener("pagehide", store);
}

/** Removes the histories of boards that no longer exist. `existing` has the IDs of all boards that do. */
export function removeHistories(existing) {
    try {
        for (const key of storedKeys()) {
            if (existing.has(key.slice(prefix.length)) || storedTime(key) + lifetime >= Date.now()) continue;
            localStorage.removeItem(key);
        }
    } catch {
        // Storage is forbidden.
    }
}

/** The keys of the stored histories, the one that was stored last first. */
function storedKeys() {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
    const times = new Map(keys.map((key) => [key, storedTime(key)]));
    return keys.sort((one, other) => times.get(other) - times.get(one));
}

/** Reads when a history was stored from the beginning of the stored text. */
function storedTime(key) {
    return Number(/^\{"time":(\d+)/.exec(localStorage.getItem(key))?.[1] ?? 0);
}
