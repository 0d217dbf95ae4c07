// Receives entries from the server, by revision and without gaps: others' changes and confirmations of local ones.

import { GoneError } from "./board-requests.js";
import { EntryStream } from "./entry-stream.js";
import { Backoff } from "../site/backoff.js";

/** Milliseconds after a response within which its entry must arrive; otherwise the stream is considered dead. */
const entryWithin = 3000;

export class Incoming {
    #requests;
    #replica;
    #told;
    #stream;
    /** Whether the board is followed: only while the page is visible. */
    #isFollowing = false;
    #isCatchingUp = false;
    #isToCatchUp = false;
    #watch = null;
    /** Delays between checks whether a deleted board has been restored. */
    #backoff = new Backoff(500, 10000);

    /** Whether the board was deleted. */
    isGone = false;

    /**
     * - replica: Applies the entries.
     * - told: Callbacks: `changed(changes)`, `set(property, value)` for `name`, `picture` and `palettes`, `gone()` when
     *   `isGone` changes, `back()` when the stream opens, `lost()` when it is lost, `wentBack()` when the server was
     *   restored from a backup that is older than this page.
     */
    constructor(requests, replica, told) {
        this.#requests = requests;
        this.#replica = replica;
        this.#told = told;
        this.#stream = new EntryStream(() => requests.events(replica), {
            opened: () => {
                this.#setGone(false);
                told.back();
            },
            lost: () => told.lost(),
            refused: () => this.#catchUp(),
            entries: ({ entries }) => this.#take(entries),
            board: ({ revision }) => revision !== replica.revision && this.#catchUp(),
            picture: (picture) => told.set("picture", picture),
            name: ({ name }) => told.set("name", name),
            palettes: ({ version }) => told.set("palettes", version),
            gone: () => this.#setGone(true),
        });
    }

    /** Whether the connection was lost and hasn't been restored. */
    get isLost() {
        return this.#stream.isLost;
    }

    /** Reconnects and continues from the current revision. Checks whether a deleted board has been restored. */
    again() {
        this.#isFollowing = true;
        if (this.isGone) this.#catchUp();
        else this.#stream.again();
    }

    /** Closes the connection and stops following. */
    close() {
        this.#isFollowing = false;
        this.#letGo();
    }

    #letGo() {
        clearTimeout(this.#watch);
        this.#watch = null;
        this.#backoff.end();
        this.#stream.close();
    }

    /** Expects the entry of a revision that a response has reported; reconnects if it doesn't arrive in time. */
    expect(revision) {
        if (revision <= this.#replica.revision || !this.#stream.isOpen || this.#watch) return;
        this.#watch = setTimeout(() => {
            this.#watch = null;
            if (this.#replica.revision < revision && this.#stream.isOpen) this.#stream.again();
        }, entryWithin);
    }

    /** Marks the board as deleted, when a response to another request says so. */
    setGone() {
        this.#setGone(true);
    }

    #setGone(isGone) {
        if (isGone === this.isGone) return;
        this.isGone = isGone;
        this.#backoff.reset();
        if (isGone) this.#letGo();
        if (isGone) this.#lookAgain();
        this.#told.gone();
    }

    /** A deleted board can be restored for some minutes, but this page gets no event for it, so it polls. */
    #lookAgain() {
        if (this.#isFollowing) this.#backoff.wait(() => this.#catchUp());
    }

    #take(entries) {
        const { isGap, isBroken, ...changes } = this.#replica.take(entries);
        this.#told.changed(changes);
        if (isBroken) this.#takeAnew();
        else if (isGap) this.#catchUp();
    }

    /** Requests the entries since the current revision, and again if another catch-up is requested meanwhile. */
    async #catchUp() {
        this.#isToCatchUp = true;
        if (this.#isCatchingUp) return;
        this.#isCatchingUp = true;
        const wasGone = this.isGone;
        try {
            const { epoch } = this.#replica;
            while (this.#isToCatchUp) {
                this.#isToCatchUp = false;
                const since = this.#replica.revision;
                const told = await this.#requests.entries(this.#replica);
                this.#setGone(false);
                if (told.entries) this.#take(told.entries);
                else this.#takeWhole(told, since);
            }
            // The server refuses streams of an earlier epoch, so reconnect with the new one.
            const isToFollow = wasGone || epoch !== this.#replica.epoch;
            if (isToFollow && this.#isFollowing) this.#stream.again();
        } catch (error) {
            if (!(error instanceof GoneError)) this.#retry();
            else if (this.isGone) this.#lookAgain();
            else this.#setGone(true);
        } finally {
            this.#isCatchingUp = false;
        }
    }

    /** Replaces the whole board, because an entry couldn't be applied: this copy differs from the server's. */
    async #takeAnew() {
        try {
            let isTaken = false;
            while (!isTaken) {
                const since = this.#replica.revision;
                isTaken = this.#takeWhole(await this.#requests.state(), since);
            }
        } catch {
            this.#retry();
        }
    }

    /** Reconnects after a delay: a new stream begins with the missing entries. */
    #retry() {
        if (this.isGone) this.#lookAgain();
        else if (this.#isFollowing) this.#stream.retry();
    }

    /** Replaces the whole board, unless the state is older than this copy. Returns whether it did. */
    #takeWhole(state, since) {
        // Events may have delivered newer entries while this request was pending. Only a server that was restored from
        // a backup has a revision below the requested one.
        const isOtherEpoch = state.epoch !== this.#replica.epoch;
        if (!isOtherEpoch && state.revision < this.#replica.revision && state.revision >= since) return false;
        const isBehind = state.revision < since;
        this.#told.changed(this.#replica.takeWhole(state));
        if (isBehind) this.#told.wentBack();
        if (state.name !== undefined) this.#told.set("name", state.name);
        if (state.picture) this.#told.set("picture", state.picture);
        return true;
    }
}
