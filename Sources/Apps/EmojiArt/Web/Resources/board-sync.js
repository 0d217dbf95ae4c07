// Syncs a board on a page: shows local changes at once, sends them when possible, and receives the changes of others.
//
// The page shows the server's board with the batches on top that the server hasn't returned yet. A batch that was sent
// stays until the server's entries contain it. Sending it again is safe: it has the same ID, and is applied once.

import { plain, targetOf } from "./art.js";
import { Batch } from "./batch.js";
import { BoardRequests } from "./board-requests.js";
import { Incoming } from "./incoming.js";
import { OpenGesture } from "./open-gesture.js";
import { Outgoing } from "./outgoing.js";
import { messageOf, messageOfUndo } from "./refusals.js";
import { none, Replica } from "./replica.js";
import { statusOf } from "./save-status.js";
import { UndoHistory } from "./undo-history.js";

const wentBack =
    "This board was restored from a backup. Changes made after that backup are gone.";

/**
 * Events: `change` (the shown board has changed; detail {isOwn, ids, hasBackground}), `status`, `picture`, `name`,
 * `palettes`, `history`, `refused` (detail {messages}), `gone` (the board was deleted).
 */
export class BoardSync extends EventTarget {
    #replica;
    #requests;
    #incoming;
    #outgoing;
    #history = new UndoHistory();
    #gestures = new Set();
    #ears = new AbortController();

