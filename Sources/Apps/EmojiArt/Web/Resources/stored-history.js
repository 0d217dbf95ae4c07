// Stores the undo history of boards in the browser, so that it survives a reload and a restart. If a board is open in
// several tabs, the history of the tab that was used last is stored. Without storage, a history ends with its tab.

import { storedKeys, withStorage } from "../site/storage.js";

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
        withStorage(() => {
            localStorage.setItem(key, JSON.stringify({ time: Date.now(), ...model.history() }));
            for (const old of storedHistories().slice(maximumBoards)) localStorage.removeItem(old.key);
        });
    };
    withStorage(() => {
        const stored = JSON.parse(localStorage.getItem(key));
        if (stored) model.restoreHistory(stored);
    });
    sync.addEventListener("history", () => (timer ??= setTimeout(store, storeDelay)));
    window.addEventListener("pagehide", store);
}

/** Removes the histories of boards that no longer exist. `existing` has the IDs of all boards that do. */
export function removeHistories(existing) {
    for (const { key, time } of storedHistories()) {
        const isRestorable = time + lifetime >= Date.now();
        if (!isRestorable && !existing.has(key.slice(prefix.length))) localStorage.removeItem(key);
    }
}

/** The stored histories, the latest first: {key, time}, with the time at which it was stored. */
function storedHistories() {
    // The time is at the beginning of the stored text.
    const timeOf = (key) => Number(/^\{"time":(\d+)/.exec(localStorage.getItem(key))?.[1] ?? 0);
    return storedKeys(prefix).map((key) => ({ key, time: timeOf(key) })).sort((one, other) => other.time - one.time);
}
