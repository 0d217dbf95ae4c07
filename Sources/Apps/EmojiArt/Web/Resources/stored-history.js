// Stores a board's undo history in the browser, so that it survives a reload and a restart. If a board is open in several
// tabs, the history of the tab that was used last is stored.

const prefix = "meanwhile.art.history/";
/** The delay between a step and storing the history, in milliseconds. */
const storeDelay = 500;

/** Restores the history of a board, and stores it after each step. */
export function storeHistory({ id, sync, model }) {
    const key = prefix + id;
    let timer = null;
    const store = () => {
        if (timer === null) return;
        clearTimeout(timer);
        timer = null;
        try {
            localStorage.setItem(key, JSON.stringify(model.history()));
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
