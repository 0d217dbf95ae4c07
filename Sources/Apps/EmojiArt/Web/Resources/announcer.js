// Announces the board's content and changes to screen readers.

import { findEmoji } from "./palette-list.js";
import { worded } from "./worded.js";

/** Variation selectors don't change an emoji's name. */
const withoutVariationSelectors = (text) => text.replaceAll("\uFE0F", "");

export class Announcer {
    #board;
    #region = document.getElementById("spoken");
    #latestRequest = 0;
    /** The Unicode names of emoji, by text; null for one without a name. */
    #names = new Map();

    constructor(board) {
        this.#board = board;
    }

    announce(text) {
        this.#latestRequest += 1;
        this.#region.textContent = text;
    }

    /** Announces an emoji with its name, its place and how it looks. */
    async describe(id) {
        const { model, sync } = this.#board;
        const number = (this.#latestRequest += 1);
        const emoji = sync.art.emojis.get(id);
        const name = emoji ? await this.#nameOf(emoji.text) : null;
        // Unless another announcement was made during the request.
        const description = number === this.#latestRequest ? model.describe(id, name) : null;
        if (description) this.#region.textContent = worded(description);
    }

    async #nameOf(text) {
        if (this.#names.has(text)) return this.#names.get(text);
        // If the request fails, announce the emoji without its name, and request the name again next time.
        const found = await findEmoji(text, this.#board).catch(() => null);
        if (!found) return null;
        const wanted = withoutVariationSelectors(text);
        const name = found.find(({ emoji }) => withoutVariationSelectors(emoji) === wanted)?.name ?? null;
        this.#names.set(text, name);
        return name;
    }
}