    /**
     * - id: The board's ID.
     * - state: The response of `/art/boards/ID/state`, which the page embeds.
     */
    constructor({ id, state }) {
        super();
        this.id = id;
        this.name = state.name;
        /** The server's state of the background picture. */
        this.picture = state.picture;
        /** The version of the list of palettes; null until it is known. */
        this.palettes = null;
        /** "saved", "saving", "offline" or "failed"; `statusText` is the text for it. */
        this.status = "saved";
        this.statusText = "Saved";
        this.#replica = new Replica(state);
        this.#requests = new BoardRequests(id);
        const status = () => this.#tellStatus();
        this.#incoming = new Incoming(this.#requests, this.#replica, {
            changed: (changes) => this.#tellChange(changes, false),
            set: (property, value) => this.#set(property, value),
            gone: () => this.#hasGone(),
            back: () => {
                this.#outgoing.again();
                // Pictures that couldn't be loaded may load now.
                this.#tell("picture");
                status();
            },
            lost: status,
            wentBack: () => this.#refuse([wentBack]),
        });
        this.#outgoing = new Outgoing(id, this.#requests.address("operations"), this.#replica, {
            changed: (changes) => this.#tellChange(changes, true),
            answered: (revision) => this.#incoming.expect(revision),
            refused: (batch, operations, messages) => this.#hasRefused(batch, operations, messages),
            gone: () => this.#incoming.setGone(),
            status,
        });
        this.#outgoing.open();
        this.#listen();
    }

    /** The shown board: the server's board with local changes on top. Read-only. */
    get art() {
        return this.#replica.shown;
    }

    /** The server's revision below the local changes. */
    get revision() {
        return this.#replica.revision;
    }

    /** The names of the steps that can be undone, newest first. */
    get undoNames() {
        return this.#history.undoNames;
    }

    get redoNames() {
        return this.#history.redoNames;
    }

    /** Whether the server lacks local changes. */
    get isWaiting() {
        return this.#outgoing.waiting > 0;
    }

    // --- Changes.

    /**
     * Performs operations as one step. Returns whether the board changed. Dispatches `refused` for refused operations.
     */
    change(name, operations) {
        const { batch, inverses, refused } = this.#perform(name, operations);
        if (batch) this.#push({ name, operations: inverses, batches: [batch.id] });
        this.#refuse(refused.map(({ operation, reason }) => messageOf(operation, reason)));
        return batch !== null;
    }

    /**
     * Begins a step that lasts while a person drags.
     *
     * `update(operations)` replaces the gesture's earlier operations of the same kind on the same emoji. They are shown
     * at once, and sent as fast as the server accepts them. `end()` makes them one step; `cancel()` restores the board.
     */
    gesture(name) {
        const gesture = new OpenGesture(name, this.#replica, {
            shown: (changes, batch) => {
                this.#tellChange(changes, true);
                if (batch) this.#outgoing.has(batch);
                this.#tellStatus();
            },
            ended: (batch, step, refused) => {
                this.#gestures.delete(gesture);
                if (batch) this.#outgoing.seal(batch);
                this.#outgoing.kick();
                if (step) this.#push(step);
                this.#refuse(refused);
                this.#tellStatus();
            },
            cancelled: (batch, undoing) => {
                this.#gestures.delete(gesture);
                if (batch) this.#tellChange(this.#outgoing.discard(batch), true);
                // Another batch undoes the operations that were already sent.
                this.#perform(name, undoing);
                this.#tellStatus();
            },
        });
        this.#gestures.add(gesture);
        return gesture;
    }

    /** Applies the operations that aren't refused; the batch is null if nothing changed. */
    #perform(name, operations) {
        // The operations of open gestures come first.
        this.#outgoing.sealAll();
        const { shown } = this.#replica;
        const changes = none();
        const [done, inverses, refused] = [[], [], []];
        for (const operation of operations.map(plain)) {
            const reason = shown.refusal(operation);
            if (reason) refused.push({ operation, reason });
            if (reason || !shown.isChangedBy(operation)) continue;
            inverses.push(shown.inverse(operation));
            shown.apply(operation);
            done.push(operation);
            const id = targetOf(operation);
            if (id === null) changes.hasBackground = true;
            else changes.ids.push(id);
        }
        inverses.reverse();
        if (done.length === 0) return { batch: null, inverses, refused };
        const batch = new Batch(name, done);
        this.#replica.append(batch);
        this.#outgoing.seal(batch);
        this.#tellChange(changes, true);
        this.#outgoing.kick();
        this.#tellStatus();
        return { batch, inverses, refused };
    }

    // --- Undo.

    /** Undoes this page's last `count` steps. Returns whether the board changed. */
    undo(count = 1) {
        return this.#step(count, "undone", () => this.#history.takeUndo(), (step) => this.#history.redoable(step));
    }

    /** Redoes the last `count` undone steps. Returns whether the board changed. */
    redo(count = 1) {
        return this.#step(count, "redone", () => this.#history.takeRedo(), (step) => this.#history.undone(step));
    }

    #step(count, verb, take, put) {
        for (const gesture of this.#gestures) gesture.end();
        let isChanged = false;
        const messages = [];
        for (let index = 0; index < count; index += 1) {
            const step = take();
            if (!step) break;
            // The inverses are computed from the current board, because others may have changed it.
            const { batch, inverses, refused } = this.#perform(step.name, step.operations);
            if (batch) put({ name: step.name, operations: inverses, batches: [batch.id] });
            const gone = new Set(refused.map(({ operation }) => targetOf(operation))).size;
            if (!batch || gone) messages.push(messageOfUndo(step.name, verb, gone, batch !== null));
            isChanged ||= batch !== null;
            this.#tell("history");
        }
        this.#refuse(messages);
        return isChanged;
    }

    #push(step) {
        this.#history.push(step);
        this.#tell("history");
    }

    #hasRefused(batch, operations, messages) {
        this.#history.forget(batch.sources, operations);
        this.#tell("history");
        this.#refuse(messages);
    }

    // --- The page.

    #listen() {
        const listen = (target, name, heard) => target.addEventListener(name, heard, { signal: this.#ears.signal });
        listen(document, "visibilitychange", () => {
            if (document.visibilityState === "visible") this.#wake();
            else this.#rest();
        });
        listen(window, "pageshow", ({ persisted }) => {
            if (!persisted) return;
            this.#outgoing.reopen();
            this.#wake();
        });
        listen(window, "pagehide", () => {
            this.#outgoing.leave();
            this.#incoming.close();
        });
        listen(window, "online", () => this.#wake());
        listen(window, "beforeunload", (event) => {
            if (!this.#outgoing.isKept) event.preventDefault();
        });
        if (document.visibilityState === "visible") this.#incoming.again();
    }

    #wake() {
        this.#outgoing.again();
        if (document.visibilityState === "visible") this.#incoming.again();
    }

    #rest() {
        // A hidden page may never run again, so pending operations are stored and sent.
        this.#outgoing.sealAll();
        this.#outgoing.again();
        // A browser opens at most six connections to a server, shared by all tabs, so only visible tabs hold one.
        this.#incoming.close();
        this.#tellStatus();
    }

    /** Sends pending batches. Resolves when the server has all of them, or can't be reached. */
    flush() {
        return this.#outgoing.flush();
    }

    /** Stops syncing. Batches that weren't sent are left to the next tab. */
    close() {
        this.#ears.abort();
        this.#incoming.close();
        this.#outgoing.close();
    }

    // --- Requests.

    /** Uploads a picture for the board: {picture, width, height}. Throws an Error with a message for the person. */
    keepPicture(blob) {
        return this.#requests.keepPicture(blob);
    }

    /** Fetches the background again. Throws an Error with a message for the person. */
    retryBackground() {
        return this.#requests.retryBackground();
    }

    /** Renames the board. Throws an Error with a message for the person. */
    async rename(name) {
        const { name: kept } = await this.#requests.rename(name);
        this.#set("name", kept);
    }

    // --- Events.

    #tell(type, detail) {
        this.dispatchEvent(new CustomEvent(type, { detail }));
    }

    #tellChange({ ids, hasBackground }, isOwn) {
        if (ids.length || hasBackground) this.#tell("change", { isOwn, ids, hasBackground });
    }

    #refuse(messages) {
        if (messages.length) this.#tell("refused", { messages: Array.from(new Set(messages)) });
    }

    #hasGone() {
        this.#outgoing.setGone(this.#incoming.isGone);
        if (this.#incoming.isGone) this.#tell("gone");
        this.#tellStatus();
    }

    #set(property, value) {
        if (JSON.stringify(this[property]) === JSON.stringify(value)) return;
        this[property] = value;
        this.#tell(property);
    }

    #tellStatus() {
        const [status, text] = statusOf({
            isGone: this.#incoming.isGone,
            isLost: this.#incoming.isLost,
            waiting: this.#outgoing.waiting,
            failure: this.#outgoing.failure,
            isKept: this.#outgoing.isKept,
        });
        if (status === this.status && text === this.statusText) return;
        this.status = status;
        this.statusText = text;
        this.#tell("status");
    }
}
