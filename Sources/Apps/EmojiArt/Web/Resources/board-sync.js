// Connects a board's model, which is Swift, to the page: carries out its effects, and tells it what the server sends.

import { BoardRequests } from "./board-requests.js";
import { Incoming } from "./incoming.js";
import { Outbox } from "./outbox.js";
import { lastWords, Sender } from "./sender.js";
import { ShownBoard } from "./shown-board.js";

/** While nothing can be sent, a crash loses at most so much of what a person drags, in milliseconds. */
const storedEvery = 500;

/**
 * Events: `change` (detail {isOwn, ids, hasBackground}: these emoji look different), `status`, `picture`, `name`,
 * `palettes`, `effects` (what the model says of the view, the selection and so on), `history`, `refused` (detail {messages}), `gone` (the board was deleted).
 */
export class BoardSync extends EventTarget {
    /** The shown board. Only to be read. */
    art = new ShownBoard();
    /** The server's revision under what this page did, and the server process that it comes from. */
    revision = 0;
    epoch = "";
    /** The model's functions; each returns a value, and its effects are carried out. @type {Record<string, (...values: any[]) => any>} */
    model;
    #model;
    #waiting = 0;
    #undoNames = null;
    #redoNames = null;
    #requests;
    #incoming;
    #outbox;
    #sender;
    #lastStored = 0;
    #end = new AbortController();

    /**
     * - id: The board's id.
     * - state: What `/art/boards/ID/state` answers; the page contains it.
     * - model: The functions of the board's WebAssembly module.
     */
    constructor({ id, state, model }) {
        super();
        this.id = id;
        this.name = state.name;
        /** The state of the background's picture on the server. */
        this.picture = state.picture;
        /** The version of the palettes; null until it is known. */
        this.palettes = null;
        /** "saved", "saving", "offline" or "failed"; and the same in words. */
        this.status = "saved";
        this.statusText = "Saved";
        this.#model = model;
        this.model = Object.fromEntries(
            Object.keys(model).map((name) => [name, (...values) => this.#call(name, ...values)]));
        this.#requests = new BoardRequests(id);
        this.#incoming = this.#makeIncoming();
        this.#outbox = new Outbox(id, (batches) => this.#call("inherit", batches, this.#sender.current));
        this.#sender = this.#makeSender();
        this.#call("open", state);
        this.#outbox.open();
        this.#listen();
    }

    #makeIncoming() {
        return new Incoming(this.#requests, this, {
            entries: (entries) => this.#call("receiveEntries", entries),
            state: (state, since) => this.#call("receiveState", state, since),
            set: (property, value) => this.#set(property, value),
            gone: () => this.#hasGone(),
            back: () => {
                this.#sender.again();
                // A picture that couldn't be loaded may load now.
                this.#tell("picture");
                this.#tellStatus();
            },
            lost: () => this.#tellStatus(),
        });
    }

    #makeSender() {
        return new Sender(this.#requests.address("operations"), {
            next: () => (this.#incoming.isGone ? null : this.#call("nextBatch")),
            answered: ({ id }, { revision, refused }) => {
                this.#call("receiveAnswer", id, revision, refused);
                this.#incoming.expect(revision);
            },
            rejected: ({ id }, words) => this.#call("receiveRejection", id, words),
            gone: () => this.#incoming.setGone(),
            stalled: () => this.#tellStatus(),
        });
    }

    // --- The model.

