// An undoable step that lasts as long as a drag. Each change is shown at once, and sent as soon as the server can take
// it.

import { normalized, targetOf } from "./art.js";
import { Batch, keyOf } from "./batch.js";
import { refusalMessage } from "./refusals.js";
import { noChanges } from "./replica.js";

export class OpenGesture {
    /** The name of the step, which may change until the gesture ends. */
    name;
    #replica;
    #callbacks;
    /** The operations that restore the state before the gesture, by emoji and kind of operation. */
    #inverses = new Map();
    /** The messages about refused operations, by key. */
    #refusals = new Map();
    /** The open batch, which takes operations until it is sealed for sending. */
    #open = null;
    /** The IDs of the gesture's batches. */
    #batches = [];

    /** Whether it has ended or was cancelled. */
    isOver = false;

    /**
     * - name: The name of the step.
     * - replica: The board.
     * - callbacks: `shown(changes, batch)` after each update, `ended(batch, step, messages)`, and
     *   `cancelled(batch, undoing)`. The batch is the open one, or null; the step is null if there is nothing to undo.
     */
    constructor(name, replica, callbacks) {
        this.name = name;
        this.#replica = replica;
        this.#callbacks = callbacks;
    }

    /** Replaces the gesture's earlier operations of the same kind on the same emoji. */
    update(operations) {
        if (this.isOver) return;
        const { shown } = this.#replica;
        const changes = noChanges();
        for (const operation of operations.map(normalized)) {
            const key = keyOf(operation);
            const reason = shown.refusal(operation);
            if (reason) {
                this.#refusals.set(key, refusalMessage(operation, reason));
                continue;
            }
            this.#refusals.delete(key);
            if (!shown.isChangedBy(operation)) continue;
            if (!this.#inverses.has(key)) this.#inverses.set(key, shown.inverse(operation));
            shown.apply(operation);
            this.#append(operation);
            const id = targetOf(operation);
            if (id === null) changes.hasBackground = true;
            else changes.ids.push(id);
        }
        this.#callbacks.shown(changes, this.#openBatch);
    }

    /** Ends the gesture as one step that can be undone. */
    end() {
        if (this.isOver) return;
        this.isOver = true;
        const { shown } = this.#replica;
        // An emoji that is back in its place needs no inverse. An emoji that another user deleted needs one, because
        // that user may restore it.
        const isUseful = (operation) => shown.refusal(operation) !== null || shown.isChangedBy(operation);
        const operations = this.#undoing.filter(isUseful);
        const step = operations.length ? { name: this.name, operations, batches: this.#batches } : null;
        this.#callbacks.ended(this.#openBatch, step, Array.from(this.#refusals.values()));
    }

    /** Cancels the gesture. The callback receives the operations that restore the board. */
    cancel() {
        if (this.isOver) return;
        this.isOver = true;
        this.#callbacks.cancelled(this.#openBatch, this.#undoing);
    }

    get #undoing() {
        return Array.from(this.#inverses.values()).reverse();
    }

    get #openBatch() {
        return this.#open?.isOpen ? this.#open : null;
    }

    #append(operation) {
        if (!this.#openBatch) {
            this.#open = new Batch(this.name, null);
            this.#batches.push(this.#open.id);
            this.#replica.append(this.#open);
        }
        this.#open.put(operation);
    }
}
