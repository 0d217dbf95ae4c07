// The board as it is drawn: a copy of what the model shows, kept up to date by the model's numbers.

/** @typedef {{ id: string, text: string, x: number, y: number, size: number, z: number }} Emoji */

export class ShownBoard {
    /** null, {address} or {picture}. */
    background = null;
    /** By id. An emoji that looks different is another object. @type {Map<string, Emoji>} */
    emojis = new Map();
    /** The emoji of each slot. @type {(Emoji | undefined)[]} */
    #slots = [];
    /** The slots from the back to the front. */
    #order = [];
    /** The emoji in that order; null after a change. */
    #ordered = null;

    /** From the back to the front; the same list until something changes. Not to be changed. */
    ordered() {
        return (this.#ordered ??= this.#order.map((slot) => this.#slots[slot]));
    }

    toJSON() {
        return { background: this.background, emojis: this.ordered() };
    }

    /** Takes over what is different, and returns it: {ids, hasBackground}. */
    update({ removed = [], added = [], moved = 0, ordered = null, background = null }, numbers) {
        const ids = [];
        for (const slot of removed) {
            ids.push(this.#slots[slot].id);
            this.#put(slot, undefined);
        }
        for (const { slot, emoji } of added) {
            ids.push(emoji.id);
            this.#put(slot, emoji);
        }
        for (let index = 0; index < moved; index += 5) {
            const slot = numbers[index];
            const { id, text } = this.#slots[slot];
            ids.push(id);
            const [x, y, size, z] = [numbers[index + 1], numbers[index + 2], numbers[index + 3], numbers[index + 4]];
            this.#put(slot, { id, text, x, y, size, z });
        }
        if (ordered !== null) this.#order = Array.from(numbers.subarray(moved, moved + ordered));
        if (background) [this.background] = background;
        if (ids.length) this.#ordered = null;
        return { ids, hasBackground: background !== null };
    }

    #put(slot, emoji) {
        const current = this.#slots[slot];
        this.#slots[slot] = emoji;
        if (current && current.id !== emoji?.id) this.emojis.delete(current.id);
        if (emoji) this.emojis.set(emoji.id, emoji);
    }
}
