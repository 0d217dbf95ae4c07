// What others do on a board, as it comes: a stream of events with attempts of its own to have it back, as in live.js.

import { Backoff } from "../site/backoff.js";

export class EntryStream {
    #address;
    #handlers;
    #backoff = new Backoff(500, 10000);
    #source = null;

    /** Whether the connection was lost, and is not back yet. */
    isLost = false;

    /**
     * - address: Called for where the stream is to be had from.
     * - handlers: By the events' names what to do with their data; `opened()`, `lost()`, and `refused()` where the
     *   server answers with no stream.
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
            const isAnswered = source.readyState === EventSource.CLOSED;
            this.close();
            this.isLost = true;
            this.#backoff.wait(() => this.#open());
            lost();
            if (isAnswered) refused();
        });
    }

    /** Follows it at once, by a new connection. */
    again() {
        this.close();
        this.#backoff.reset();
        this.#open();
    }

    /** Follows it by a new connection, after a pause. */
    retry() {
        this.close();
        this.#backoff.wait(() => this.#open());
    }

    /** Lets go of the connection. */
    close() {
        this.#backoff.end();
        this.#source?.close();
        this.#source = null;
        // What was let go of is not missed.
        this.isLost = false;
    }
}
