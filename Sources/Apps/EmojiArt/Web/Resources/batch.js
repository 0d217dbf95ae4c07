// Operations that are sent at once: one step of a person's, or what there is so far of a gesture.

import { bytesOf, limits, newID, targetOf } from "./art.js";

/** What an operation replaces in a gesture: what was done to the same emoji in the same way. */
export function keyOf(operation) {
    return `${operation.op} ${targetOf(operation)}`;
}

/** Not longer than the server takes it. */
function shortened(name) {
    let short = name;
    while (bytesOf(short) > limits.nameBytes) short = Array.from(short).slice(0, -10).join("");
    return short;
}

export class Batch {
    /** Of the open one of a gesture: its operations by what they replace; null once it is sealed. */
    #open = null;
    #operations = null;
    #body = null;

    /**
     * - name: What the step is called.
     * - operations: The changes, plain; null begins the open batch of a gesture.
     */
    constructor(name, operations, id = newID()) {
        this.id = id;
        this.name = shortened(name);
        /** Its own name, and those of what was put together in it. */
        this.sources = [id];
        /** What was put together in it: the name of each, and how many operations it has. */
        this.parts = [];
        /** Whether the board that the server has holds it already. */
        this.isConfirmed = false;
        /** The revision that it is part of, once the server has told; null before. */
        this.revision = null;
        if (operations) this.#operations = operations;
        else this.#open = new Map();
    }

    get isOpen() {
        return this.#open !== null;
    }

    get operations() {
        return this.#operations ?? Array.from(this.#open.values());
    }

    /** Whether the server has still to be told of it, or to answer. */
    get isWaiting() {
        return this.revision === null;
    }

    /** Takes one more operation into the open batch, in place of what it replaces. */
    put(operation) {
        const key = keyOf(operation);
        if (operation.op === "delete") {
            // Whatever was done to it before is done to nothing; what comes after it has to stay after it.
            for (const op of ["add", "move", "resize", "reorder", "delete"]) this.#open.delete(`${op} ${operation.id}`);
        }
        this.#open.set(key, operation);
    }

    /** From now on it stays as it is. */
    seal() {
        if (!this.#open) return;
        this.#operations = Array.from(this.#open.values());
        this.#open = null;
    }

    /** What is sent: JSON. */
    get body() {
        const { id, name, operations } = this;
        if (this.isOpen) return JSON.stringify({ id, name, operations });
        return (this.#body ??= JSON.stringify({ id, name, operations }));
    }

    /** Takes operations out that the server has refused; it is not sent again. */
    drop(indices) {
        this.#operations = this.operations.filter((_, index) => !indices.has(index));
    }

    /** The same in pieces that the server takes; itself where it does already. */
    pieces() {
        const { operations } = this;
        const isTaken =
            operations.length <= limits.batchOperations
            && (this.body.length <= limits.batchBytes / 3 || bytesOf(this.body) <= limits.batchBytes);
        if (isTaken || operations.length < 2) return [this];
        const middle = Math.ceil(operations.length / 2);
        return [operations.slice(0, middle), operations.slice(middle)].flatMap((half) => {
            const batch = new Batch(this.name, half);
            batch.sources.push(...this.sources);
            return batch.pieces();
        });
    }

    /** One that does what several do, one after the other. */
    static joined(batches) {
        const batch = new Batch(batches.at(-1).name, batches.flatMap((each) => each.operations));
        batch.sources.push(...batches.flatMap((each) => each.sources));
        batch.parts = batches.map((each) => [each.id, each.operations.length]);
        return batch;
    }
}