    /** Calls a function of the model, and carries out its effects. */
    #call(name, ...values) {
        const { value, effects, numbers } = this.#model[name](...values);
        const { stored = [], forgotten = [], messages = [], open = null } = effects;
        this.revision = effects.revision;
        this.epoch = effects.epoch;
        this.#waiting = effects.waiting;
        const changes = this.art.update(effects, numbers);
        for (const { id, place } of stored) this.#store(id, place);
        for (const id of forgotten) this.#outbox.forget(id);
        if (open !== null && performance.now() - this.#lastStored > storedEvery) {
            this.#lastStored = performance.now();
            this.#store(open, open);
        }
        if (effects.abandonsRequest) this.#sender.abandon();
        this.#tell("effects", effects);
        if (changes.ids.length || changes.hasBackground) this.#tell("change", { isOwn: effects.isOwn, ...changes });
        if (effects.hasOtherHistory) {
            this.#undoNames = this.#redoNames = null;
            this.#tell("history");
        }
        if (messages.length) this.#tell("refused", { messages });
        if (effects.hasNews) {
            this.#sender.kick();
            this.#tellStatus();
        }
        return value;
    }

    #store(id, place) {
        const { value } = this.#model.batch(id);
        if (value) this.#outbox.keep(value, place);
    }

    /** The names of the steps that can be undone, and redone, the next one first. */
    get undoNames() {
        return (this.#undoNames ??= this.#model.undoNames().value);
    }

    get redoNames() {
        return (this.#redoNames ??= this.#model.redoNames().value);
    }

    /** Whether the server doesn't have everything that was done here. */
    get isWaiting() {
        return this.#waiting > 0;
    }

    // --- Steps. What can't be done is told by `refused`.

    /** Does operations in one step; returns whether anything looks different. */
    change(name, operations) {
        return this.#call("change", name, operations);
    }

    /** Begins a step of any operations, which is shown at once, sent as fast as the server takes it, and undone as one. */
    gesture(name) {
        const number = this.#call("beginGesture", name);
        return {
            update: (operations) => void this.#call("updateGesture", number, operations),
            end: () => void this.#call("endGesture", number),
            cancel: () => void this.#call("cancelGesture", number),
        };
    }

    // --- The page.

    #listen() {
        const listen = (target, name, heard) => target.addEventListener(name, heard, { signal: this.#end.signal });
        listen(document, "visibilitychange", () => {
            if (document.visibilityState === "visible") this.#wake();
            else this.#rest();
        });
        listen(window, "pageshow", ({ persisted }) => {
            if (!persisted) return;
            this.#outbox.reopen();
            this.#wake();
        });
        listen(window, "pagehide", () => this.#leave());
        listen(window, "online", () => this.#wake());
        listen(window, "beforeunload", (event) => {
            if (!this.#outbox.isComplete) event.preventDefault();
        });
        if (document.visibilityState === "visible") this.#incoming.again();
    }

    #wake() {
        this.#sender.again();
        if (document.visibilityState === "visible") this.#incoming.again();
    }

    #rest() {
        // The page may not run again: what is not sent is stored.
        this.#call("sealAll");
        this.#sender.again();
        // A browser has six connections to a server for all tabs together: only visible ones keep theirs.
        this.#incoming.close();
        this.#tellStatus();
    }

    #leave() {
        this.#call("sealAll");
        const { current, isKeptAlive } = this.#sender;
        const isToSend = !this.#incoming.isGone && this.#call("prepareToLeave", lastWords, current, isKeptAlive);
        if (isToSend) this.#sender.again();
        this.#outbox.leave();
        this.#incoming.close();
    }

    /** Sends what waits; done when the server has all of it, or can't be reached now. */
    async flush() {
        this.#call("sealAll");
        this.#sender.again();
        await this.#sender.settled();
    }

    /** Stops sending; what was not sent stays for the next tab. */
    close() {
        this.#end.abort();
        this.#incoming.close();
        this.#call("sealAll");
        this.#sender.close();
        this.#outbox.close();
    }

    // --- Requests. Each throws an Error with a message for a person.

    /** Stores a picture for the board: {picture, width, height}. */
    keepPicture(blob) {
        return this.#requests.keepPicture(blob);
    }

    /** Fetches the background again. */
    retryBackground() {
        return this.#requests.retryBackground();
    }

    async rename(name) {
        const { name: kept } = await this.#requests.rename(name);
        this.#set("name", kept);
    }

    // --- Telling.

    #tell(type, detail) {
        this.dispatchEvent(new CustomEvent(type, { detail }));
    }

    #hasGone() {
        const { isGone } = this.#incoming;
        this.#outbox.markGone(isGone);
        if (isGone) this.#tell("gone");
        else this.#sender.again();
        this.#tellStatus();
    }

    #set(property, value) {
        if (JSON.stringify(this[property]) === JSON.stringify(value)) return;
        this[property] = value;
        this.#tell(property);
    }

    #tellStatus() {
        const { failure } = this.#sender;
        const { isGone, isLost } = this.#incoming;
        const [status, text] = this.#model.status(failure, isGone, isLost, this.#outbox.isComplete).value;
        if (status === this.status && text === this.statusText) return;
        this.status = status;
        this.statusText = text;
        this.#tell("status");
    }
}
