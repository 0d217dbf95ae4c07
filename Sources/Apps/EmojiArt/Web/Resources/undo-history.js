// What a person can take back on this page: steps with a name, each as the operations that undo it.

import { keyOf } from "./batch.js";
import { targetOf } from "./art.js";

/** So many steps are remembered. */
const most = 500;

export class UndoHistory {
    /** The newest last; a step is {name, operations, batches}: what it takes to undo it, and what it was sent as. */
    #undos = [];
    #redos = [];

    get undoNames() {
        return this.#undos.map((step) => step.name).reverse();
    }

    get redoNames() {
        return this.#redos.map((step) => step.name).reverse();
    }

    /** One more step was made: what was taken back before cannot be done again. */
    push(step) {
        this.#redos = [];
        this.undone(step);
    }

    takeUndo() {
        return this.#undos.pop();
    }

    takeRedo() {
        return this.#redos.pop();
    }

    /** A step was taken back: this does it again. */
    redoable(step) {
        this.#redos.push(step);
    }

    /** A step was done again: this takes it back. */
    undone(step) {
        this.#undos.push(step);
        if (this.#undos.length > most) this.#undos.shift();
    }

    /**
     * The server has refused operations: there is nothing of them to take back.
     *
     * - batches: The names of what they were sent in.
     */
    forget(batches, operations) {
        const undone = new Set();
        for (const operation of operations) {
            const id = targetOf(operation);
            const kinds = operation.op === "add" ? ["delete", "move", "resize", "reorder"] : [operation.op];
            for (const op of kinds) undone.add(`${op} ${id}`);
        }
        const left = (steps) =>
            steps.flatMap((step) => {
                if (!step.batches.some((id) => batches.includes(id))) return [step];
                const operations = step.operations.filter((operation) => !undone.has(keyOf(operation)));
                return operations.length ? [{ ...step, operations }] : [];
            });
        this.#undos = left(this.#undos);
        this.#redos = left(this.#redos);
    }
}
