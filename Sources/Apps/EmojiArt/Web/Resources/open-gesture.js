// A step that lasts while a person drags: shown at once, sent as fast as the server accepts it, undone as one.

import { plain, targetOf } from "./art.js";
import { Batch, keyOf } from "./batch.js";
import { messageOf } from "./refusals.js";
import { none } from "./replica.js";

export class OpenGesture {
    #name;
    #replica;
    #told;
    /** The inverses, by emoji and kind of operation: what was shown before the gesture changed it. */
    #inverses = new Map();
    /** The messages about refused operations, by key. */
    #refused = new Map();
    /** The open batch, which takes operations until it is sealed for sending. */
    #open = null;
    /** The IDs of the gesture's batches. */
    #batches = [];

    /** Whether it has ended or was cancelled. */
    isOver = false;

    /**
     * - name: The name of the step.
     * - replica: The board.
     * - told: Callbacks: `shown(changes, batch)` after each update, `ended(batch, step, messages)`, and
     *   `cancelled(batch, undoing)`. The batch is the open one, or null; the step is null if there is nothing to undo.
     */
    constructor(name, replica, told) {
        this.#name = name;
        this.#replica = replica;
        this.#told = told;
    }

    /** Replaces the gesture's earlier operations of the same kind on the same emoji. */
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

    /** Ends the gesture as one step that can be undone. */
    end() {
        if (this.isOver) return;
        this.isOver = true;
        const { shown } = this.#replica;
        // What is back in its place needs no undoing. An emoji that was deleted by others may come back, so its inverse
        // stays.
        const isOfUse = (operation) => shown.refusal(operation) !== null || shown.isChangedBy(operation);
        const operations = this.#undoing.filter(isOfUse);
        const step = operations.length ? { name: this.#name, operations, batches: this.#batches } : null;
        this.#told.ended(this.#openBatch, step, Array.from(this.#refused.values()));
    }

    /** Cancels the gesture. The callback receives the operations that restore the board. */
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
