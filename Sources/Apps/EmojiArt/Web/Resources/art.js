// What is on a board, and what changes it: the rules of the Swift model, `EmojiArt` and `ArtOperation`, which this
// repeats exactly. No two copies of a board may differ, whoever applies the operations.

/** How much a board takes: the same as in `BoardLimits`. */
export const limits = Object.freeze({
    emojis: 10_000,
    batchBytes: 1_000_000,
    batchOperations: 20_000,
    nameBytes: 1_000,
    emojiBytes: 64,
    addressBytes: 20_000,
    coordinate: 10_000_000,
    smallest: 0.1,
    largest: 100_000,
    depth: 1e15,
});

const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** A name that no other emoji, batch or tab has: 96 random bits. */
export function newID() {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => characters[byte & 63]).join("");
}

/** The box around emoji in points, y upwards: {left, right, bottom, top}; null around nothing. */
export function boundsOf(emojis) {
    let box = null;
    for (const { x, y, size } of emojis) {
        const half = size / 2;
        box ??= { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
        box.left = Math.min(box.left, x - half);
        box.right = Math.max(box.right, x + half);
        box.bottom = Math.min(box.bottom, y - half);
        box.top = Math.max(box.top, y + half);
    }
    return box;
}

const encoder = new TextEncoder();

/** How long a text is in UTF-8. */
export function bytesOf(text) {
    return encoder.encode(text).length;
}

// --- The rules.

const isPlace = (value) => Math.abs(value) <= limits.coordinate;
const isSize = (value) => value >= limits.smallest && value <= limits.largest;
const isDepth = (value) => Math.abs(value) <= limits.depth;
const isID = (id) => typeof id === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(id);

// A lone surrogate is no text for the server.
const unshowable = /[\p{Cc}\p{Cs}]/u;

/** Whether a text can be an emoji's: not empty, not too long, and without control characters. */
export function isShowable(text) {
    if (typeof text !== "string" || text.length === 0 || text.length > limits.emojiBytes) return false;
    return bytesOf(text) <= limits.emojiBytes && !unshowable.test(text);
}

// What Swift takes for one character, a letter with what is put on it, begins with no slash.
const fetched = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/(?![\p{Grapheme_Extend}\p{Mc}\u200d])/u;

function faultOfBackground(background) {
    if (background === null) return null;
    if ("picture" in background) return /^[0-9a-f]{64}$/.test(background.picture) ? null : "picture";
    const { address } = background;
    return bytesOf(address) <= limits.addressBytes && fetched.test(address) ? null : "address";
}

/** Two texts are one where Unicode takes them for the same. */
const isSameText = (one, other) => one === other || one.normalize() === other.normalize();

/** Whether two emoji of one name look the same. */
export function isSameEmoji(one, other) {
    return one.x === other.x && one.y === other.y && one.size === other.size && one.z === other.z
        && isSameText(one.text, other.text);
}

/** Whether two backgrounds are the same one. */
export function isSameBackground(one, other) {
    return one === other || (one?.picture === other?.picture && one?.address === other?.address);
}

/** Whether the first is drawn before the second; names are ASCII, so that their order is that of their bytes. */
function order(one, other) {
    return one.z - other.z || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

/** The name of the emoji that an operation changes; null of the background. */
export function targetOf(operation) {
    return operation.op === "add" ? operation.emoji.id : operation.op === "background" ? null : operation.id;
}

/** An operation with only what belongs to it, which nobody else can change; throws where it is none. */
export function plain(operation) {
    const { op, id, x, y, z, size } = operation;
    if (op !== "background" && !isID(targetOf(operation))) throw new TypeError(`“${targetOf(operation)}” is no name.`);
    switch (op) {
        case "add": return { op, emoji: plainEmoji(operation.emoji) };
        case "move": return { op, id, x: number(x), y: number(y) };
        case "resize": return { op, id, size: number(size) };
        case "reorder": return { op, id, z: number(z) };
        case "delete": return { op, id };
        case "background": return { op, background: plainBackground(operation.background) };
        default: throw new TypeError(`“${op}” is no operation.`);
    }
}

/** Without the sign of a zero, which does not survive the way through JSON; what is no number becomes none. */
function number(value) {
    return typeof value === "number" ? value + 0 : NaN;
}

function plainEmoji({ id, text, x, y, size, z }) {
    return { id, text, x: number(x), y: number(y), size: number(size), z: number(z) };
}

function plainBackground(background) {
    if (background === null) return null;
    if (typeof background.picture === "string") return Object.freeze({ picture: background.picture });
    if (typeof background.address === "string") return Object.freeze({ address: background.address });
    throw new TypeError("A background has an address or a picture.");
}

/**
 * What is on a board.
 *
 * Its emoji are never changed: one that looks different is another object, so that copies of a board may share them.
 */
export class Art {
    /** null, {address} or {picture}. */
    background = null;
    /** By name, in no order. */
    emojis = new Map();
    /** The emoji from the back to the front; null after any change. */
    #ordered = null;
    /** Their names in the same order; null when it is another one. */
    #order = null;

    /** A board as the server writes it. */
    static from({ background, emojis }) {
        const art = new Art();
        art.background = plainBackground(background ?? null);
        for (const emoji of emojis) art.emojis.set(emoji.id, plainEmoji(emoji));
        return art;
    }

    toJSON() {
        return { background: this.background, emojis: this.ordered().map((emoji) => ({ ...emoji })) };
    }

    /** Another one that begins like this one. */
    copy() {
        const art = new Art();
        art.background = this.background;
        art.emojis = new Map(this.emojis);
        art.#ordered = this.#ordered;
        art.#order = this.#order;
        return art;
    }

    /** From the back to the front; the same list until something changes. Not to be changed. */
    ordered() {
        if (this.#ordered) return this.#ordered;
        if (this.#order) {
            this.#ordered = this.#order.map((id) => this.emojis.get(id));
        } else {
            this.#ordered = Array.from(this.emojis.values()).sort(order);
            this.#order = this.#ordered.map((emoji) => emoji.id);
        }
        return this.#ordered;
    }

    /** Puts an emoji there as it is, or takes it away where there is none, without a look at the rules. */
    put(id, emoji) {
        const current = this.emojis.get(id);
        if (current === emoji) return;
        this.#ordered = null;
        if (current?.z !== emoji?.z) this.#order = null;
        if (emoji) this.emojis.set(id, emoji);
        else this.emojis.delete(id);
    }

    /** Why an operation would be refused, or null. */
    refusal(operation, current = this.emojis.get(targetOf(operation))) {
        // What is wrong with the operation is told before what the board lacks, as in Swift.
        switch (operation.op) {
            case "add": {
                const { emoji } = operation;
                if (!(isPlace(emoji.x) && isPlace(emoji.y) && isSize(emoji.size) && isDepth(emoji.z))) return "number";
                if (!isShowable(emoji.text)) return "text";
                if (!current) return this.emojis.size < limits.emojis ? null : "full";
                return isSameEmoji(current, emoji) ? null : "exists";
            }
            case "move": return !(isPlace(operation.x) && isPlace(operation.y)) ? "number" : current ? null : "gone";
            case "resize": return !isSize(operation.size) ? "number" : current ? null : "gone";
            case "reorder": return !isDepth(operation.z) ? "number" : current ? null : "gone";
            case "delete": return null;
            case "background": return faultOfBackground(operation.background);
            default: throw new TypeError(`“${operation.op}” is no operation.`);
        }
    }

    /** Whether the board would look different; of what is not refused. */
    isChangedBy(operation, current = this.emojis.get(targetOf(operation))) {
        switch (operation.op) {
            case "add": return !current;
            case "move": return current.x !== operation.x || current.y !== operation.y;
            case "resize": return current.size !== operation.size;
            case "reorder": return current.z !== operation.z;
            case "delete": return current !== undefined;
            case "background": return !isSameBackground(this.background, operation.background);
        }
    }

    /** Changes the board; answers null, or why it did not. */
    apply(operation) {
        const id = targetOf(operation);
        const current = this.emojis.get(id);
        const reason = this.refusal(operation, current);
        if (reason || !this.isChangedBy(operation, current)) return reason;
        // Each field by itself, as of an emoji that is dragged there is a new one for each frame.
        switch (operation.op) {
            case "add": this.put(id, plainEmoji(operation.emoji)); break;
            case "move": {
                const { text, size, z } = current;
                this.put(id, { id, text, x: operation.x, y: operation.y, size, z });
                break;
            }
            case "resize": {
                const { text, x, y, z } = current;
                this.put(id, { id, text, x, y, size: operation.size, z });
                break;
            }
            case "reorder": {
                const { text, x, y, size } = current;
                this.put(id, { id, text, x, y, size, z: operation.z });
                break;
            }
            case "delete": this.put(id, undefined); break;
            case "background": this.background = plainBackground(operation.background); break;
        }
        return null;
    }

    /** What undoes an operation once it has been applied to this board; null where it is refused or changes nothing. */
    inverse(operation) {
        if (this.refusal(operation)) return null;
        if (operation.op === "background") return { op: "background", background: this.background };
        const id = targetOf(operation);
        const current = this.emojis.get(id);
        switch (operation.op) {
            case "add": return current ? null : { op: "delete", id };
            case "move": return { op: "move", id, x: current.x, y: current.y };
            case "resize": return { op: "resize", id, size: current.size };
            case "reorder": return { op: "reorder", id, z: current.z };
            case "delete": return current ? { op: "add", emoji: current } : null;
        }
    }
}
