// Two versions of a board: the server's, and the shown one with local batches on top. The server's order decides: its
// entries are applied below the local batches, and only the emoji that they touch are recomputed.

import { Art, isSameBackground, isSameEmoji, limits, targetOf } from "./art.js";

export class Replica {
    constructor({ revision, epoch, art }) {
        /** The latest revision received from the server. */
        this.revision = revision;
        /** The server process that assigned the revision: a restored backup reuses revision numbers. */
        this.epoch = epoch;
        /** The server's board at that revision. */
        this.confirmed = Art.from(art);
        /** The board as shown on the page. */
        this.shown = this.confirmed.copy();
        /** The local batches in order, until the server has both answered and returned them. */
        this.batches = [];
    }

    /** Appends a batch whose operations are already applied to `shown`. */
    append(batch) {
        this.batches.push(batch);
    }

    /** Inserts batches whose operations aren't applied yet. Returns the changes. */
    insert(batches, index) {
        this.batches.splice(index, 0, ...batches);
        return this.#rebase(touchedBy(batches));
    }

    /** Replaces batches by others with the same operations. */
    replace(batches, others) {
        this.batches.splice(this.batches.indexOf(batches[0]), 0, ...others);
        this.batches = this.batches.filter((batch) => !batches.includes(batch));
    }

    /** Removes a batch. Returns the changes. */
    remove(batch) {
        const index = this.batches.indexOf(batch);
        if (index < 0) return noChanges();
        this.batches.splice(index, 1);
        return this.#rebase(touchedBy([batch]));
    }

    /**
     * Applies entries in order. Returns the changes, whether an entry is missing before the rest (`isGap`), and whether
     * an operation couldn't be applied (`isBroken`): then this copy differs from the server's board.
     */
    applyEntries(entries) {
        const touched = new Set();
        let [isGap, isBroken] = [false, false];
        for (const entry of entries) {
            if (entry.revision <= this.revision) continue;
            isGap = entry.revision > this.revision + 1;
            if (isGap) break;
            for (const operation of entry.operations) {
                isBroken = this.confirmed.apply(operation) !== null || isBroken;
                touched.add(targetOf(operation));
            }
            this.revision = entry.revision;
            const ownBatch = this.batches.find((batch) => batch.id === entry.id);
            if (!ownBatch) continue;
            ownBatch.isConfirmed = true;
            for (const operation of ownBatch.operations) touched.add(targetOf(operation));
        }
        this.#removeSettled(touched);
        return { ...this.#rebase(touched), isGap, isBroken };
    }

    /** Replaces the server's board. Returns the changes. */
    replaceWith({ revision, epoch, art }) {
        if (epoch !== this.epoch) this.#resend();
        this.epoch = epoch;
        this.revision = revision;
        this.confirmed = Art.from(art);
        this.#removeSettled(new Set());
        return this.#rebase(null);
    }

    /** Handles the response to a batch: its revision and the refused operations. Returns the changes. */
    handleResponse(batch, revision, refused) {
        if (!this.batches.includes(batch)) return noChanges();
        const touched = touchedBy([batch]);
        batch.revision = revision;
        batch.drop(new Set(refused.map(({ index }) => index)));
        this.#removeSettled(touched);
        return this.#rebase(touched);
    }

    /** Marks all batches to be sent again: a restored board may lack them, and the server ignores those that it has. */
    #resend() {
        for (const batch of this.batches) {
            batch.revision = null;
            batch.isConfirmed = false;
        }
    }

    /** Removes batches that the server has answered and whose effect is part of the received revision. */
    #removeSettled(touched) {
        if (!this.batches.some((batch) => this.#isSettled(batch))) return;
        for (const id of touchedBy(this.batches.filter((batch) => this.#isSettled(batch)))) touched.add(id);
        this.batches = this.batches.filter((batch) => !this.#isSettled(batch));
    }

    // A batch without effect gets no log entry. Its response has the revision that the board had at that time.
    #isSettled(batch) {
        return !batch.isWaiting && (batch.isConfirmed || batch.revision <= this.revision);
    }

    /** Recomputes the shown emoji with these IDs, or all if null. Returns the changes. */
    #rebase(touched) {
        const pending = this.batches.filter((batch) => !batch.isConfirmed);
        // If the board may become full, all earlier batches determine which emoji fit, so recompute everything.
        const isWhole = touched === null || this.#mayExceedLimit(pending);
        const wanted = isWhole ? this.confirmed.copy() : this.#confirmedOf(touched);
        for (const batch of pending) {
            for (const operation of batch.operations) {
                if (isWhole || touched.has(targetOf(operation))) wanted.apply(operation);
            }
        }
        const changes = noChanges();
        const ids = isWhole ? new Set([...this.shown.emojis.keys(), ...wanted.emojis.keys()]) : touched;
        for (const id of ids) {
            if (id !== null) this.#show(id, wanted.emojis.get(id), changes);
        }
        if ((isWhole || touched.has(null)) && !isSameBackground(this.shown.background, wanted.background)) {
            this.shown.background = wanted.background;
            changes.hasBackground = true;
        }
        return changes;
    }

    #show(id, emoji, changes) {
        const current = this.shown.emojis.get(id);
        // An emoji that looks the same stays the same object.
        if (current === emoji || (current && emoji && isSameEmoji(current, emoji))) return;
        this.shown.put(id, emoji);
        changes.ids.push(id);
    }

    #confirmedOf(touched) {
        const art = new Art();
        art.background = this.confirmed.background;
        for (const id of touched) {
            const emoji = this.confirmed.emojis.get(id);
            if (emoji) art.put(id, emoji);
        }
        return art;
    }

    #mayExceedLimit(pending) {
        const room = limits.emojis - this.confirmed.emojis.size;
        const count = pending.reduce((sum, batch) => sum + batch.operations.length, 0);
        if (count <= room) return false;
        const isAdd = ({ op }) => op === "add";
        return pending.reduce((sum, batch) => sum + batch.operations.filter(isAdd).length, 0) > room;
    }
}

/** An empty set of changes, for callers to add to. */
export function noChanges() {
    return { ids: [], hasBackground: false };
}

function touchedBy(batches) {
    return new Set(batches.flatMap((batch) => batch.operations.map(targetOf)));
}
