// A batch: operations that are sent together. It holds one step, or the operations of a gesture so far.

import { limits, newID, targetOf, utf8Length } from "./art.js";

/** The kinds of operations that change a property of an emoji. */
export const propertyOperations = ["move", "resize", "reorder", "rotate", "flip", "lock"];

/** The key under which an operation replaces an earlier one in a gesture: its kind and its emoji. */
export function keyOf(operation) {
    return `${operation.op} ${targetOf(operation)}`;
}

/** Truncates a name to the server's limit. */
function truncated(name) {
    let short = name;
    while (utf8Length(short) > limits.nameBytes) short = Array.from(short).slice(0, -10).join("");
    return short;
}

export class Batch {
    /** The operations of a gesture's open batch, by key; null once it is sealed. */
    #open = null;
    #operations = null;
    #body = null;

    /**
     * - name: The name of the step.
     * - operations: The operations, as `normalized` returns them; null starts the open batch of a gesture.
     */
    constructor(name, operations, id = newID()) {
        this.id = id;
        this.name = truncated(name);
        /** Its own ID, and those of the batches that it was made from. */
        this.sources = [id];
        /** The batches joined in it: pairs of an ID and a number of operations. */
        this.parts = [];
        /** Whether the server's board already contains it. */
        this.isConfirmed = false;
        /** The revision that contains it; null until the server has answered. */
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

    /** Whether the server has yet to answer. */
    get isWaiting() {
        return this.revision === null;
    }

    /** Adds an operation to the open batch, replacing an earlier one with the same key. */
    put(operation) {
        const key = keyOf(operation);
        if (operation.op === "delete") {
            // A delete supersedes all earlier operations on its emoji, and later ones must follow it.
            for (const op of ["add", ...propertyOperations, "delete"]) this.#open.delete(`${op} ${operation.id}`);
        }
        this.#open.set(key, operation);
    }

    /** Closes the open batch of a gesture. */
    seal() {
        if (!this.#open) return;
        this.#operations = Array.from(this.#open.values());
        this.#open = null;
    }

    /** The JSON that is sent. */
    get body() {
        const { id, name, operations } = this;
        if (this.isOpen) return JSON.stringify({ id, name, operations });
        return (this.#body ??= JSON.stringify({ id, name, operations }));
    }

    /** Removes operations that the server refused. The batch isn't sent again. */
    drop(indices) {
        this.#operations = this.operations.filter((_, index) => !indices.has(index));
    }

    /** Splits the batch into batches within the server's limits; returns only itself if it fits. */
    split() {
        const { operations } = this;
        const fits =
            operations.length <= limits.batchOperations
            && (this.body.length <= limits.batchBytes / 3 || utf8Length(this.body) <= limits.batchBytes);
        if (fits || operations.length < 2) return [this];
        const middle = Math.ceil(operations.length / 2);
        return [operations.slice(0, middle), operations.slice(middle)].flatMap((half) => {
            const batch = new Batch(this.name, half);
            batch.sources.push(...this.sources);
            return batch.split();
        });
    }

    /** Joins batches into one that applies their operations in order. */
    static joined(batches) {
        const batch = new Batch(batches.at(-1).name, batches.flatMap((each) => each.operations));
        batch.sources.push(...batches.flatMap((each) => each.sources));
        batch.parts = batches.map((each) => [each.id, each.operations.length]);
        return batch;
    }
}
