// The steps that this page can undo and redo, each with a name and the operations that do so.

import { keyOf, propertyOperations } from "./batch.js";
import { targetOf } from "./art.js";

/** The maximum number of steps. */
const maximumSteps = 500;

export class UndoHistory {
    /**
     * The steps to undo, newest last. Each is {name, operations, batches}: `operations` undo the step, and `batches`
     * are the IDs of the batches that performed it.
     */
    #undos = [];
    /** The steps to redo, newest last, with the operations that redo them. */
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
        this.pushUndo(step);
    }

    popUndo() {
        return this.#undos.pop();
    }

    popRedo() {
        return this.#redos.pop();
    }

    /** Adds a step to redo. */
    pushRedo(step) {
        this.#redos.push(step);
    }

    /** Adds a step to undo. */
    pushUndo(step) {
        this.#undos.push(step);
        if (this.#undos.length > maximumSteps) this.#undos.shift();
    }

    /**
     * Drops the inverses of operations that the server has refused, so that they are neither undone nor redone.
     *
     * - batches: The IDs of the batches that contained the operations.
     */
    forget(batches, operations) {
        const refusedKeys = new Set();
        for (const operation of operations) {
            const id = targetOf(operation);
            const kinds = operation.op === "add" ? ["delete", ...propertyOperations] : [operation.op];
            for (const op of kinds) refusedKeys.add(`${op} ${id}`);
        }
        const remaining = (steps) =>
            steps.flatMap((step) => {
                if (!step.batches.some((id) => batches.includes(id))) return [step];
                const operations = step.operations.filter((operation) => !refusedKeys.has(keyOf(operation)));
                return operations.length ? [{ ...step, operations }] : [];
            });
        this.#undos = remaining(this.#undos);
        this.#redos = remaining(this.#redos);
    }
}
