// What a page did, on its way to the server: kept in the browser, sent in order, and taken back where it is refused.

import { bytesOf, targetOf } from "./art.js";
import { Batch } from "./batch.js";
import { Outbox } from "./outbox.js";
import { lastWords, Sender } from "./sender.js";

/** While nothing can be sent, a crash takes so much of what a person drags at most, in milliseconds. */
const keptEvery = 500;

export class Outgoing {
    #replica;
    #outbox;
    #sender;
    #told;
    #lastKept = 0;
    /** Emoji whose adding the server has refused: what is done to them is refused too, and need not be told. */
    #neverAdded = new Set();

    /** Whether nothing is to be sent for now. */
    isPaused = false;

    /**
     * - board: The board's id.
     * - address: Where batches are sent.
     * - replica: What is shown of them.
     * - told: What is called: `changed(changes)`; `answered(revision)`; `refused(batch, operations, messages)`;
     *   `gone()`; `status()`.
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

    /** After the page was left and is shown again. */
    reopen() {
        this.#outbox.reopen();
    }

    /** Nothing is sent any longer; what was not sent stays for the next tab. */
    close() {
        this.sealAll();
        this.#sender.close();
        this.#outbox.close();
    }

    /** How many batches wait, why the last attempt came to nothing, and whether what waits outlives the tab. */
    get waiting() {
        return this.#replica.batches.filter((batch) => batch.isWaiting).length;
    }

    get failure() {
        return this.#sender.failure;
    }

    get isKept() {
        return this.#outbox.isComplete;
    }

    // --- What is to be sent.

    /** Sends the open batch of a gesture, as it is when it can be sent. */
    has(batch) {
        if (batch.isOpen && performance.now() - this.#lastKept > keptEvery) {
            this.#lastKept = performance.now();
            this.#outbox.keep(batch);
        }
        this.#sender.kick();
    }

    /** Closes a batch, and keeps it, in pieces where it is too large to be sent. */
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

    /** Lets a batch go, whatever became of it; answers what is different. */
    discard(batch) {
        this.#outbox.forget(batch);
        return this.#replica.remove(batch);
    }

    /** Sends what waits, unless that goes on already, or is to rest. */
    kick() {
        this.#sender.kick();
    }

    /** Sends what waits at once. */
    again() {
        this.#sender.again();
    }

    /** Sends what waits; done when the server has all of it, or cannot be reached now. */
    async flush() {
        this.sealAll();
        this.#sender.again();
        await this.#sender.settled();
    }

    /**
     * The page is left: it sends what it can, in one batch, as of several requests nobody knows which comes first.
     *
     * What is under way is part of it and sent anew: to do the same once more, in the same order, changes nothing.
     */
    leave() {
        this.#sayLastWords();
        this.#outbox.leave();
    }

    #sayLastWords() {
        this.sealAll();
        if (this.isPaused) return;
        // What the server has told of needs no answer any longer.
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

    /** The board was deleted, or is there again. */
    setGone(isGone) {
        this.isPaused = isGone;
        this.#outbox.markGone(isGone);
        if (!isGone) this.#sender.again();
    }

    // --- What comes of it.

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
            // What is there under a name of this person's own was added when it was sent before.
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
        this.#refuse(batch, batch.operations, [`“${batch.name}” was taken back. ${words}`]);
        this.#told.status();
    }

    #refuse(batch, operations, messages) {
        for (const operation of operations) if (operation.op === "add") this.#neverAdded.add(operation.emoji.id);
        this.#told.refused(batch, operations, messages);
    }

    /** Another tab has ended and left something: it comes before what this page has yet to send. */
    #hasFound(batches) {
        const known = new Set(this.#replica.batches.map((batch) => batch.id));
        const isBefore = (batch) => !batch.isWaiting || this.#sender.isSending(batch);
        const index = this.#replica.batches.findLastIndex(isBefore) + 1;
        this.#told.changed(this.#replica.insert(batches.filter((batch) => !known.has(batch.id)), index));
        this.#sender.kick();
        this.#told.status();
    }
}
