// Stores the undo history of boards in the browser, so that it survives a reload and a restart. If a board is open in
// several tabs, the history of the tab that was used last is stored.

const prefix = "meanwhile.art.history/";
/** The delay between a step and storing the history, in milliseconds. */
const storeDelay = 500;
/** The maximum number of boards whose history is stored: unsent changes need room in the same storage. */
const maximumBoards = 10;
/** Milliseconds after which the history of a missing board is removed. Until then, the board can be restored. */
const lifetime = 3600_000;

/** The key of a board's history in the browser's storage. */
export function historyKey(board) {
    return prefix + board;
}

/** Restores the history of a board, and stores it after each step. */
export function storeHistory({ id, sync, model }) {
    const key = historyKey(id);
    let timer = null;
    const store = () => {
        if (timer === null) return;
        clearTimeout(timer);
        timer = null;
        try {
            localStorage.setItem(key, JSON.stringify({ time: Date.now(), ...model.history() }));
            for (const board of storedBoards().slice(maximumBoards)) localStorage.removeItem(historyKey(board));
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
        const lost = storedBoards().filter((board) => !existing.has(board) && storedTime(board) + lifetime < Date.now());
        for (const board of lost) localStorage.removeItem(historyKey(board));
    } catch {
        // Storage is forbidden.
    }
}

/** The IDs of the boards with a stored history, the one that was stored last first. */
function storedBoards() {
    const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index));
    const boards = keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    const times = new Map(boards.map((board) => [board, storedTime(board)]));
    return boards.sort((one, other) => times.get(other) - times.get(one));
}

/** Reads when a board's history was stored from the beginning of the stored text. */
function storedTime(board) {
    return Number(/^\{"time":(\d+)/.exec(localStorage.getItem(historyKey(board)))?.[1] ?? 0);
}
