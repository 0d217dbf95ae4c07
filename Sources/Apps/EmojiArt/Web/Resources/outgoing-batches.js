// The local batches: stores them in the browser, sends them in order, and removes refused operations from the board.

import { targetOf, utf8Length } from "./art.js";
import { Batch } from "./batch.js";
import { Outbox } from "./outbox.js";
import { keepaliveBytes, Sender } from "./sender.js";
import { wasUndone } from "./words.js";

/**
 * The interval for storing the open batch of a gesture while nothing can be sent, in milliseconds: a crash loses at
 * most this much of a drag.
 */
const storeInterval = 500;

export class OutgoingBatches {
    #replica;
    #outbox;
    #sender;
    #callbacks;
    #lastStored = 0;
    /**
     * The IDs of emoji that the server refused to add. It refuses later operations on them too, which isn't reported
     * again.
     */
    #neverAdded = new Set();

    /** Whether sending is paused, because the board is deleted. */
    isPaused = false;

    /**
     * - board: The board's ID.
     * - address: The address for sending batches.
     * - replica: The board that shows them.
     * - callbacks: `changed(changes)`; `answered(revision)`; `refused(batch, operations, messages)`; `gone()`;
     *   `status()`.
     */
    constructor(board, address, replica, callbacks) {
        this.#replica = replica;
        this.#callbacks = callbacks;
        this.#outbox = new Outbox(board, (batches) => this.#insertInherited(batches));
        this.#sender = new Sender(address, {
            next: () => this.#next(),
            answered: (batch, response) => this.#handleResponse(batch, response),
            rejected: (batch, message) => this.#handleRejection(batch, message),
            gone: () => callbacks.gone(),
            stalled: () => callbacks.status(),
        });
    }

    open() {
        this.#outbox.open();
    }

    /** Continues when the browser shows the page again (from its back/forward cache). */
    reopen() {
        this.#outbox.reopen();
    }

    /** Stops sending. The next tab of the board takes over the pending batches. */
    close() {
        this.sealAll();
        this.#sender.close();
        this.#outbox.close();
    }

    /** The number of batches that the server hasn't answered. */
    get waitingCount() {
        return this.#replica.batches.filter((batch) => batch.isWaiting).length;
    }

    get failure() {
        return this.#sender.failure;
    }

    get isStored() {
        return this.#outbox.isComplete;
    }

    // --- Sending.

    /** Sends the open batch of a gesture as soon as possible; it takes more operations until then. */
    sendOpen(batch) {
        if (batch.isOpen && performance.now() - this.#lastStored > storeInterval) {
            this.#lastStored = performance.now();
            this.#outbox.store(batch);
        }
        this.#sender.sendPending();
    }

    /** Seals a batch and stores it, split into pieces if it is too large to be sent. */
    seal(batch) {
        batch.seal();
        const pieces = batch.split();
        if (pieces[0] !== batch) {
            this.#replica.replace([batch], pieces);
            this.#outbox.remove(batch);
        }
        for (const piece of pieces) this.#outbox.store(piece);
    }

    sealAll() {
        for (const batch of this.#replica.batches.filter((batch) => batch.isOpen)) this.seal(batch);
    }

    /** Removes a batch without waiting for a response. Returns the changes of the board. */
    discard(batch) {
        this.#outbox.remove(batch);
        return this.#replica.remove(batch);
    }

    /** Sends pending batches, unless sending is already running or paused. */
    sendPending() {
        this.#sender.sendPending();
    }

    /** Sends pending batches at once, without waiting for a retry. */
    sendNow() {
        this.#sender.sendNow();
    }

    /** Sends pending batches. Resolves when the server has all of them, or can't be reached. */
    async flush() {
        this.sealAll();
        this.#sender.sendNow();
        await this.#sender.whenIdle();
    }

    /**
     * Sends as many batches as fit into one request, because the browser leaves the page.
     *
     * Only one request, because several could arrive in any order.
     * It includes the batch that is being sent: applying the same operations again, in the same order, changes nothing.
     */
    leave() {
        this.#sendBeforeLeaving();
        this.#outbox.leave();
    }

    #sendBeforeLeaving() {
        this.sealAll();
        if (this.isPaused) return;
        // Batches that the server's entries already contain need no response.
        for (const batch of this.#replica.batches.filter((batch) => batch.isWaiting && batch.isConfirmed)) {
            if (this.#sender.isSending(batch)) this.#sender.abandon();
            this.discard(batch);
        }
        const waitingBatches = this.#replica.batches.filter((batch) => batch.isWaiting);
        let remainingBytes = keepaliveBytes;
        const fitting = [];
        for (const batch of waitingBatches) {
            remainingBytes -= utf8Length(batch.body);
            if (remainingBytes < 0) break;
            fitting.push(batch);
        }
        if (fitting.length > 1) {
            const joined = Batch.joined(fitting);
            this.#sender.abandon();
            this.#replica.replace(fitting, [joined]);
            this.#outbox.store(joined, fitting[0]);
            for (const batch of fitting) this.#outbox.remove(batch);
        } else if (fitting.length === 0 || this.#sender.isSentWithKeepalive(fitting[0])) {
            return;
        }
        this.#sender.sendNow();
    }

    /** Pauses sending while the board is deleted, and resumes when it is restored. */
    setGone(isGone) {
        this.isPaused = isGone;
        this.#outbox.markGone(isGone);
        if (!isGone) this.#sender.sendNow();
    }

    // --- Responses.

    #next() {
        if (this.isPaused) return undefined;
        const batch = this.#replica.batches.find((batch) => batch.isWaiting);
        if (!batch?.isOpen) return batch;
        this.seal(batch);
        return this.#next();
    }

    #handleResponse(batch, { revision, refused }) {
        const { operations } = batch;
        this.#outbox.remove(batch);
        const failed = refused.filter(({ index }) => operations[index]);
        const changes = this.#replica.handleResponse(batch, revision, failed);
        this.#callbacks.changed(changes);
        if (failed.length) {
            // An "exists" refusal concerns an emoji with this page's own ID: an earlier attempt has added it.
            const unapplied = failed.filter(({ reason }) => reason !== "exists");
            const unreported = unapplied.filter(({ index }) => !this.#neverAdded.has(targetOf(operations[index])));
            this.#reportRefusal(
                batch, unapplied.map(({ index }) => operations[index]), unreported.map(({ message }) => message));
        }
        this.#callbacks.answered(revision);
        this.#callbacks.status();
    }

    #handleRejection(batch, message) {
        this.#outbox.remove(batch);
        this.#callbacks.changed(this.#replica.remove(batch));
        const text = wasUndone({ step: batch.name, reason: message });
        this.#reportRefusal(batch, batch.operations, [text]);
        this.#callbacks.status();
    }

    #reportRefusal(batch, operations, messages) {
        for (const operation of operations) if (operation.op === "add") this.#neverAdded.add(operation.emoji.id);
        this.#callbacks.refused(batch, operations, messages);
    }

    /** Inserts batches that a closed tab left behind, before those that this page has yet to send. */
    #insertInherited(batches) {
        const known = new Set(this.#replica.batches.map((batch) => batch.id));
        const precedes = (batch) => !batch.isWaiting || this.#sender.isSending(batch);
        const index = this.#replica.batches.findLastIndex(precedes) + 1;
        this.#callbacks.changed(this.#replica.insert(batches.filter((batch) => !known.has(batch.id)), index));
        this.#sender.sendPending();
        this.#callbacks.status();
    }
}
