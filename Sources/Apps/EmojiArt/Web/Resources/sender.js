// Sends batches one at a time. A batch without a response is sent again before the next one.

import { utf8Length } from "./art.js";
import { Backoff } from "../site/backoff.js";
import { notSentWithStatus, notSentYet } from "./words.js";

/** The timeout of a request, in milliseconds. */
const responseTimeout = 30000;
/** The maximum size of a request that outlives the page, in bytes: the Fetch standard allows 64 KiB for all of them. */
export const keepaliveBytes = 60000;

/** Statuses of client errors after which the batch is sent again, because they aren't about the batch itself. */
const temporaryStatuses = new Set([401, 403, 407, 408, 421, 425, 429]);

/** The status of a full disk: the batch stays pending until the disk has space. */
const insufficientStorage = 507;

export class Sender {
    #address;
    #queue;
    #backoff = new Backoff(500, 10000);
    /** The batch being sent: {batch, controller, isKeptAlive}. */
    #current = null;
    #waiters = [];
    #isClosed = false;

    /** Why the last attempt failed: {message, isStuck, isFull}; null if it succeeded. */
    failure = null;

    /**
     * - address: The address for sending batches.
     * - queue: `next()` returns the batch to send, if any; `answered(batch, response)`, `rejected(batch, message)`,
     *   `gone()` and `stalled()` receive the outcome.
     */
    constructor(address, queue) {
        this.#address = address;
        this.#queue = queue;
    }

    /** Whether a batch is being sent by a request that outlives the page. */
    isSentWithKeepalive(batch) {
        return this.#current?.batch === batch && this.#current.isKeptAlive;
    }

    isSending(batch) {
        return this.#current?.batch === batch;
    }

    /** Sends pending batches, unless sending is already running or waits for a retry. */
    sendPending() {
        if (!this.#current && !this.#backoff.isWaiting && !this.#isClosed) this.#run();
    }

    /** Sends pending batches at once, without waiting for a retry. */
    sendNow() {
        this.#backoff.reset();
        this.sendPending();
    }

    /** Aborts the current request and ignores its outcome. */
    abandon() {
        const abandoned = this.#current;
        this.#current = null;
        abandoned?.controller.abort();
    }

    close() {
        this.#isClosed = true;
        this.#backoff.cancel();
        this.#resolveWaiters();
    }

    /** Resolves when there is nothing to send, or it can't be sent now. */
    whenIdle() {
        return new Promise((done) => {
            this.#waiters.push(done);
            if (!this.#current) this.#resolveWaiters();
        });
    }

    #resolveWaiters() {
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
                // A full disk isn't retried periodically: the next change, or `sendNow()`, tries again.
                if (!outcome.failure.isFull) this.#backoff.wait(() => this.sendPending());
                this.#queue.stalled();
                break;
            }
            this.#backoff.reset();
            if (outcome.answer) this.#queue.answered(batch, outcome.answer);
            else if (outcome.isGone) this.#queue.gone();
            else this.#queue.rejected(batch, outcome.message);
            // The callbacks may have started to send.
            if (this.#current) return;
        }
        this.#resolveWaiters();
    }

    async #post(current) {
        const { batch, controller } = current;
        const timer = setTimeout(() => controller.abort(), responseTimeout);
        const { body } = batch;
        current.isKeptAlive = body.length < keepaliveBytes && utf8Length(body) < keepaliveBytes;
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
            return { failure: { message: notSentYet, isStuck: false } };
        } finally {
            clearTimeout(timer);
        }
    }
}

async function outcomeOf(response) {
    const isJSON = response.headers.get("Content-Type")?.includes("json");
    // A response that isn't JSON isn't this server's, but for example a network's sign-in page.
    const json = isJSON ? await response.json() : null;
    if (response.ok && Number.isInteger(json?.revision) && Array.isArray(json.refused)) return { answer: json };
    const message = json?.detail ?? notSentWithStatus({ status: response.status });
    const isClientError = response.status >= 400 && response.status < 500;
    const isRefusal = json && isClientError && !temporaryStatuses.has(response.status);
    const isFull = response.status === insufficientStorage;
    if (!isRefusal) return { failure: { message, isStuck: isFull || response.status < 500, isFull } };
    if (response.status === 404 || response.status === 410) return { isGone: true };
    return { message };
}
