// A board's content and the operations that change it. Repeats the rules of the Swift model, `EmojiArt` and
// `ArtOperation`, exactly: applying the same operations must give the same board in the browser and on the server.

/** The limits of a board: the same as in `BoardLimits`. */
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
    fullTurn: 360,
});

const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** A unique ID for an emoji, a batch or a tab: 96 random bits. */
export function newID() {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => characters[byte & 63]).join("");
}

/** The side of the upright square around a rotated square, as a multiple of that square's side. */
export function boundingFactor(angle) {
    if (angle === 0) return 1;
    const radians = (angle * Math.PI) / 180;
    return Math.abs(Math.cos(radians)) + Math.abs(Math.sin(radians));
}

const encoder = new TextEncoder();

/** The length of a text in UTF-8. */
export function utf8Length(text) {
    return encoder.encode(text).length;
}

// --- The rules.

const isCoordinate = (value) => Math.abs(value) <= limits.coordinate;
const isSize = (value) => value >= limits.smallest && value <= limits.largest;
const isDepth = (value) => Math.abs(value) <= limits.depth;
const isAngle = (value) => value >= 0 && value < limits.fullTurn;
const isID = (id) => typeof id === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(id);

// A lone surrogate can't be encoded for the server.
const controlCharacter = /[\p{Cc}\p{Cs}]/u;

/** Whether a text is valid for an emoji: not empty, not too long, and without control characters. */
export function isShowable(text) {
    if (typeof text !== "string" || text.length === 0 || text.length > limits.emojiBytes) return false;
    return utf8Length(text) <= limits.emojiBytes && !controlCharacter.test(text);
}

// As in Swift, which compares grapheme clusters: a slash before a combining mark isn't the character "/".
const fetchableAddress = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/(?![\p{Grapheme_Extend}\p{Mc}\u200d])/u;

function backgroundRefusal(background) {
    if (background === null) return null;
    if ("picture" in background) return /^[0-9a-f]{64}$/.test(background.picture) ? null : "picture";
    const { address } = background;
    return utf8Length(address) <= limits.addressBytes && fetchableAddress.test(address) ? null : "address";
}

/** Whether two texts are canonically equivalent, which is how Swift compares strings. */
const isSameText = (one, other) => one === other || one.normalize() === other.normalize();

/** Whether two emoji with the same ID have the same values. */
export function isSameEmoji(one, other) {
    return one.x === other.x && one.y === other.y && one.size === other.size && one.z === other.z
        && one.angle === other.angle && one.flipped === other.flipped && one.locked === other.locked
        && isSameText(one.text, other.text);
}

/** Whether two backgrounds are the same. */
export function isSameBackground(one, other) {
    return one === other || (one?.picture === other?.picture && one?.address === other?.address);
}

