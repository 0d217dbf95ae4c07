// An event stream that reconnects by itself. An EventSource stops reconnecting after the first response that isn't an
// event stream, so another one replaces it, with growing delays.

/** A stream is closed until `open()` is called. */
export class EventStream {
    #address;
    #callbacks;
    /** What handles the data of events, by the events' name. */
    #handlers = new Map();
    #source = null;

    /**
     * - address: Returns the stream's address.
     * - backoff: The delays before it reconnects.
     * - callbacks: `opened()`, and `lost(isRefused)`, with whether the server's response isn't an event stream.
     */
    constructor(address, backoff, callbacks) {
        this.#address = address;
        this.backoff = backoff;
        this.#callbacks = callbacks;
    }

    /** Calls a handler with the data of each event of a name, unless the name has a handler already. */
    listen(name, handler) {
        if (this.#handlers.has(name)) return;
        this.#handlers.set(name, handler);
        if (this.#source) this.#subscribe(name, ({ data }) => handler(data));
    }

    /** Opens the stream without waiting for a retry, unless it is open. */
    open() {
        if (this.#source) return;
        this.backoff.cancel();
        this.#source = new EventSource(this.#address());
        for (const [name, handler] of this.#handlers) this.#subscribe(name, ({ data }) => handler(data));
        this.#subscribe("open", () => {
            this.backoff.reset();
            this.#callbacks.opened();
        });
        this.#subscribe("error", ({ target }) => {
            const isRefused = target.readyState === EventSource.CLOSED;
            this.retry();
            this.#callbacks.lost(isRefused);
        });
    }

    /** Closes the stream, and opens it after a delay. */
    retry() {
        this.close();
        this.backoff.wait(() => this.open());
    }

    close() {
        this.backoff.cancel();
        this.#source?.close();
        this.#source = null;
    }

    /** Listens to the current source, as long as no other one has replaced it. */
    #subscribe(name, listener) {
        const source = this.#source;
        source.addEventListener(name, (event) => {
            if (this.#source === source) listener(event);
        });
    }
}
