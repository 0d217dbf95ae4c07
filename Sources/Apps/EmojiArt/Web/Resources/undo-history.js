// The undo and redo steps of this page, each with a name and the operations that undo it.

import { changing, keyOf } from "./batch.js";
import { targetOf } from "./art.js";

/** The maximum number of steps. */
const most = 500;

export class UndoHistory {
    /**
     * The steps, newest last: {name, operations, batches}, with the operations that undo it and the IDs of its batches.
     */
    #undos = [];
    #redos = [];

    get undoNames() {
        return this.#undos.map((step) => step.name).reverse();
    }

    get redoNames() {
        return this.#redos.map((step) => step.name).reverse();
    }

    /** Adds a new step, and drops the steps that could be redone. */
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

    /** Adds a step to redo. */
    redoable(step) {
        this.#redos.push(step);
    }

    /** Adds a step to undo. */
    undone(step) {
        this.#undos.push(step);
        if (this.#undos.length > most) this.#undos.shift();
    }

    /**
     * Drops the inverses of operations that the server has refused, so that they are neither undone nor redone.
     *
     * - batches: The IDs of the batches that contained the operations.
     */
    forget(batches, operations) {
        const undone = new Set();
        for (const operation of operations) {
            const id = targetOf(operation);
            const kinds = operation.op === "add" ? ["delete", ...changing] : [operation.op];
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
