// Follows a board on the server: passes entries to the model in the order of their revisions, without a gap.

import { GoneError } from "./board-requests.js";
import { EntryStream } from "./entry-stream.js";
import { Backoff } from "../site/backoff.js";

/** So long after an answer its entry has to have come: else the connection only seems to be there. */
const entryWithin = 3000;

export class Incoming {
    #requests;
    #sync;
    #told;
    #stream;
    /** Whether the board is to be followed; not while nobody sees the page. */
    #isFollowing = false;
    #isCatchingUp = false;
    #isToCatchUp = false;
    #watch = null;
    /** Between looks whether a deleted board has come back. */
    #backoff = new Backoff(500, 10000);

    /** Whether the board was deleted. */
    isGone = false;

    /**
     * - sync: Knows the revision and the epoch that the page has.
     * - told: What is called: `entries(entries)` and `state(state, since)` take what the server sends, and return what
     *   to ask for, and whether it was taken; `set(property, value)` of `name`, `picture` and `palettes`; `gone()` when
     *   `isGone` has changed; `back()` when the server answers again, `lost()` when it doesn't.
     */
    constructor(requests, sync, told) {
        this.#requests = requests;
        this.#sync = sync;
        this.#told = told;
        this.#stream = new EntryStream(() => requests.events(sync), {
            opened: () => {
                this.#setGone(false);
                told.back();
            },
            lost: () => told.lost(),
            refused: () => this.#catchUp(),
            entries: ({ entries }) => this.#take(entries),
            board: ({ revision }) => revision !== sync.revision && this.#catchUp(),
            picture: (picture) => told.set("picture", picture),
            name: ({ name }) => told.set("name", name),
            palettes: ({ version }) => told.set("palettes", version),
            gone: () => this.#setGone(true),
        });
    }

    /** Whether the connection was lost, and is not back yet. */
    get isLost() {
        return this.#stream.isLost;
    }

    /** Follows the board from where it is, by a new connection; one that was deleted may have come back. */
    again() {
        this.#isFollowing = true;
        if (this.isGone) this.#catchUp();
        else this.#stream.again();
    }

    /** Lets go of the connection. */
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

    /** An answer has told of a revision: its entry has to come soon. */
    expect(revision) {
        if (revision <= this.#sync.revision || !this.#stream.isOpen || this.#watch) return;
        this.#watch = setTimeout(() => {
            this.#watch = null;
            if (this.#sync.revision < revision && this.#stream.isOpen) this.#stream.again();
        }, entryWithin);
    }

    /** The board is not there: told by an answer, too. */
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

    /** For some minutes it can be had back, by whoever deleted it: nobody tells this page. */
    #lookAgain() {
        if (this.#isFollowing) this.#backoff.wait(() => this.#catchUp());
    }

    #take(entries) {
        const need = this.#told.entries(entries);
        if (need === "state") this.#takeAnew();
        else if (need === "entries") this.#catchUp();
    }

    /** Asks what happened since what is shown; once more, if that is asked for meanwhile. */
    async #catchUp() {
        this.#isToCatchUp = true;
        if (this.#isCatchingUp) return;
        this.#isCatchingUp = true;
        const wasGone = this.isGone;
        try {
            const { epoch } = this.#sync;
            while (this.#isToCatchUp) {
                this.#isToCatchUp = false;
                const since = this.#sync.revision;
                const told = await this.#requests.entries(this.#sync);
                this.#setGone(false);
                if (told.entries) this.#take(told.entries);
                else this.#takeWhole(told, since);
            }
            // The server refused the stream of an earlier epoch.
            const isToFollow = wasGone || epoch !== this.#sync.epoch;
            if (isToFollow && this.#isFollowing) this.#stream.again();
        } catch (error) {
            if (!(error instanceof GoneError)) this.#retry();
            else if (this.isGone) this.#lookAgain();
            else this.#setGone(true);
        } finally {
            this.#isCatchingUp = false;
        }
    }

    /** An entry could not be applied: this is no longer the server's board. */
    async #takeAnew() {
        try {
            this.#takeWhole(await this.#requests.state(), this.#sync.revision);
        } catch {
            this.#retry();
        }
    }

    /** A new stream begins with what is missing: after a pause, as the server does not answer. */
    #retry() {
        if (this.isGone) this.#lookAgain();
        else if (this.#isFollowing) this.#stream.retry();
    }

    #takeWhole(state, since) {
        if (!this.#told.state(state, since)) return;
        if (state.name !== undefined) this.#told.set("name", state.name);
        if (state.picture) this.#told.set("picture", state.picture);
    }
}
