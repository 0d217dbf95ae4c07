// A board in two versions: as the server has it, and as this page shows it, with what it did since. The server's order
// decides: whatever comes in goes under what this page did, and only the emoji that it is about are looked at.

import { Art, isSameBackground, isSameEmoji, limits, targetOf } from "./art.js";

export class Replica {
    constructor({ revision, epoch, art }) {
        /** Of what the server has told. */
        this.revision = revision;
        /** The server process that the revision comes from; a restored backup reuses revision numbers. */
        this.epoch = epoch;
        /** What the server has at that revision. */
        this.confirmed = Art.from(art);
        /** What is shown. */
        this.shown = this.confirmed.copy();
        /** What this page did, in its order, until the server has told of it. */
        this.batches = [];
    }

    /** Puts one at the end whose operations are shown already. */
    append(batch) {
        this.batches.push(batch);
    }

    /** Puts some in whose operations are not shown; answers what is different. */
    insert(batches, index) {
        this.batches.splice(index, 0, ...batches);
        return this.#rebase(touchedBy(batches));
    }

    /** Puts others in the place of some that do the same. */
    replace(batches, others) {
        this.batches.splice(this.batches.indexOf(batches[0]), 0, ...others);
        this.batches = this.batches.filter((batch) => !batches.includes(batch));
    }

    /** Takes one back; answers what is different. */
    remove(batch) {
        const index = this.batches.indexOf(batch);
        if (index < 0) return none();
        this.batches.splice(index, 1);
        return this.#rebase(touchedBy([batch]));
    }

    /**
     * Takes entries in, in their order; answers what is different, whether one is missing before them, and whether one
     * could not be applied: then this is no longer the server's board.
     */
    take(entries) {
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
            const own = this.batches.find((batch) => batch.id === entry.id);
            if (!own) continue;
            own.isConfirmed = true;
            for (const operation of own.operations) touched.add(targetOf(operation));
        }
        this.#settle(touched);
        return { ...this.#rebase(touched), isGap, isBroken };
    }

    /** Takes the board as a whole; answers what is different. */
    takeWhole({ revision, epoch, art }) {
        if (epoch !== this.epoch) this.#resend();
        this.epoch = epoch;
        this.revision = revision;
        this.confirmed = Art.from(art);
        this.#settle(new Set());
        return this.#rebase(null);
    }

    /** Takes an answer in: which revision has the batch, and which of its operations were refused. */
    answer(batch, revision, refused) {
        if (!this.batches.includes(batch)) return none();
        const touched = touchedBy([batch]);
        batch.revision = revision;
        batch.drop(new Set(refused.map(({ index }) => index)));
        this.#settle(touched);
        return this.#rebase(touched);
    }

    /** Resends unconfirmed batches: a restored board may lack them, and the server ignores those that it has. */
    #resend() {
        for (const batch of this.batches) {
            batch.revision = null;
            batch.isConfirmed = false;
        }
    }

    /** Lets those go that are answered and part of what the server has told. */
    #settle(touched) {
        if (!this.batches.some((batch) => this.#isSettled(batch))) return;
        for (const id of touchedBy(this.batches.filter((batch) => this.#isSettled(batch)))) touched.add(id);
        this.batches = this.batches.filter((batch) => !this.#isSettled(batch));
    }

    // A batch without effect makes no revision and has no entry: it is told by the revision that the board had.
    #isSettled(batch) {
        return !batch.isWaiting && (batch.isConfirmed || batch.revision <= this.revision);
    }

    /** Shows what the server has with what this page did, of those emoji; null: of all. */
    #rebase(touched) {
        const pending = this.batches.filter((batch) => !batch.isConfirmed);
        // Where the board may become full, what fits depends on all that was added before.
        const isWhole = touched === null || this.#mayBeFull(pending);
        const wanted = isWhole ? this.confirmed.copy() : this.#confirmedOf(touched);
        for (const batch of pending) {
            for (const operation of batch.operations) {
                if (isWhole || touched.has(targetOf(operation))) wanted.apply(operation);
            }
        }
        const changes = none();
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
        // What looks the same stays the same object.
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

    #mayBeFull(pending) {
        const room = limits.emojis - this.confirmed.emojis.size;
        const count = pending.reduce((sum, batch) => sum + batch.operations.length, 0);
        if (count <= room) return false;
        const isAdd = ({ op }) => op === "add";
        return pending.reduce((sum, batch) => sum + batch.operations.filter(isAdd).length, 0) > room;
    }
}

/** That nothing is different. */
export function none() {
    return { ids: [], hasBackground: false };
}

function touchedBy(batches) {
    return new Set(batches.flatMap((batch) => batch.operations.map(targetOf)));
}
