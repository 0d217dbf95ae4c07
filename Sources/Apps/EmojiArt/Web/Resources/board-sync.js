// Connects the board's model, which is compiled from Swift, to the page: carries out its effects, passes on what the server
// sends, and sends local changes when possible.
//
// The page shows the server's board, and on top of it the local batches that the server's entries don't contain yet.
// Sending a batch again is safe: it has the same ID, and the server applies it once.

import { Outbox } from "./outbox.js";
import { post, request } from "./requests.js";
import { keepaliveBytes, Sender } from "./sender.js";
import { ShownBoard } from "./shown-board.js";
import { worded } from "./worded.js";
import { savedLabel } from "./words.js";
import { Backoff } from "../site/backoff.js";
import { EventStream } from "../site/event-stream.js";

/**
 * The interval for storing the open batch of a gesture while nothing can be sent, in milliseconds: a crash loses at
 * most this much of a drag.
 */
const storeInterval = 500;
/** How long after a response its entry must arrive, in milliseconds; otherwise the stream is considered dead. */
const entryTimeout = 3000;

const isVisible = () => document.visibilityState === "visible";

/**
 * Events: `change` (the shown board has changed; detail {ids}, of emoji that look different), `effects` (the model's
 * effects on the view, the selection and so on), `status`, `picture`, `name`, `palettes`, `history`, `refused` (detail
 * {messages}), `gone` (the board was deleted).
 */
export class BoardSync extends EventTarget {
    /** The shown board: the server's board with local changes on top. Read-only. */
    art = new ShownBoard();
    /** The revision of the server's board that local changes are added to, and the epoch of that server. */
    revision = 0;
    epoch = "";
    /**
     * The model's functions; each returns its value, after its effects were carried out.
     *
     * @type {Record<string, (...values: any[]) => any>}
     */
    model;
    /** Whether the server lacks local changes. */
    hasUnsavedChanges = false;
    /** The version of the list of palettes; null until it is known. */
    palettes = null;
    /** Those who look at the board, and this tab's place among them; null until they are known. See `Presence`. */
    presence = null;
    seat = null;
    /** The secret by which the server recognises this tab's reports. */
    tab = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    /** "saved", "saving", "offline" or "failed"; `statusText` is the text for it. */
    status = "saved";
    statusText = savedLabel;
    /** The names of the steps that can be undone, and of those that can be redone, newest first. */
    undoNames = [];
    redoNames = [];
    #model;
    #availability = null;
    #stream;
    #entryTimer = null;
    /** Delays between checks whether a deleted board has been restored. */
    #polling = new Backoff(500, 10000);
    /** The board's address on the server. */
    #address;
    #boardID;
    #outbox;
    #sender;
    #lastStored = 0;

