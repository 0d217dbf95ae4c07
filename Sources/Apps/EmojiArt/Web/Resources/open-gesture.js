// A step that goes on while a person drags: shown at once, sent as fast as the server takes it, undone as one.

import { plain, targetOf } from "./art.js";
import { Batch, keyOf } from "./batch.js";
import { messageOf } from "./refusals.js";
import { none } from "./replica.js";

export class OpenGesture {
    #name;
    #replica;
    #told;
    /** What undoes it: for each emoji and kind of operation, what was shown before the gesture touched it. */
    #inverses = new Map();
    /** What cannot be done, in words, by what it replaces. */
    #refused = new Map();
    /** What is not sent yet. */
    #open = null;
    /** The names of what was sent, or will be. */
    #batches = [];

    /** Whether it has ended, or was cancelled. */
    isOver = false;

    /**
     * - name: What the step is called.
     * - replica: The board.
     * - told: What is called: `shown(changes, batch)` after each update, `ended(batch, step, messages)`, and
     *   `cancelled(batch, undoing)`; the batch is the open one, or null, and so is the step that could be undone.
     */
    constructor(name, replica, told) {
        this.#name = name;
        this.#replica = replica;
        this.#told = told;
    }

    /** Replaces what it had for each emoji and kind of operation. */
    update(operations) {
        if (this.isOver) return;
        const { shown } = this.#replica;
        const changes = none();
        for (const operation of operations.map(plain)) {
            const key = keyOf(operation);
            const reason = shown.refusal(operation);
            if (reason) {
                this.#refused.set(key, messageOf(operation, reason));
                continue;
            }
            this.#refused.delete(key);
            if (!shown.isChangedBy(operation)) continue;
            if (!this.#inverses.has(key)) this.#inverses.set(key, shown.inverse(operation));
            shown.apply(operation);
            this.#take(operation);
            const id = targetOf(operation);
            if (id === null) changes.hasBackground = true;
            else changes.ids.push(id);
        }
        this.#told.shown(changes, this.#openBatch);
    }

    /** It is done: one step that can be undone. */
    end() {
        if (this.isOver) return;
        this.isOver = true;
        const { shown } = this.#replica;
        // What is where it was before needs no undoing; what is gone may yet come back.
        const isOfUse = (operation) => shown.refusal(operation) !== null || shown.isChangedBy(operation);
        const operations = this.#undoing.filter(isOfUse);
        const step = operations.length ? { name: this.#name, operations, batches: this.#batches } : null;
        this.#told.ended(this.#openBatch, step, Array.from(this.#refused.values()));
    }

    /** It is taken back: everything that it changed is as it was before. */
    cancel() {
        if (this.isOver) return;
        this.isOver = true;
        this.#told.cancelled(this.#openBatch, this.#undoing);
    }

    get #undoing() {
        return Array.from(this.#inverses.values()).reverse();
    }

    get #openBatch() {
        return this.#open?.isOpen ? this.#open : null;
    }

    #take(operation) {
        if (!this.#openBatch) {
            this.#open = new Batch(this.#name, null);
            this.#batches.push(this.#open.id);
            this.#replica.append(this.#open);
        }
        this.#open.put(operation);
    }
}
