// Sends batches one at a time. A batch without a response is sent again before the next one.

import { Backoff } from "../site/backoff.js";

/** The timeout of a request, in milliseconds. */
const responseTimeout = 30000;
/** The maximum size of a request that outlives the page, in bytes: the Fetch standard allows 64 KiB for all of them. */
export const keepaliveBytes = 60000;

export class Sender {
    /**
     * The batch that is being sent, null if there is none: {id, controller, isKeptAlive}, with whether its request
     * outlives the page. Read-only.
     */
    current = null;
    #address;
    #queue;
    #backoff = new Backoff(500, 10000);
    /** Resolves when the current request has ended. */
    #sending = null;

    /**
     * - address: The address for sending batches.
     * - queue: `next()` returns the batch to send, if any; `received(batch, status, json)` takes the response, with
     *   null for the status if there was none, and returns what to send then: "next", "retry" (after a delay) or "stop".
     */
    constructor(address, queue) {
        this.#address = address;
        this.#queue = queue;
    }

    /** Sends pending batches, unless sending is already running or waits for a retry. */
    sendPending() {
        if (!this.current && !this.#backoff.isWaiting) this.#sending = this.#send();
    }

    /** Sends pending batches at once, without waiting for a retry. */
    sendNow() {
        this.#backoff.reset();
        this.sendPending();
    }

    /** Begins no other request before a delay has ended, or `sendNow()` is called. */
    postpone() {
        this.#backoff.wait(() => this.sendPending());
    }

    /**
     * Aborts the current request and ignores its outcome, because the next batch contains its operations.
     *
     * The server may receive it nonetheless, even after that batch, and it would revert later changes. So an empty
     * batch with the same ID is sent too: the server applies only the first batch of an ID.
     */
    abandon() {
        if (!this.current) return;
        const { id, controller } = this.current;
        this.current = null;
        controller.abort();
        void this.#post({ id, name: "", operations: [] }, { controller: new AbortController() });
    }

    /** Resolves when no batch is pending, or pending batches can't be sent now. */
    async whenIdle() {
        while (this.current) await this.#sending;
    }

    async #send() {
        const batch = this.#queue.next();
        if (!batch) return;
        const current = { id: batch.id, controller: new AbortController(), isKeptAlive: false };
        this.current = current;
        const { status, json } = await this.#post(batch, current);
        if (this.current !== current) return;
        this.current = null;
        const next = this.#queue.received(batch, status, json);
        if (next === "next") this.sendNow();
        if (next === "retry") this.postpone();
    }

    async #post({ id, name, operations }, current) {
        // Aborting a request that has ended has no effect.
        setTimeout(() => current.controller.abort(), responseTimeout);
        const body = JSON.stringify({ id, name, operations });
        current.isKeptAlive = body.length < keepaliveBytes && new Blob([body]).size < keepaliveBytes;
        try {
            const response = await fetch(this.#address, {
                method: "POST",
                body,
                headers: { "Content-Type": "application/json", Accept: "application/json, application/problem+json" },
                keepalive: current.isKeptAlive,
                redirect: "error",
                signal: current.controller.signal,
            });
            const isJSON = response.headers.get("Content-Type")?.includes("json");
            return { status: response.status, json: isJSON ? await response.json() : null };
        } catch {
            return { status: null, json: null };
        }
    }
}
