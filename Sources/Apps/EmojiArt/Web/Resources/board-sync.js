// Syncs a board on a page: shows local changes at once, sends them when possible, and receives the changes of others.
//
// The page shows the server's board, and on top of it the local batches that the server's entries don't contain yet.
// Sending a batch again is safe: it has the same ID, and the server applies it once.

import { normalized, targetOf } from "./art.js";
import { Batch } from "./batch.js";
import { BoardRequests } from "./board-requests.js";
import { IncomingEntries } from "./incoming-entries.js";
import { OpenGesture } from "./open-gesture.js";
import { OutgoingBatches } from "./outgoing-batches.js";
import { refusalMessage, undoRefusalMessage } from "./refusals.js";
import { noChanges, Replica } from "./replica.js";
import { statusOf } from "./save-status.js";
import { UndoHistory } from "./undo-history.js";
import { boardRestored, savedLabel } from "./words.js";

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
    #listenerController = new AbortController();

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
        this.statusText = savedLabel;
        this.#replica = new Replica(state);
        this.#requests = new BoardRequests(id);
        const status = () => this.#updateStatus();
        this.#incoming = new IncomingEntries(this.#requests, this.#replica, {
            changed: (changes) => this.#dispatchChange(changes, false),
            set: (property, value) => this.#set(property, value),
            goneChanged: () => this.#handleGone(),
            connected: () => {
                this.#outgoing.sendNow();
                // Pictures that couldn't be loaded may load now.
                this.#dispatch("picture");
                status();
            },
            lost: status,
            reverted: () => this.#dispatchRefusals([boardRestored]),
        });
        this.#outgoing = new OutgoingBatches(id, this.#requests.address("operations"), this.#replica, {
            changed: (changes) => this.#dispatchChange(changes, true),
            answered: (revision) => this.#incoming.expect(revision),
            refused: (batch, operations, messages) => this.#handleRefusal(batch, operations, messages),
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
    get hasUnsavedChanges() {
        return this.#outgoing.waitingCount > 0;
    }

    // --- Changes.

    /**
     * Performs operations as one step. Returns whether the board changed. Dispatches `refused` for refused operations.
     */
    change(name, operations) {
        const { batch, inverses, refused } = this.#perform(name, operations);
        if (batch) this.#push({ name, operations: inverses, batches: [batch.id] });
        this.#dispatchRefusals(refused.map(({ operation, reason }) => refusalMessage(operation, reason)));
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
                this.#dispatchChange(changes, true);
                if (batch) this.#outgoing.sendOpen(batch);
                this.#updateStatus();
            },
            ended: (batch, step, refused) => {
                this.#gestures.delete(gesture);
                if (batch) this.#outgoing.seal(batch);
                this.#outgoing.sendPending();
                if (step) this.#push(step);
                this.#dispatchRefusals(refused);
                this.#updateStatus();
            },
            cancelled: (batch, undoing) => {
                this.#gestures.delete(gesture);
                if (batch) this.#dispatchChange(this.#outgoing.discard(batch), true);
                // Another batch undoes the operations that were already sent.
                this.#perform(name, undoing);
                this.#updateStatus();
            },
        });
        this.#gestures.add(gesture);
        return gesture;
    }

    /** Applies the operations that aren't refused; the batch is null if nothing changed. */
    #perform(name, operations) {
        // Send the operations of open gestures before these.
        this.#outgoing.sealAll();
        const { shown } = this.#replica;
        const changes = noChanges();
        const [done, inverses, refused] = [[], [], []];
        for (const operation of operations.map(normalized)) {
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
        this.#dispatchChange(changes, true);
        this.#outgoing.sendPending();
        this.#updateStatus();
        return { batch, inverses, refused };
    }

    // --- Undo.

    /** Undoes this page's last `count` steps. Returns whether the board changed. */
    undo(count = 1) {
        return this.#step(count, true, () => this.#history.popUndo(), (step) => this.#history.pushRedo(step));
    }

    /** Redoes the last `count` undone steps. Returns whether the board changed. */
    redo(count = 1) {
        return this.#step(count, false, () => this.#history.popRedo(), (step) => this.#history.pushUndo(step));
    }

    #step(count, isUndo, pop, push) {
        for (const gesture of this.#gestures) gesture.end();
        let isChanged = false;
        const messages = [];
        for (let index = 0; index < count; index += 1) {
            const step = pop();
            if (!step) break;
            // The inverses are computed from the current board, because others may have changed it.
            const { batch, inverses, refused } = this.#perform(step.name, step.operations);
            if (batch) push({ name: step.name, operations: inverses, batches: [batch.id] });
            const gone = new Set(refused.map(({ operation }) => targetOf(operation))).size;
            if (!batch || gone) messages.push(undoRefusalMessage(step.name, isUndo, gone, batch !== null));
            isChanged ||= batch !== null;
            this.#dispatch("history");
        }
        this.#dispatchRefusals(messages);
        return isChanged;
    }

    #push(step) {
        this.#history.push(step);
        this.#dispatch("history");
    }

    #handleRefusal(batch, operations, messages) {
        this.#history.forget(batch.sources, operations);
        this.#dispatch("history");
        this.#dispatchRefusals(messages);
    }

    // --- The page.

    #listen() {
        const { signal } = this.#listenerController;
        const listen = (target, name, listener) => target.addEventListener(name, listener, { signal });
        listen(document, "visibilitychange", () => {
            if (document.visibilityState === "visible") this.#resume();
            else this.#pause();
        });
        listen(window, "pageshow", ({ persisted }) => {
            if (!persisted) return;
            this.#outgoing.reopen();
            this.#resume();
        });
        listen(window, "pagehide", () => {
            this.#outgoing.leave();
            this.#incoming.close();
        });
        listen(window, "online", () => this.#resume());
        listen(window, "beforeunload", (event) => {
            if (!this.#outgoing.isStored) event.preventDefault();
        });
        if (document.visibilityState === "visible") this.#incoming.reconnect();
    }

    #resume() {
        this.#outgoing.sendNow();
        if (document.visibilityState === "visible") this.#incoming.reconnect();
    }

    #pause() {
        // The browser may end a hidden page without notice, so store and send pending operations now.
        this.#outgoing.sealAll();
        this.#outgoing.sendNow();
        // A browser opens at most six connections to a server, shared by all tabs, so only visible tabs hold one.
        this.#incoming.close();
        this.#updateStatus();
    }

    /** Sends pending batches. Resolves when the server has all of them, or can't be reached. */
    flush() {
        return this.#outgoing.flush();
    }

    /** Stops syncing. The next tab of the board sends the pending batches. */
    close() {
        this.#listenerController.abort();
        this.#incoming.close();
        this.#outgoing.close();
    }

    // --- Requests.

    /** Uploads a picture for the board: {picture, width, height}. Throws an Error with a message for the person. */
    uploadPicture(blob) {
        return this.#requests.uploadPicture(blob);
    }

    /** Fetches the background again. Throws an Error with a message for the person. */
    retryBackground() {
        return this.#requests.retryBackground();
    }

    /** Renames the board. Throws an Error with a message for the person. */
    async rename(name) {
        const { name: storedName } = await this.#requests.rename(name);
        this.#set("name", storedName);
    }

    // --- Events.

    #dispatch(type, detail) {
        this.dispatchEvent(new CustomEvent(type, { detail }));
    }

    #dispatchChange({ ids, hasBackground }, isOwn) {
        if (ids.length || hasBackground) this.#dispatch("change", { isOwn, ids, hasBackground });
    }

    #dispatchRefusals(messages) {
        if (messages.length) this.#dispatch("refused", { messages: Array.from(new Set(messages)) });
    }

    #handleGone() {
        this.#outgoing.setGone(this.#incoming.isGone);
        if (this.#incoming.isGone) this.#dispatch("gone");
        this.#updateStatus();
    }

    #set(property, value) {
        if (JSON.stringify(this[property]) === JSON.stringify(value)) return;
        this[property] = value;
        this.#dispatch(property);
    }

    #updateStatus() {
        const [status, text] = statusOf({
            isGone: this.#incoming.isGone,
            isLost: this.#incoming.isLost,
            waitingCount: this.#outgoing.waitingCount,
            failure: this.#outgoing.failure,
            isStored: this.#outgoing.isStored,
        });
        if (status === this.status && text === this.statusText) return;
        this.status = status;
        this.statusText = text;
        this.#dispatch("status");
    }
}
