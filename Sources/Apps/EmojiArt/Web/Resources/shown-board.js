// The board as it is drawn: a copy of what the model shows, updated by the numbers that the model returns.

/**
 * @typedef {{ id: string, text: string, x: number, y: number, size: number, z: number, angle: number, flipped: boolean,
 *     locked: boolean }} Emoji
 */

/** How many numbers the model returns for each emoji whose appearance has changed. */
const numbersPerEmoji = 7;

/** Emoji objects are immutable: a change replaces the object. */
export class ShownBoard {
    /** null, {address} or {picture}. */
    background = null;
    /** Emoji by ID, in no order. @type {Map<string, Emoji>} */
    emojis = new Map();
    /** The emoji of each slot, by which the model refers to it; a removed one's slot is reused. @type {Emoji[]} */
    #slots = [];
    /** The slots from back to front. */
    #order = [];
    /** The emoji from back to front; null after any change. */
    #ordered = null;

    /** The emoji from back to front. Returns the same array until something changes; callers must not modify it. */
    ordered() {
        return (this.#ordered ??= this.#order.map((slot) => this.#slots[slot]));
    }

    /** Applies the effects of a call of the model. Returns the IDs of the emoji that look different. */
    update({ removed = [], added = [], changed = 0, ordered = null, background = null }, numbers) {
        const ids = removed.map((slot) => this.#slots[slot].id);
        for (const id of ids) this.emojis.delete(id);
        const identities = new Map(added.map(([slot, id, text]) => [slot, { id, text }]));
        for (let index = 0; index < changed; index += numbersPerEmoji) {
            const slot = numbers[index];
            const { id, text } = identities.get(slot) ?? this.#slots[slot];
            const flags = numbers[index + 6];
            ids.push(id);
            this.#slots[slot] = {
                id, text, x: numbers[index + 1], y: numbers[index + 2], size: numbers[index + 3], z: numbers[index + 4],
                angle: numbers[index + 5], flipped: (flags & 1) !== 0, locked: (flags & 2) !== 0,
            };
            this.emojis.set(id, this.#slots[slot]);
        }
        if (ordered !== null) this.#order = Array.from(numbers.subarray(changed, changed + ordered));
        if (background) [this.background] = background;
        if (ids.length) this.#ordered = null;
        return ids;
    }
}
