// Follows the board's log: runs the event stream, the requests and the timers that the model asks for, and passes their
// results to the model.

import { EntryStream } from "./entry-stream.js";
import { request } from "./requests.js";
import { Backoff } from "../site/backoff.js";

/** How long after a response its entry must arrive, in milliseconds; otherwise the stream is considered dead. */
const entryTimeout = 3000;

export class IncomingEntries {
    #callbacks;
    #stream;
    #entryTimer = null;
    /** Delays between checks whether a deleted board has been restored. */
    #backoff = new Backoff(500, 10000);
    /** What the model's actions do. */
    #actions;

    /**
     * - address: The board's address on the server.
     * - board: The revision and the epoch of this copy of the board.
     * - callbacks: `call(name, ...values)` calls a function of the model; `set(property, value)` for `name`, `picture`
     *   and `palettes`; `gone()` and `restored()` when the board was deleted or restored; `connected()` when the stream
     *   opens; `lost()` when it is lost.
     */
    constructor(address, board, callbacks) {
        this.#callbacks = callbacks;
        const { call, set } = callbacks;
        const query = () => new URLSearchParams({ since: board.revision, epoch: board.epoch });
        this.#stream = new EntryStream(() => `${address}/events?${query()}`, {
            opened: () => {
                call("streamOpened");
                callbacks.connected();
            },
            lost: () => {
                call("streamLost");
                callbacks.lost();
            },
            refused: () => call("streamRefused"),
            entries: ({ entries }) => call("receiveEntries", entries),
            board: ({ revision }) => call("receiveRevision", revision),
            picture: (picture) => set("picture", picture),
            name: ({ name }) => set("name", name),
            palettes: ({ version }) => set("palettes", version),
            gone: () => call("receiveGone"),
        });
        this.#actions = {
            openStream: () => this.#stream.reconnect(),
            closeStream: () => this.#close(),
            retryStream: () => this.#stream.retry(),
            requestEntries: () => void this.#request("receiveLog", `${address}/entries?${query()}`),
            requestState: () => void this.#request("receiveState", `${address}/state`),
            awaitEntry: () => (this.#entryTimer = setTimeout(() => call("entryIsLate"), entryTimeout)),
            poll: () => this.#backoff.wait(() => call("poll")),
            resetPolling: () => this.#backoff.reset(),
            showGone: () => callbacks.gone(),
            continueRestored: () => callbacks.restored(),
        };
    }

    /** Carries out actions of the model. */
    perform(actions) {
        for (const action of actions) this.#actions[action]();
    }

    #close() {
        clearTimeout(this.#entryTimer);
        this.#backoff.cancel();
        this.#stream.close();
    }

    /** Passes a response to a function of the model, which returns whether the response replaced the whole board. */
    async #request(receiver, address) {
        const { call, set } = this.#callbacks;
        try {
            const state = await request(address, { cache: "no-store" });
            if (!call(receiver, state)) return;
            if (state.name !== undefined) set("name", state.name);
            if (state.picture) set("picture", state.picture);
        } catch (error) {
            call("requestFailed", receiver === "receiveState", error.isGone === true);
        }
    }
}
