// A board on a page: what a person does is shown at once and sent when it can be, and what others do comes in.
//
// What is shown is what the server has, and on top of it what this page did and the server has not told of yet. A batch
// that was sent stays until the server's own order has it; sent again, it is the same one, and applied once.

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
 * Events: `change` (detail {isOwn, ids, hasBackground}: what is shown is different, of those emoji), `status`,
 * `picture`, `name`, `palettes`, `history`, `refused` (detail {messages}), `gone` (the board was deleted).
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
     * - id: The board's.
     * - state: What `/art/boards/ID/state` answers; the page brings it along.
     */
    constructor({ id, state }) {
        super();
        this.id = id;
        this.name = state.name;
        /** What the server says of the background's picture. */
        this.picture = state.picture;
        /** Which palettes there are now: another text whenever they are others; null until it is known. */
        this.palettes = null;
        /** "saved", "saving", "offline" or "failed"; and the same in words. */
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
                // What could not be loaded may be, now.
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

    /** What is shown: what the server has, and what this page did since. Only to be read. */
    get art() {
        return this.#replica.shown;
    }

    /** The revision of the server's that is shown under what this page did. */
    get revision() {
        return this.#replica.revision;
    }

    /** What can be undone, and done again, the newest first. */
    get undoNames() {
        return this.#history.undoNames;
    }

    get redoNames() {
        return this.#history.redoNames;
    }

    /** Whether something was done here that the server does not have yet. */
    get isWaiting() {
        return this.#outgoing.waiting > 0;
    }

    // --- Doing.

    /** Does something in one step; answers whether anything is different. What cannot be done is told by `refused`. */
    change(name, operations) {
        const { batch, inverses, refused } = this.#perform(name, operations);
        if (batch) this.#push({ name, operations: inverses, batches: [batch.id] });
        this.#refuse(refused.map(({ operation, reason }) => messageOf(operation, reason)));
        return batch !== null;
    }

    /**
     * Begins a step that goes on while a person drags.
     *
     * `update(operations)` replaces what the gesture had for each emoji and kind of operation; shown at once, and sent
     * as fast as the server takes it. `end()` makes one step of it; `cancel()` puts back what was before.
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
                // What others see of it already is taken back by one more batch.
                this.#perform(name, undoing);
                this.#tellStatus();
            },
        });
        this.#gestures.add(gesture);
        return gesture;
    }

    /** Does what can be done; the batch is null where nothing is different. */
    #perform(name, operations) {
        // What gestures have so far comes before it.
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

    // --- Taking back.

    /** Takes back this page's last step, or the last `count`; answers whether anything is different. */
    undo(count = 1) {
        return this.#step(count, "undone", () => this.#history.takeUndo(), (step) => this.#history.redoable(step));
    }

    /** Does again what was taken back last. */
    redo(count = 1) {
        return this.#step(count, "done again", () => this.#history.takeRedo(), (step) => this.#history.undone(step));
    }

    #step(count, verb, take, put) {
        for (const gesture of this.#gestures) gesture.end();
        let isChanged = false;
        const messages = [];
        for (let index = 0; index < count; index += 1) {
            const step = take();
            if (!step) break;
            // What the inverse of the inverse is depends on what is shown now: others may have gone on.
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
        // It may be the last thing that this page hears of: what is not sent is kept.
        this.#outgoing.sealAll();
        this.#outgoing.again();
        // A browser has six connections to a server, for all tabs together: only those that are seen may keep one.
        this.#incoming.close();
        this.#tellStatus();
    }

    /** Sends what waits; done when the server has all of it, or cannot be reached now. */
    flush() {
        return this.#outgoing.flush();
    }

    /** Ends it: nothing is sent any longer; what was not sent stays for the next tab. */
    close() {
        this.#ears.abort();
        this.#incoming.close();
        this.#outgoing.close();
    }

    // --- Asking.

    /** Keeps a picture for the board: {picture, width, height}; throws an Error with words for a person. */
    keepPicture(blob) {
        return this.#requests.keepPicture(blob);
    }

    /** Fetches the background once more; throws an Error with words for a person. */
    retryBackground() {
        return this.#requests.retryBackground();
    }

    /** Gives the board another name; throws an Error with words for a person. */
    async rename(name) {
        const { name: kept } = await this.#requests.rename(name);
        this.#set("name", kept);
    }

    // --- Telling.

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
