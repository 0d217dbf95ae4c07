// Stores pending batches in the browser, so that they survive a reload, a crash and a closed tab: the next tab of the
// board sends them.

import { markAlive, whenEnded } from "./tab-liveness.js";
import { storedKeys, withStorage } from "../site/storage.js";

const prefix = "meanwhile.art.outbox/";
const gonePrefix = "meanwhile.art.gone/";

/**
 * Milliseconds to wait before reading the batches of a tab that has ended: its last writes may become visible here
 * after its lock is released.
 */
const storageDelay = 100;

/**
 * Milliseconds to wait before requesting the lock of a tab that has just opened: it may store a batch before it holds
 * its lock.
 */
const lockDelay = 1000;

/**
 * Milliseconds after which the pending batches of a deleted board are removed. The board can be restored for ten
 * minutes.
 */
const goneBoardLifetime = 3600_000;

export class Outbox {
    /** Lets other tabs take over the pending batches, because the browser leaves the page. */
    leave;
    #board;
    /** What the storage keys of the board's batches begin with; the ID of a tab and of a batch follow. */
    #prefix;
    #tab = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(36)).join("");
    #onInherit;
    #lastPlace = 0;
    /**
     * The stored batches by their ID: {key, place}, with the storage key and the position among this tab's batches. A
     * batch of a tab that has ended has no position while it is stored under that tab's key.
     */
    #stored = new Map();
    /** Batches that couldn't be stored, by their ID. */
    #unstored = new Map();
    /** The IDs of tabs whose batches this tab takes over once they end. */
    #awaited = new Set();

    /**
     * - board: The board's ID.
     * - onInherit: Called with the batches of a closed tab, in order; calls `store` or `remove` for each new one.
     */
    constructor(board, onInherit) {
        this.#board = board;
        this.#prefix = `${prefix}${board}/`;
        this.#onInherit = onInherit;
        this.markGone(false);
        removeExpired();
        window.addEventListener("storage", ({ key, newValue }) => {
            if (newValue !== null && key.startsWith(this.#prefix)) setTimeout(() => this.#await(key), lockDelay);
        });
        this.open();
    }

    /**
     * Marks this tab as alive, and takes over the batches of tabs that have ended. Called again when the browser shows
     * the page again (from its back/forward cache).
     */
    open() {
        this.leave = markAlive(this.#prefix + this.#tab);
        for (const key of storedKeys(this.#prefix)) this.#await(key);
    }

    /** The IDs of the batches that another tab has taken over while the page was left: their entries are gone. */
    takenOver() {
        return Array.from(this.#stored).flatMap(([id, { key }]) => (localStorage.getItem(key) === null ? id : []));
    }

    /** Whether all pending batches would survive the tab. */
    get isComplete() {
        return this.#unstored.size === 0;
    }

    /** Stores a batch, {id, name, operations, parts}, at the position of the batch with another ID if it is given. */
    store(batch, other = batch.id) {
        const { id, name, operations, parts } = batch;
        const key = `${this.#prefix}${this.#tab}/${id}`;
        const old = this.#stored.get(id);
        const place = old?.place ?? this.#stored.get(other)?.place ?? (this.#lastPlace += 1);
        try {
            localStorage.setItem(key, JSON.stringify({ place, parts, batch: { id, name, operations } }));
            this.#stored.set(id, { key, place });
            this.#unstored.delete(id);
            if (old && old.key !== key) localStorage.removeItem(old.key);
        } catch {
            // Storage is full or forbidden: the page warns before the tab is closed. A batch of another tab stays under
            // that tab's key.
            if (!old || old.key === key) this.#unstored.set(id, batch);
        }
    }

    /** Removes a batch that the server has answered, or that is discarded. */
    remove(id) {
        this.#unstored.delete(id);
        const stored = this.#stored.get(id);
        if (!stored) return;
        this.#stored.delete(id);
        localStorage.removeItem(stored.key);
        // Removing an item has freed storage: store another batch.
        const [left] = this.#unstored.values();
        if (left) this.store(left);
    }

    /** Records whether the board is deleted. The pending batches of a board that isn't restored are removed later. */
    markGone(isGone) {
        const key = gonePrefix + this.#board;
        withStorage(() => isGone ? localStorage.setItem(key, String(Date.now())) : localStorage.removeItem(key));
    }

    /** Waits for the end of the tab that a key belongs to. */
    #await(key) {
        const tab = key.slice(this.#prefix.length).split("/")[0];
        if (tab === this.#tab || this.#awaited.has(tab)) return;
        this.#awaited.add(tab);
        whenEnded(this.#prefix + tab, () => this.#inherit(tab)).finally(() => this.#awaited.delete(tab));
    }

    /** Takes over the batches of a tab that has ended, as far as the model doesn't know them. */
    async #inherit(tab) {
        // Batches that the tab stores later are awaited again.
        this.#awaited.delete(tab);
        await new Promise((done) => setTimeout(done, storageDelay));
        const found = storedKeys(`${this.#prefix}${tab}/`).flatMap((key) => this.#read(key));
        found.sort((one, other) => one.place - other.place);
        for (const { key, batch: { id } } of found) {
            const stored = this.#stored.get(id);
            if (!stored) this.#stored.set(id, { key, place: null });
            else if (stored.key !== key) localStorage.removeItem(key);
        }
        if (found.length) this.#onInherit(found.map(({ batch }) => batch));
    }

    /** The batch of a key as the only element of a list, which is empty if the entry is invalid. */
    #read(key) {
        try {
            const { place, parts, batch: { id, name, operations } } = JSON.parse(localStorage.getItem(key));
            return [{ key, place, batch: { id, name, operations: operations.slice(), parts: parts.slice() } }];
        } catch {
            // The entry is truncated or invalid, and can't be sent.
            localStorage.removeItem(key);
            return [];
        }
    }
}

/** Removes the pending batches of boards that were deleted long ago. */
function removeExpired() {
    for (const key of storedKeys(gonePrefix)) {
        if (Number(localStorage.getItem(key)) + goneBoardLifetime > Date.now()) continue;
        const board = key.slice(gonePrefix.length);
        for (const left of storedKeys(`${prefix}${board}/`)) localStorage.removeItem(left);
        localStorage.removeItem(key);
    }
}
