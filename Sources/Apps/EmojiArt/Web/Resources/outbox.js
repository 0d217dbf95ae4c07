// Stores pending batches in the browser, so that they survive a reload, a crash and a closed tab: the next tab of the
// board sends them.

import { newID } from "./art.js";
import { Batch } from "./batch.js";
import { TabLiveness } from "./tab-liveness.js";

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
    #board;
    #tab = newID();
    #storage = null;
    #tabs;
    #onInherit;
    #lastPlace = 0;
    /** The storage key and position of each batch, by its ID: {key, place}. */
    #stored = new Map();
    /** Batches that couldn't be stored, by their ID. */
    #unstored = new Map();
    /** The IDs of tabs whose batches this tab takes over once they end. */
    #awaited = new Set();
    /** The IDs of batches taken over from other tabs. */
    #inherited = new Set();
    #onStorage = (event) => this.#handleStorageEvent(event);

    /**
     * - board: The board's ID.
     * - onInherit: Called with the batches of a closed tab, in order.
     */
    constructor(board, onInherit) {
        this.#board = board;
        this.#onInherit = onInherit;
        try {
            this.#storage = window.localStorage;
            this.#storage.getItem(prefix);
        } catch {
            // Storage is forbidden: the board works, and warns before the tab is closed.
            this.#storage = null;
        }
        this.#tabs = new TabLiveness(`${prefix}${board}`);
    }

    /** Marks this tab as alive, and takes over the batches of tabs that have ended. */
    open() {
        this.#tabs.hold(this.#tab);
        if (!this.#storage) return;
        this.markGone(false);
        this.#removeExpired();
        this.#awaitOtherTabs();
        window.addEventListener("storage", this.#onStorage);
    }

    /** Lets other tabs take over the pending batches, because the browser leaves the page. */
    leave() {
        this.#tabs.release();
    }

    /**
     * Continues when the browser shows the page again (from its back/forward cache).
     *
     * Another tab may have sent batches since. This tab sends them again, and the server applies each once.
     */
    reopen() {
        this.#tabs.hold(this.#tab);
        if (this.#storage) this.#awaitOtherTabs();
    }

    close() {
        window.removeEventListener("storage", this.#onStorage);
        this.#tabs.close();
    }

    /** Whether all pending batches would survive the tab. */
    get isComplete() {
        return this.#unstored.size === 0;
    }

    /** Stores a batch, at the position of another one if it is given. */
    store(batch, other = batch) {
        const key = `${prefix}${this.#board}/${this.#tab}/${batch.id}`;
        const { place } = this.#stored.get(other.id) ?? { place: (this.#lastPlace += 1) };
        const stored = this.#stored.get(batch.id) ?? { key, place };
        try {
            const text = `{"place":${stored.place},"parts":${JSON.stringify(batch.parts)},"batch":${batch.body}}`;
            this.#storage.setItem(stored.key, text);
            this.#stored.set(batch.id, stored);
            this.#unstored.delete(batch.id);
        } catch {
            // Storage is full or forbidden.
            this.#unstored.set(batch.id, batch);
        }
    }

    /** Removes a batch that the server has answered, or that is discarded. */
    remove(batch) {
        this.#unstored.delete(batch.id);
        const stored = this.#stored.get(batch.id);
        if (!stored) return;
        this.#stored.delete(batch.id);
        this.#storage.removeItem(stored.key);
        // Removing an item has freed storage: store another batch.
        const [left] = this.#unstored.values();
        if (left) this.store(left);
    }

    /**
     * Records whether the board is deleted. The pending batches of a board that isn't restored are removed later.
     */
    markGone(isGone) {
        const key = gonePrefix + this.#board;
        try {
            if (isGone) this.#storage.setItem(key, String(Date.now()));
            else this.#storage.removeItem(key);
        } catch {
            // Storage is full or forbidden: the batches stay a little longer.
        }
    }

    #keys(start) {
        const keys = Array.from({ length: this.#storage.length }, (_, index) => this.#storage.key(index));
        return keys.filter((key) => key?.startsWith(start));
    }

    #removeExpired() {
        for (const key of this.#keys(gonePrefix)) {
            if (Number(this.#storage.getItem(key)) + goneBoardLifetime > Date.now()) continue;
            const board = key.slice(gonePrefix.length);
            for (const left of this.#keys(`${prefix}${board}/`)) this.#storage.removeItem(left);
            this.#storage.removeItem(key);
        }
    }

    /** Waits for the end of all tabs that have stored batches. */
    #awaitOtherTabs() {
        for (const key of this.#keys(`${prefix}${this.#board}/`)) this.#await(key);
    }

    #handleStorageEvent({ key, newValue }) {
        if (newValue === null || !key?.startsWith(`${prefix}${this.#board}/`)) return;
        setTimeout(() => this.#await(key), lockDelay);
    }

    /** Waits for the end of the tab that a key belongs to. */
    #await(key) {
        const tab = key.slice(`${prefix}${this.#board}/`.length).split("/")[0];
        if (tab === this.#tab || this.#awaited.has(tab)) return;
        this.#awaited.add(tab);
        const inherit = () => {
            // Batches that the tab stores later are awaited again.
            this.#awaited.delete(tab);
            return this.#inherit(tab);
        };
        this.#tabs.whenEnded(tab, inherit).finally(() => this.#awaited.delete(tab));
    }

    /** Takes over the batches of a tab that has ended. */
    async #inherit(tab) {
        await new Promise((done) => setTimeout(done, storageDelay));
        const found = this.#keys(`${prefix}${this.#board}/${tab}/`).flatMap((key) => this.#read(key) ?? []);
        found.sort((one, other) => one.place - other.place);
        // The tab may have joined its batches when it was left. Then this tab finds the joined batch, the original
        // ones, or both.
        const inOthers = new Set(found.flatMap(({ batch }) => batch.parts.map(([id]) => id)));
        const batches = [];
        for (const { key, place, batch } of found) {
            const left = inOthers.has(batch.id) ? null : this.#withoutInherited(batch);
            if (left && this.#adopt(left, key, place)) batches.push(left);
            else this.#storage.removeItem(key);
        }
        if (batches.length) this.#onInherit(batches);
    }

    #read(key) {
        try {
            const { place, parts, batch: { id, name, operations } } = JSON.parse(this.#storage.getItem(key));
            const found = new Batch(name, operations.slice(), id);
            found.parts = parts.slice();
            return [{ key, place, batch: found }];
        } catch {
            // The entry is truncated or invalid, and can't be sent.
            this.#storage.removeItem(key);
            return null;
        }
    }

    /** The parts of a batch that weren't taken over before. The batch keeps its ID, because it may have been sent. */
    #withoutInherited(batch) {
        const isLeft = ([id]) => !this.#inherited.has(id);
        if (batch.parts.every(isLeft)) return batch;
        let end = 0;
        const operations = batch.parts.flatMap((part) => {
            const start = end;
            end += part[1];
            return isLeft(part) ? batch.operations.slice(start, end) : [];
        });
        const left = new Batch(batch.name, operations, batch.id);
        left.parts = batch.parts.filter(isLeft);
        return operations.length ? left : null;
    }

    /** Stores a batch as one of this tab's; returns false if it already is one. */
    #adopt(batch, key, place) {
        if (this.#inherited.has(batch.id) || this.#stored.has(batch.id)) return false;
        this.#inherited.add(batch.id);
        this.store(batch);
        if (this.#stored.has(batch.id)) {
            this.#storage.removeItem(key);
        } else {
            // The storage has no space for a second copy, so the batch stays under the other tab's key.
            this.#unstored.delete(batch.id);
            this.#stored.set(batch.id, { key, place });
        }
        return true;
    }
}
