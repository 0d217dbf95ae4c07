// What was not sent yet, kept in the browser: it outlives a reload, a crash and a closed tab, and the next tab of the
// board sends what one has left.

import { LivingTabs } from "./living-tabs.js";

const prefix = "meanwhile.art.outbox/";
const gonePrefix = "meanwhile.art.gone/";

/** What a tab has kept last comes by another way than that it is gone: after that, or so, if it was a moment before. */
const settlesWithin = 100;

/** A tab that has just opened asks for its lock, and may keep something before it has it. */
const holdsWithin = 1000;

/** A deleted board can be had back for ten minutes. */
const goneFor = 3600_000;

export class Outbox {
    #board;
    #tab = crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join("");
    #storage = null;
    #tabs;
    #onFound;
    #places = 0;
    /** Where each batch is kept, by its id: {key, place}. */
    #kept = new Map();
    /** What could not be kept. */
    #unkept = new Map();
    /** Tabs whose end is waited for. */
    #awaited = new Set();
    /** The ids of what other tabs have left here. */
    #inherited = new Set();
    #onStorage = (event) => this.#notice(event);

    /**
     * - board: The board's id.
     * - onFound: Called with the batches that another tab has left, in their order.
     */
    constructor(board, onFound) {
        this.#board = board;
        this.#onFound = onFound;
        try {
            this.#storage = window.localStorage;
            this.#storage.getItem(prefix);
        } catch {
            // Forbidden in this browser: the board works, and says what a closed tab would lose.
            this.#storage = null;
        }
        this.#tabs = new LivingTabs(`${prefix}${board}`);
    }

    /** Begins: this tab is alive, and what others have left is found. */
    open() {
        this.#tabs.hold(this.#tab);
        if (!this.#storage) return;
        this.markGone(false);
        this.#tidy();
        this.#look();
        window.addEventListener("storage", this.#onStorage);
    }

    /** The page is left: what it has not sent is another tab's from now on. */
    leave() {
        this.#tabs.release();
    }

    /** The page that was left is shown again; what another tab has sent meanwhile does no harm when sent twice. */
    reopen() {
        this.#tabs.hold(this.#tab);
        if (this.#storage) this.#look();
    }

    close() {
        window.removeEventListener("storage", this.#onStorage);
        this.#tabs.close();
    }

    /** Whether all that waits would outlive the tab. */
    get isComplete() {
        return this.#unkept.size === 0;
    }

    /** Keeps a batch as it is now, in the place of another one if that is said. */
    keep(batch, other = batch.id) {
        const key = `${prefix}${this.#board}/${this.#tab}/${batch.id}`;
        const { place } = this.#kept.get(other) ?? { place: (this.#places += 1) };
        const kept = this.#kept.get(batch.id) ?? { key, place };
        try {
            const { id, name, operations, parts } = batch;
            const text = JSON.stringify({ place: kept.place, parts, batch: { id, name, operations } });
            this.#storage.setItem(kept.key, text);
            this.#kept.set(batch.id, kept);
            this.#unkept.delete(batch.id);
        } catch {
            // Full, or forbidden.
            this.#unkept.set(batch.id, batch);
        }
    }

    /** Lets a batch go that the server has answered. */
    forget(id) {
        this.#unkept.delete(id);
        const place = this.#kept.get(id);
        if (!place) return;
        this.#kept.delete(id);
        this.#storage.removeItem(place.key);
        // There is room again.
        const [left] = this.#unkept.values();
        if (left) this.keep(left);
    }

    /** The board was deleted, or is there again: what waits for one is of no use, unless it comes back soon. */
    markGone(isGone) {
        const key = gonePrefix + this.#board;
        try {
            if (isGone) this.#storage.setItem(key, String(Date.now()));
            else this.#storage.removeItem(key);
        } catch {
            // Full, or forbidden: what waits stays a little longer.
        }
    }

    #keys(start) {
        const keys = Array.from({ length: this.#storage.length }, (_, index) => this.#storage.key(index));
        return keys.filter((key) => key?.startsWith(start));
    }

    #tidy() {
        for (const key of this.#keys(gonePrefix)) {
            if (Number(this.#storage.getItem(key)) + goneFor > Date.now()) continue;
            const board = key.slice(gonePrefix.length);
            for (const left of this.#keys(`${prefix}${board}/`)) this.#storage.removeItem(left);
            this.#storage.removeItem(key);
        }
    }

    /** Waits for all tabs that have kept something. */
    #look() {
        for (const key of this.#keys(`${prefix}${this.#board}/`)) this.#await(key);
    }

    #notice({ key, newValue }) {
        if (newValue === null || !key?.startsWith(`${prefix}${this.#board}/`)) return;
        setTimeout(() => this.#await(key), holdsWithin);
    }

    /** Waits for the end of the tab that a key is of. */
    #await(key) {
        const tab = key.slice(`${prefix}${this.#board}/`.length).split("/")[0];
        if (tab === this.#tab || this.#awaited.has(tab)) return;
        this.#awaited.add(tab);
        const inherit = () => {
            // What is kept from now on is looked at anew.
            this.#awaited.delete(tab);
            return this.#inherit(tab);
        };
        this.#tabs.whenGone(tab, inherit).finally(() => this.#awaited.delete(tab));
    }

    /** Takes over what a tab has left. */
    async #inherit(tab) {
        await new Promise((done) => setTimeout(done, settlesWithin));
        const found = this.#keys(`${prefix}${this.#board}/${tab}/`).flatMap((key) => this.#read(key) ?? []);
        found.sort((one, other) => one.place - other.place);
        // As it was left, the tab may have put some into one, which is here before they are gone, or only after.
        const inOthers = new Set(found.flatMap(({ batch }) => batch.parts.map(([id]) => id)));
        const batches = [];
        for (const { key, place, batch } of found) {
            const left = inOthers.has(batch.id) ? null : this.#withoutInherited(batch);
            if (left && this.#move(left, key, place)) batches.push(left);
            else this.#storage.removeItem(key);
        }
        if (batches.length) this.#onFound(batches);
    }

    #read(key) {
        try {
            const { place, parts, batch: { id, name, operations } } = JSON.parse(this.#storage.getItem(key));
            return [{ key, place, batch: { id, name, operations: operations.slice(), parts: parts.slice() } }];
        } catch {
            // Cut off: nobody can send it.
            this.#storage.removeItem(key);
            return null;
        }
    }

    /** What of a batch is not here already, in parts; under its own name, as it may have been sent. */
    #withoutInherited(batch) {
        const isLeft = ([id]) => !this.#inherited.has(id);
        if (batch.parts.every(isLeft)) return batch;
        let end = 0;
        const operations = batch.parts.flatMap((part) => {
            const start = end;
            end += part[1];
            return isLeft(part) ? batch.operations.slice(start, end) : [];
        });
        return operations.length ? { ...batch, operations, parts: batch.parts.filter(isLeft) } : null;
    }

    /** Keeps a batch as one of this tab's; false where it is one already. */
    #move(batch, key, place) {
        if (this.#inherited.has(batch.id) || this.#kept.has(batch.id)) return false;
        this.#inherited.add(batch.id);
        this.keep(batch);
        if (this.#kept.has(batch.id)) {
            this.#storage.removeItem(key);
        } else {
            // There is no room for both.
            this.#unkept.delete(batch.id);
            this.#kept.set(batch.id, { key, place });
        }
        return true;
    }
}
