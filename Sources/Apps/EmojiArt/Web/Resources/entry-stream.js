// The event stream of a board. Reconnects by itself, as live.js does.

import { Backoff } from "../site/backoff.js";

/** A stream is closed until `reconnect()` is called. */
export class EntryStream {
    #address;
    #handlers;
    #backoff = new Backoff(500, 10000);
    #source = null;

    /** Whether the connection was lost and hasn't been restored. */
    isLost = false;

    /**
     * - address: Returns the stream's address.
     * - handlers: Handlers of the events' data by event name; also `opened()`, `lost()`, and `refused()` when the
     *   server's response isn't an event stream.
     */
    constructor(address, handlers) {
        this.#address = address;
        this.#handlers = handlers;
    }

    get isOpen() {
        return this.#source?.readyState === EventSource.OPEN;
    }

    #open() {
        const { opened, lost, refused, ...events } = this.#handlers;
        const source = new EventSource(this.#address());
        this.#source = source;
        for (const [name, handle] of Object.entries(events)) {
            source.addEventListener(name, ({ data }) => {
                if (this.#source === source) handle(JSON.parse(data));
            });
        }
        source.addEventListener("open", () => {
            this.#backoff.reset();
            this.isLost = false;
            opened();
        });
        source.addEventListener("error", () => {
            const isRefused = source.readyState === EventSource.CLOSED;
            this.close();
            this.isLost = true;
            this.#backoff.wait(() => this.#open());
            lost();
            if (isRefused) refused();
        });
    }

    /** Opens the stream, or closes and opens it again, without waiting for a retry. */
    reconnect() {
        this.close();
        this.#backoff.reset();
        this.#open();
    }

    /** Reconnects after a delay. */
    retry() {
        this.close();
        this.#backoff.wait(() => this.#open());
    }

    close() {
        this.#backoff.cancel();
        this.#source?.close();
        this.#source = null;
        // A closed stream doesn't count as lost.
        this.isLost = false;
    }
}