    /**
     * - id: What the board's data in the browser's storage is named after.
     * - address: The board's path on the server; that of the owner's board by default.
     * - state: The response of `/art/boards/ID/state`, which the page embeds.
     * - model: The functions of the board's WebAssembly module.
     */
    constructor({ id, state, model, address = `/art/boards/${id}` }) {
        super();
        this.id = id;
        this.name = state.name;
        /** The server's state of the background picture. */
        this.#boardID = state.id;
        this.#address = address;
        this.picture = this.#local(state.picture);
        this.#model = model;
        this.model = Object.fromEntries(
            Object.keys(model).map((name) => [name, (...values) => this.#call(name, ...values)]));
        this.#stream = this.#makeStream();
        this.#outbox = new Outbox(id, (batches) => this.#call("inherit", batches, this.#sender.current?.id ?? null));
        this.#sender = new Sender(`${this.#address}/operations`, {
            next: () => inWords(this.#call("nextBatch")),
            received: ({ id }, status, json) => {
                const next = this.#call("receiveResponse", id, status, json);
                this.#updateStatus();
                return next;
            },
        });
        this.#call("open", state);
        this.#listen();
    }

    // --- The model.

    /** Calls a function of the model, and carries out its effects. Returns the function's value. */
    #call(name, ...values) {
        this.#availability = null;
        const { value, effects, numbers } = this.#model[name](...values);
        const { stored = [], forgotten = [], messages = [], open = null } = effects;
        this.revision = effects.revision;
        this.epoch = effects.epoch;
        this.hasUnsavedChanges = effects.waiting > 0;
        const ids = this.art.update(effects, numbers);
        for (const { id, place } of stored) this.#store(id, place);
        for (const id of forgotten) this.#outbox.remove(id);
        if (open !== null && performance.now() - this.#lastStored > storeInterval) {
            this.#lastStored = performance.now();
            this.#store(open, open);
        }
        if (effects.abandonsRequest) this.#sender.abandon();
        for (const action of effects.following ?? []) this.#actions[action]();
        this.#dispatch("effects", effects);
        if (ids.length || effects.background) this.#dispatch("change", { ids });
        if (effects.hasOtherHistory) {
            this.undoNames = this.#model.undoNames().value.map(worded);
            this.redoNames = this.#model.redoNames().value.map(worded);
            this.#dispatch("history");
        }
        if (messages.length) this.#dispatch("refused", { messages: messages.map(worded) });
        if (effects.hasNews) {
            this.#sender.sendPending();
            this.#updateStatus();
        }
        return value;
    }

    /** Stores a batch in the browser, at the position of another one. */
    #store(id, place) {
        const { value } = this.#model.batch(id);
        if (value) this.#outbox.store(inWords(value), place);
    }

    /** Which commands can't run, and why; the number of emoji that commands apply to, and whether all are locked. */
    get availability() {
        return (this.#availability ??= this.#model.availability().value);
    }

    // --- Following the board.

    /** The address of what has happened since the revision of this copy. */
    #since(resource) {
        const since = new URLSearchParams({ since: String(this.revision), epoch: this.epoch });
        return `${this.#address}/${resource}?${since}`;
    }

