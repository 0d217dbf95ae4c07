// Sends batches one after the other: the next when the one before has its answer, and the same again where none came.

import { Backoff } from "../site/backoff.js";

/** An answer that takes longer is not waited for. */
const answerWithin = 30000;
/** What a page may still send when it is left, by the Fetch standard 64 KiB for all requests together. */
export const lastWords = 60000;

/** Statuses that say nothing about the batch: it is sent again. */
const temporary = new Set([401, 403, 407, 408, 421, 425, 429]);

/** There is no room for the batch, which stays with the page until there is. */
const insufficientStorage = 507;

export class Sender {
    #address;
    #queue;
    #backoff = new Backoff(500, 10000);
    /** The batch that is under way: {batch, controller}. */
    #current = null;
    #waiters = [];
    #isClosed = false;

    /** Why the last attempt came to nothing: {words, isStuck, isFull}, or null. */
    failure = null;

    /**
     * - address: Where batches are sent.
     * - queue: `next()` gives the batch to be sent, if any; `answered(batch, answer)`, `rejected(batch, words)`,
     *   `gone()` and `stalled()` say what came of it.
     */
    constructor(address, queue) {
        this.#address = address;
        this.#queue = queue;
    }

    /** Whether a batch is under way that is sent also when the page is left. */
    get isKeptAlive() {
        return this.#current?.isKeptAlive ?? false;
    }

    /** The id of the batch that is under way; null if there is none. */
    get current() {
        return this.#current?.batch.id ?? null;
    }

    /** Sends what there is, unless that goes on already, or is to rest. */
    kick() {
        if (!this.#current && !this.#backoff.isWaiting && !this.#isClosed) this.#run();
    }

    /** Sends what there is at once. */
    again() {
        this.#backoff.reset();
        this.kick();
    }

    /** Lets go of what is under way, whatever becomes of it. */
    abandon() {
        const abandoned = this.#current;
        this.#current = null;
        abandoned?.controller.abort();
    }

    close() {
        this.#isClosed = true;
        this.#backoff.end();
        this.#settle();
    }

    /** Done when there is nothing to send, or it cannot be sent now. */
    settled() {
        return new Promise((done) => {
            this.#waiters.push(done);
            if (!this.#current) this.#settle();
        });
    }

    #settle() {
        for (const done of this.#waiters.splice(0)) done();
    }

    async #run() {
        for (let batch = this.#queue.next(); batch && !this.#isClosed; batch = this.#queue.next()) {
            const current = { batch, controller: new AbortController() };
            this.#current = current;
            const outcome = await this.#post(current);
            if (this.#current !== current) return;
            this.#current = null;
            this.failure = outcome.failure ?? null;
            if (outcome.failure) {
                // A full disk is not asked again and again: the next change, or `again()`, tries once more.
                if (!outcome.failure.isFull) this.#backoff.wait(() => this.kick());
                this.#queue.stalled();
                break;
            }
            this.#backoff.reset();
            if (outcome.answer) this.#queue.answered(batch, outcome.answer);
            else if (outcome.isGone) this.#queue.gone();
            else this.#queue.rejected(batch, outcome.words);
            // Whoever was told may have begun to send.
            if (this.#current) return;
        }
        this.#settle();
    }

    async #post(current) {
        const { batch, controller } = current;
        const timer = setTimeout(() => controller.abort(), answerWithin);
        const { id, name, operations } = batch;
        const body = JSON.stringify({ id, name, operations });
        current.isKeptAlive = body.length < lastWords && new Blob([body]).size < lastWords;
        try {
            const response = await fetch(this.#address, {
                method: "POST",
                body,
                headers: { "Content-Type": "application/json", Accept: "application/json, application/problem+json" },
                keepalive: current.isKeptAlive,
                redirect: "error",
                signal: controller.signal,
            });
            return await outcomeOf(response);
        } catch {
            return { failure: { words: "The server does not answer.", isStuck: false } };
        } finally {
            clearTimeout(timer);
        }
    }
}

async function outcomeOf(response) {
    const isJSON = response.headers.get("Content-Type")?.includes("json");
    // Another answer than ours, such as a sign-in page of the network's, says nothing about the batch.
    const said = isJSON ? await response.json() : null;
    if (response.ok && Number.isInteger(said?.revision) && Array.isArray(said.refused)) return { answer: said };
    const words = said?.detail ?? `The server answered with the status ${response.status}.`;
    const isRefusal = said && response.status >= 400 && response.status < 500 && !temporary.has(response.status);
    const isFull = response.status === insufficientStorage;
    if (!isRefusal) return { failure: { words, isStuck: isFull || response.status < 500, isFull } };
    if (response.status === 404 || response.status === 410) return { isGone: true };
    return { words };
}
