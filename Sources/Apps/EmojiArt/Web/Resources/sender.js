// Sends batches one at a time. A batch without a response is sent again before the next one.

import { Backoff } from "../site/backoff.js";

/** The timeout of a request, in milliseconds. */
const responseTimeout = 30000;
/** The maximum size of a request that outlives the page, in bytes: the Fetch standard allows 64 KiB for all of them. */
export const keepaliveBytes = 60000;

export class Sender {
    #address;
    #queue;
    #backoff = new Backoff(500, 10000);
    /** The batch being sent: {batch, controller, isKeptAlive}. */
    #current = null;
    #waiters = [];
    #isClosed = false;

    /**
     * - address: The address for sending batches.
     * - queue: `next()` returns the batch to send, if any; `received(batch, status, json)` takes the response, with
     *   null for the status if there was none, and returns what to send then: "next", "retry" (after a delay) or "stop".
     */
    constructor(address, queue) {
        this.#address = address;
        this.#queue = queue;
    }

    /** Whether a batch is being sent by a request that outlives the page. */
    get isKeptAlive() {
        return this.#current?.isKeptAlive ?? false;
    }

    /** The ID of the batch that is being sent; null if there is none. */
    get currentID() {
        return this.#current?.batch.id ?? null;
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

    /** Resolves when no batch is pending, or pending batches can't be sent now. */
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
            const { status, json } = await this.#post(current);
            if (this.#current !== current) return;
            this.#current = null;
            const next = this.#queue.received(batch, status, json);
            if (next === "retry") this.#backoff.wait(() => this.sendPending());
            if (next !== "next") break;
            this.#backoff.reset();
            // `received` may have started to send.
            if (this.#current) return;
        }
        this.#resolveWaiters();
    }

    async #post(current) {
        const { batch, controller } = current;
        const timer = setTimeout(() => controller.abort(), responseTimeout);
        const { id, name, operations } = batch;
        const body = JSON.stringify({ id, name, operations });
        current.isKeptAlive = body.length < keepaliveBytes && new Blob([body]).size < keepaliveBytes;
        try {
            const response = await fetch(this.#address, {
                method: "POST",
                body,
                headers: { "Content-Type": "application/json", Accept: "application/json, application/problem+json" },
                keepalive: current.isKeptAlive,
                redirect: "error",
                signal: controller.signal,
            });
            const isJSON = response.headers.get("Content-Type")?.includes("json");
            return { status: response.status, json: isJSON ? await response.json() : null };
        } catch {
            return { status: null, json: null };
        } finally {
            clearTimeout(timer);
        }
    }
}
