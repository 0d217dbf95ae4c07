// Sends local batches: stores them in the browser, sends them in order, and takes back refused operations.

import { bytesOf, targetOf } from "./art.js";
import { Batch } from "./batch.js";
import { Outbox } from "./outbox.js";
import { lastWords, Sender } from "./sender.js";

/**
 * The interval for storing the open batch of a gesture while nothing can be sent, in milliseconds: a crash loses at
 * most this much of a drag.
 */
const keptEvery = 500;

export class Outgoing {
    #replica;
    #outbox;
    #sender;
    #told;
    #lastKept = 0;
    /** Emoji whose adding the server has refused: operations on them are refused too, which isn't reported again. */
    #neverAdded = new Set();

    /** Whether sending is paused, because the board is deleted. */
    isPaused = false;

    /**
     * - board: The board's ID.
     * - address: The address for sending batches.
     * - replica: The board that shows them.
     * - told: Callbacks: `changed(changes)`; `answered(revision)`; `refused(batch, operations, messages)`; `gone()`;
     *   `status()`.
     */
    constructor(board, address, replica, told) {
        this.#replica = replica;
        this.#told = told;
        this.#outbox = new Outbox(board, (batches) => this.#hasFound(batches));
        this.#sender = new Sender(address, {
            next: () => this.#next(),
            answered: (batch, answer) => this.#hasAnswered(batch, answer),
            rejected: (batch, words) => this.#hasRejected(batch, words),
            gone: () => told.gone(),
            stalled: () => told.status(),
        });
    }

    open() {
        this.#outbox.open();
    }

    /** Continues after the page was left and is shown again. */
    reopen() {
        this.#outbox.reopen();
    }

    /** Stops sending. Pending batches are left to the next tab. */
    close() {
        this.sealAll();
        this.#sender.close();
        this.#outbox.close();
    }

    /** The number of batches that the server hasn't answered. */
    get waiting() {
        return this.#replica.batches.filter((batch) => batch.isWaiting).length;
    }

    get failure() {
        return this.#sender.failure;
    }

    get isKept() {
        return this.#outbox.isComplete;
    }

    // --- Sending.

    /** Sends the open batch of a gesture as soon as possible; it takes more operations until then. */
    has(batch) {
        if (batch.isOpen && performance.now() - this.#lastKept > keptEvery) {
            this.#lastKept = performance.now();
            this.#outbox.keep(batch);
        }
        this.#sender.kick();
    }

    /** Seals a batch and stores it, split into pieces if it is too large to be sent. */
    seal(batch) {
        batch.seal();
        const pieces = batch.pieces();
        if (pieces[0] !== batch) {
            this.#replica.replace([batch], pieces);
            this.#outbox.forget(batch);
        }
        for (const piece of pieces) this.#outbox.keep(piece);
    }

    sealAll() {
        for (const batch of this.#replica.batches.filter((batch) => batch.isOpen)) this.seal(batch);
    }

    /** Removes a batch without waiting for a response. Returns what changed on the board. */
    discard(batch) {
        this.#outbox.forget(batch);
        return this.#replica.remove(batch);
    }

    /** Sends pending batches, unless sending is already running or paused. */
    kick() {
        this.#sender.kick();
    }

    /** Sends pending batches at once. */
    again() {
        this.#sender.again();
    }

    /** Sends pending batches. Resolves when the server has all of them, or can't be reached. */
    async flush() {
        this.sealAll();
        this.#sender.again();
        await this.#sender.settled();
    }

    /**
     * Sends what it can in one batch, because the page is being left: the order of several requests isn't guaranteed.
     *
     * It includes the batch that is being sent: applying the same operations again, in the same order, changes nothing.
     */
    leave() {
        this.#sayLastWords();
        this.#outbox.leave();
    }

    #sayLastWords() {
        this.sealAll();
        if (this.isPaused) return;
        // Batches that the server's entries already contain need no response.
        for (const batch of this.#replica.batches.filter((batch) => batch.isWaiting && batch.isConfirmed)) {
            if (this.#sender.isSending(batch)) this.#sender.abandon();
            this.discard(batch);
        }
        const waiting = this.#replica.batches.filter((batch) => batch.isWaiting);
        let room = lastWords;
        const fitting = [];
        for (const batch of waiting) {
            room -= bytesOf(batch.body);
            if (room < 0) break;
            fitting.push(batch);
        }
        if (fitting.length > 1) {
            const joined = Batch.joined(fitting);
            this.#sender.abandon();
            this.#replica.replace(fitting, [joined]);
            this.#outbox.keep(joined, fitting[0]);
            for (const batch of fitting) this.#outbox.forget(batch);
        } else if (fitting.length === 0 || this.#sender.isOnItsWay(fitting[0])) {
            return;
        }
        this.#sender.again();
    }

    /** Pauses sending while the board is deleted, and resumes when it is restored. */
    setGone(isGone) {
        this.isPaused = isGone;
        this.#outbox.markGone(isGone);
        if (!isGone) this.#sender.again();
    }

    // --- Responses.

    #next() {
        if (this.isPaused) return undefined;
        const batch = this.#replica.batches.find((batch) => batch.isWaiting);
        if (!batch?.isOpen) return batch;
        this.seal(batch);
        return this.#next();
    }

    #hasAnswered(batch, { revision, refused }) {
        const { operations } = batch;
        this.#outbox.forget(batch);
        const failed = refused.filter(({ index }) => operations[index]);
        const changes = this.#replica.answer(batch, revision, failed);
        this.#told.changed(changes);
        if (failed.length) {
            // An "exists" refusal concerns an emoji with this page's own ID: an earlier attempt has added it.
            const lost = failed.filter(({ reason }) => reason !== "exists");
            const news = lost.filter(({ index }) => !this.#neverAdded.has(targetOf(operations[index])));
            this.#refuse(batch, lost.map(({ index }) => operations[index]), news.map(({ message }) => message));
        }
        this.#told.answered(revision);
        this.#told.status();
    }

    #hasRejected(batch, words) {
        this.#outbox.forget(batch);
        this.#told.changed(this.#replica.remove(batch));
        this.#refuse(batch, batch.operations, [`“${batch.name}” was undone, because the server refused it. ${words}`]);
        this.#told.status();
    }

    #refuse(batch, operations, messages) {
        for (const operation of operations) if (operation.op === "add") this.#neverAdded.add(operation.emoji.id);
        this.#told.refused(batch, operations, messages);
    }

    /** Inserts batches that an ended tab has left: they come before what this page has yet to send. */
    #hasFound(batches) {
        const known = new Set(this.#replica.batches.map((batch) => batch.id));
        const isBefore = (batch) => !batch.isWaiting || this.#sender.isSending(batch);
        const index = this.#replica.batches.findLastIndex(isBefore) + 1;
        this.#told.changed(this.#replica.insert(batches.filter((batch) => !known.has(batch.id)), index));
        this.#sender.kick();
        this.#told.status();
    }
}