/** Compares emoji from back to front. IDs are ASCII, so `<` orders them by bytes, as Swift does. */
function compareDepth(one, other) {
    return one.z - other.z || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

/** The ID of the emoji that an operation changes; null for the background. */
export function targetOf(operation) {
    return operation.op === "add" ? operation.emoji.id : operation.op === "background" ? null : operation.id;
}

/**
 * Copies an operation with only the fields of its kind, so that later changes by the caller have no effect. Throws a
 * TypeError if the operation is malformed.
 */
export function normalized(operation) {
    const { op, id, x, y, z, size, angle, flipped, locked } = operation;
    const target = targetOf(operation);
    if (op !== "background" && !isID(target)) throw new TypeError(`“${target}” isn't a valid ID.`);
    switch (op) {
        case "add": return { op, emoji: normalizedEmoji(operation.emoji) };
        case "move": return { op, id, x: number(x), y: number(y) };
        case "resize": return { op, id, size: number(size) };
        case "reorder": return { op, id, z: number(z) };
        case "delete": return { op, id };
        case "rotate": return { op, id, angle: number(angle) };
        case "flip": return { op, id, flipped: flipped === true };
        case "lock": return { op, id, locked: locked === true };
        case "background": return { op, background: normalizedBackground(operation.background) };
        default: throw new TypeError(`“${op}” isn't an operation.`);
    }
}

/** Drops the sign of a negative zero, which JSON doesn't preserve. Anything that isn't a number becomes NaN. */
function number(value) {
    return typeof value === "number" ? value + 0 : NaN;
}

/** Copies an emoji with only its own fields. The server omits an angle of 0, and values that are false. */
function normalizedEmoji({ id, text, x, y, size, z, angle = 0, flipped = false, locked = false }) {
    return {
        id, text, x: number(x), y: number(y), size: number(size), z: number(z), angle: number(angle),
        flipped: flipped === true, locked: locked === true,
    };
}

/** A copy of an emoji with the values of an operation. */
function updatedEmoji(emoji, { x, y, size, z, angle, flipped, locked }) {
    // Spreading the fields would be slower, and a drag makes an object for each emoji in each frame.
    return {
        id: emoji.id, text: emoji.text, x: x ?? emoji.x, y: y ?? emoji.y, size: size ?? emoji.size, z: z ?? emoji.z,
        angle: angle ?? emoji.angle, flipped: flipped ?? emoji.flipped, locked: locked ?? emoji.locked,
    };
}

function normalizedBackground(background) {
    if (background === null) return null;
    if (typeof background.picture === "string") return Object.freeze({ picture: background.picture });
    if (typeof background.address === "string") return Object.freeze({ address: background.address });
    throw new TypeError("A background has an address or a picture.");
}

/**
 * A board's content.
 *
 * Emoji objects are immutable: a change replaces the object, so that copies of a board can share them.
 */
export class Art {
    /** null, {address} or {picture}. */
    background = null;
    /** Emoji by ID, in no order. */
    emojis = new Map();
    /** The emoji from back to front; null after any change. */
    #ordered = null;
    /** Their IDs in the same order; null after a change of the order. */
    #order = null;

    /** Makes a board from the server's JSON. */
    static from({ background, emojis }) {
        const art = new Art();
        art.background = normalizedBackground(background ?? null);
        for (const emoji of emojis) art.emojis.set(emoji.id, normalizedEmoji(emoji));
        return art;
    }

    toJSON() {
        return { background: this.background, emojis: this.ordered().map((emoji) => ({ ...emoji })) };
    }

    /** A copy that shares the emoji objects. */
    copy() {
        const art = new Art();
        art.background = this.background;
        art.emojis = new Map(this.emojis);
        art.#ordered = this.#ordered;
        art.#order = this.#order;
        return art;
    }

    /** The emoji from back to front. Returns the same array until something changes; callers must not modify it. */
    ordered() {
        if (this.#ordered) return this.#ordered;
        if (this.#order) {
            this.#ordered = this.#order.map((id) => this.emojis.get(id));
        } else {
            this.#ordered = Array.from(this.emojis.values()).sort(compareDepth);
            this.#order = this.#ordered.map((emoji) => emoji.id);
        }
        return this.#ordered;
    }

    /** Stores an emoji, or removes it if `emoji` is undefined, without checking the rules. */
    put(id, emoji) {
        const current = this.emojis.get(id);
        if (current === emoji) return;
        this.#ordered = null;
        if (current?.z !== emoji?.z) this.#order = null;
        if (emoji) this.emojis.set(id, emoji);
        else this.emojis.delete(id);
    }

    /** The reason why an operation would be refused, or null. */
    refusal(operation, current = this.emojis.get(targetOf(operation))) {
        // Check the operation before the board's state, in the same order as Swift.
        switch (operation.op) {
            case "add": {
                const emoji = normalizedEmoji(operation.emoji);
                const { x, y, size, z, angle } = emoji;
                const isValid = isCoordinate(x) && isCoordinate(y) && isSize(size) && isDepth(z) && isAngle(angle);
                if (!isValid) return "number";
                if (!isShowable(emoji.text)) return "text";
                if (!current) return this.emojis.size < limits.emojis ? null : "full";
                return isSameEmoji(current, emoji) ? null : "exists";
            }
            case "move":
                if (!(isCoordinate(operation.x) && isCoordinate(operation.y))) return "number";
                return current ? null : "gone";
            case "resize": return !isSize(operation.size) ? "number" : current ? null : "gone";
            case "reorder": return !isDepth(operation.z) ? "number" : current ? null : "gone";
            case "rotate": return !isAngle(operation.angle) ? "number" : current ? null : "gone";
            case "flip": case "lock": return current ? null : "gone";
            case "delete": return null;
            case "background": return backgroundRefusal(operation.background);
            // The server is newer than this page: the page then loads the whole board.
            default: return "unknown";
        }
    }

    /** Whether an operation that isn't refused would change the board. */
    isChangedBy(operation, current = this.emojis.get(targetOf(operation))) {
        switch (operation.op) {
            case "add": return !current;
            case "move": return current.x !== operation.x || current.y !== operation.y;
            case "resize": return current.size !== operation.size;
            case "reorder": return current.z !== operation.z;
            case "rotate": return current.angle !== operation.angle;
            case "flip": return current.flipped !== operation.flipped;
            case "lock": return current.locked !== operation.locked;
            case "delete": return current !== undefined;
            case "background": return !isSameBackground(this.background, operation.background);
        }
    }

    /** Applies an operation. Returns null, or the reason why it was refused. */
    apply(operation) {
        const id = targetOf(operation);
        const current = this.emojis.get(id);
        const reason = this.refusal(operation, current);
        if (reason || !this.isChangedBy(operation, current)) return reason;
        switch (operation.op) {
            case "add": this.put(id, normalizedEmoji(operation.emoji)); break;
            case "delete": this.put(id, undefined); break;
            case "background": this.background = normalizedBackground(operation.background); break;
            default: this.put(id, updatedEmoji(current, operation));
        }
        return null;
    }

    /**
     * The inverse of an operation that has yet to be applied to this board; null if the operation is refused, adds an
     * emoji that exists, or deletes one that doesn't.
     */
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
            case "rotate": return { op: "rotate", id, angle: current.angle };
            case "flip": return { op: "flip", id, flipped: current.flipped };
            case "lock": return { op: "lock", id, locked: current.locked };
            case "delete": return current ? { op: "add", emoji: current } : null;
        }
    }
}