    #makeStream() {
        const stream = new EventStream(() => `${this.#since("events")}&tab=${this.tab}`, new Backoff(500, 10000), {
            opened: () => {
                this.#call("streamOpened");
                this.#sender.sendNow();
                // Pictures that couldn't be loaded may load now.
                this.#dispatch("picture");
                this.#updateStatus();
            },
            lost: (isRefused) => {
                this.#call("streamLost");
                this.#updateStatus();
                if (isRefused) this.#call("streamRefused");
            },
        });
        for (const [name, handle] of Object.entries({
            entries: ({ entries }) => this.#call("receiveEntries", entries),
            board: ({ revision }) => this.#call("receiveRevision", revision),
            picture: (picture) => this.#set("picture", this.#local(picture)),
            presence: (people) => this.#tell("presence", people),
            seat: (seat) => this.#tell("seat", seat),
            name: ({ name }) => this.#set("name", name),
            palettes: ({ version }) => this.#set("palettes", version),
            gone: (_data) => this.#call("receiveGone"),
        })) stream.listen(name, (data) => handle(JSON.parse(data)));
        return stream;
    }

    /** What the model's actions do. */
    #actions = {
        openStream: () => {
            this.#stream.close();
            this.#stream.backoff.reset();
            this.#stream.open();
        },
        closeStream: () => {
            clearTimeout(this.#entryTimer);
            this.#polling.cancel();
            this.#stream.close();
        },
        retryStream: () => this.#stream.retry(),
        requestEntries: () => this.#request("receiveLog", this.#since("entries")),
        requestState: () => this.#request("receiveState", `${this.#address}/state`),
        awaitEntry: () => (this.#entryTimer = setTimeout(() => this.#call("entryIsLate"), entryTimeout)),
        poll: () => this.#polling.wait(() => this.#call("poll")),
        resetPolling: () => this.#polling.reset(),
        showGone: () => {
            this.#outbox.markGone(true);
            this.#dispatch("gone");
            this.#updateStatus();
        },
        continueRestored: () => {
            this.#outbox.markGone(false);
            this.#sender.sendNow();
            this.#updateStatus();
        },
    };

    /** The state of the picture with the addresses for this page: the server names those of the board's owner. */
    #local(state) {
        const own = `/art/boards/${this.#boardID}/`;
        const localize = (picture) => picture && { ...picture, url: picture.url.replace(own, `${this.#address}/`) };
        return { ...state, picture: localize(state.picture), previous: localize(state.previous) };
    }

    /** Stores what the server says, which is complete each time, and dispatches it. */
    #tell(property, value) {
        this[property] = value;
        this.#dispatch(property, value);
    }

    /** Passes a response to a function of the model, which returns whether the response replaced the whole board. */
    async #request(receiver, address) {
        try {
            const state = await request(address, { cache: "no-store" });
            if (!this.#call(receiver, state)) return;
            if (state.name !== undefined) this.#set("name", state.name);
            if (state.picture) this.#set("picture", this.#local(state.picture));
        } catch (error) {
            this.#call("requestFailed", receiver === "receiveState", error.isGone === true);
        }
    }

    // --- The page.

    #listen() {
        document.addEventListener("visibilitychange", () => isVisible() ? this.#resume() : this.#pause());
        window.addEventListener("pageshow", ({ persisted }) => persisted && this.#return());
        window.addEventListener("pagehide", () => this.#leave());
        window.addEventListener("online", () => this.#resume());
        window.addEventListener("beforeunload", (event) => this.#outbox.isComplete || event.preventDefault());
        if (isVisible()) this.#call("follow");
    }

    /**
     * Continues when the browser shows the page again (from its back/forward cache).
     *
     * Another tab may have sent batches since, even joined with later changes under another ID: sent again, they would
     * revert those changes. So the batches that a tab has taken over count as answered here.
     */
    #return() {
        this.#sender.postpone();
        for (const id of this.#outbox.takenOver()) {
            this.#call("receiveResponse", id, 200, { revision: this.revision, refused: [] });
        }
        this.#outbox.open();
        this.#resume();
    }

    #resume() {
        this.#sender.sendNow();
        if (isVisible()) this.#call("follow");
    }

    #pause() {
        // The browser may end a hidden page without notice, so store and send pending operations now.
        this.#call("sealAll");
        this.#sender.sendNow();
        // A browser opens at most six connections to a server, shared by all tabs, so only visible tabs hold one.
        this.#call("unfollow");
        this.#updateStatus();
    }

    /** Sends as many batches as fit into one request, because the browser leaves the page. */
    #leave() {
        this.#call("sealAll");
        const { id = null, isKeptAlive = false } = this.#sender.current ?? {};
        if (this.#call("prepareToLeave", keepaliveBytes, id, isKeptAlive)) this.#sender.sendNow();
        this.#outbox.leave();
        this.#call("unfollow");
    }

    /** Sends pending batches. Resolves when the server has all of them, or can't be reached. */
    async flush() {
        this.#call("sealAll");
        this.#sender.sendNow();
        await this.#sender.whenIdle();
    }

    // --- Requests.

    /** Uploads a picture, and returns {picture, width, height}. Throws an Error with a message for the person. */
    uploadPicture(blob) {
        const headers = { "Content-Type": blob.type || "application/octet-stream" };
        return request(`${this.#address}/pictures`, { method: "POST", body: blob, headers });
    }

    /** Renames the board. Throws an Error with a message for the person. */
    async rename(name) {
        const { name: storedName } = await post(`${this.#address}/rename`, { name });
        this.#set("name", storedName);
    }

    // --- Events.

    #dispatch(type, detail) {
        this.dispatchEvent(new CustomEvent(type, { detail }));
    }

    #set(property, value) {
        if (JSON.stringify(this[property]) === JSON.stringify(value)) return;
        this[property] = value;
        this.#dispatch(property);
    }

    #updateStatus() {
        const [status, sentences] = this.#model.status(this.#outbox.isComplete).value;
        const text = sentences.map(worded).join(" ");
        if (status === this.status && text === this.statusText) return;
        this.status = status;
        this.statusText = text;
        this.#dispatch("status");
    }
}

/** A batch of the model as it is sent and stored: with words for its name. */
function inWords(batch) {
    return batch && { ...batch, name: worded(batch.name) };
}
