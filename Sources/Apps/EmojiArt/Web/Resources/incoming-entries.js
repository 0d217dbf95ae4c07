// Receives the entries of the board's log in order of revision, without gaps: changes by others, and confirmations of
// local ones.

import { GoneError } from "./board-requests.js";
import { EntryStream } from "./entry-stream.js";
import { Backoff } from "../site/backoff.js";

/** How long after a response its entry must arrive, in milliseconds; otherwise the stream is considered dead. */
const entryTimeout = 3000;

export class IncomingEntries {
    #requests;
    #replica;
    #callbacks;
    #stream;
    /** Whether the board is followed: only while the page is visible. */
    #isFollowing = false;
    #isCatchingUp = false;
    #needsCatchUp = false;
    #entryTimer = null;
    /** Delays between checks whether a deleted board has been restored. */
    #backoff = new Backoff(500, 10000);

    /** Whether the board was deleted. */
    isGone = false;

    /**
     * - replica: Applies the entries.
     * - callbacks: `changed(changes)`; `set(property, value)` for `name`, `picture` and `palettes`; `goneChanged()`
     *   when `isGone` changes; `connected()` when the stream opens; `lost()` when the stream is lost; `reverted()`
     *   when the server was restored from a backup that is older than this page.
     */
    constructor(requests, replica, callbacks) {
        this.#requests = requests;
        this.#replica = replica;
        this.#callbacks = callbacks;
        this.#stream = new EntryStream(() => requests.events(replica), {
            opened: () => {
                this.#setGone(false);
                callbacks.connected();
            },
            lost: () => callbacks.lost(),
            refused: () => this.#catchUp(),
            entries: ({ entries }) => this.#applyEntries(entries),
            board: ({ revision }) => revision !== replica.revision && this.#catchUp(),
            picture: (picture) => callbacks.set("picture", picture),
            name: ({ name }) => callbacks.set("name", name),
            palettes: ({ version }) => callbacks.set("palettes", version),
            gone: () => this.#setGone(true),
        });
    }

    /** Whether the connection was lost and hasn't been restored. */
    get isLost() {
        return this.#stream.isLost;
    }

    /** Reconnects and continues from the current revision. Checks whether a deleted board has been restored. */
    reconnect() {
        this.#isFollowing = true;
        if (this.isGone) this.#catchUp();
        else this.#stream.reconnect();
    }

    /** Closes the connection and stops following. */
    close() {
        this.#isFollowing = false;
        this.#closeStream();
    }

    #closeStream() {
        clearTimeout(this.#entryTimer);
        this.#entryTimer = null;
        this.#backoff.cancel();
        this.#stream.close();
    }

    /** Expects the entry of a revision that a response has reported; reconnects if it doesn't arrive in time. */
    expect(revision) {
        if (revision <= this.#replica.revision || !this.#stream.isOpen || this.#entryTimer) return;
        this.#entryTimer = setTimeout(() => {
            this.#entryTimer = null;
            if (this.#replica.revision < revision && this.#stream.isOpen) this.#stream.reconnect();
        }, entryTimeout);
    }

    /** Marks the board as deleted, when a response to another request says so. */
    setGone() {
        this.#setGone(true);
    }

    #setGone(isGone) {
        if (isGone === this.isGone) return;
        this.isGone = isGone;
        this.#backoff.reset();
        if (isGone) this.#closeStream();
        if (isGone) this.#pollForRestore();
        this.#callbacks.goneChanged();
    }

    /** A deleted board can be restored for some minutes, but this page gets no event for it, so it polls. */
    #pollForRestore() {
        if (this.#isFollowing) this.#backoff.wait(() => this.#catchUp());
    }

    #applyEntries(entries) {
        const { isGap, isBroken, ...changes } = this.#replica.applyEntries(entries);
        this.#callbacks.changed(changes);
        if (isBroken) this.#replaceBoard();
        else if (isGap) this.#catchUp();
    }

    /**
     * Requests the entries since the current revision. If `#catchUp` is called before the response arrives, requests
     * them once more.
     */
    async #catchUp() {
        this.#needsCatchUp = true;
        if (this.#isCatchingUp) return;
        this.#isCatchingUp = true;
        const wasGone = this.isGone;
        try {
            const { epoch } = this.#replica;
            while (this.#needsCatchUp) {
                this.#needsCatchUp = false;
                const since = this.#replica.revision;
                const response = await this.#requests.entries(this.#replica);
                this.#setGone(false);
                if (response.entries) this.#applyEntries(response.entries);
                else this.#replaceWith(response, since);
            }
            // The server refuses streams of an earlier epoch, so reconnect with the new one.
            const shouldReconnect = wasGone || epoch !== this.#replica.epoch;
            if (shouldReconnect && this.#isFollowing) this.#stream.reconnect();
        } catch (error) {
            if (!(error instanceof GoneError)) this.#retry();
            else if (this.isGone) this.#pollForRestore();
            else this.#setGone(true);
        } finally {
            this.#isCatchingUp = false;
        }
    }

    /** Replaces the whole board, because an entry couldn't be applied: this copy differs from the server's. */
    async #replaceBoard() {
        try {
            let isReplaced = false;
            while (!isReplaced) {
                const since = this.#replica.revision;
                isReplaced = this.#replaceWith(await this.#requests.state(), since);
            }
        } catch {
            this.#retry();
        }
    }

    /** Reconnects after a delay: a new stream begins with the missing entries. */
    #retry() {
        if (this.isGone) this.#pollForRestore();
        else if (this.#isFollowing) this.#stream.retry();
    }

    /** Replaces the whole board, unless the state is older than this copy. Returns whether it did. */
    #replaceWith(state, since) {
        // Events may have delivered newer entries while this request was pending. Only a server that was restored from
        // a backup has a revision below the requested one.
        const isOtherEpoch = state.epoch !== this.#replica.epoch;
        if (!isOtherEpoch && state.revision < this.#replica.revision && state.revision >= since) return false;
        const isBehind = state.revision < since;
        this.#callbacks.changed(this.#replica.replaceWith(state));
        if (isBehind) this.#callbacks.reverted();
        if (state.name !== undefined) this.#callbacks.set("name", state.name);
        if (state.picture) this.#callbacks.set("picture", state.picture);
        return true;
    }
}
