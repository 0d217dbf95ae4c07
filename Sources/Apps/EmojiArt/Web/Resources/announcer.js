// Announces the board's content and changes to screen readers.

import { request } from "./requests.js";
import { worded } from "./worded.js";

/** The Unicode names of emoji, by text. */
const knownNames = new Map();

/** Variation selectors don't change an emoji's name. */
const withoutVariationSelectors = (text) => text.replaceAll("\uFE0F", "");

async function nameOf(text) {
    if (knownNames.has(text)) return knownNames.get(text);
    let name = null;
    try {
        const { emojis } = await request(`/art/emoji.json?q=${encodeURIComponent(text)}`);
        const wanted = withoutVariationSelectors(text);
        name = emojis.find(({ emoji }) => withoutVariationSelectors(emoji) === wanted)?.name ?? null;
    } catch {
        // Announce the emoji without its name, and request the name again next time.
        return null;
    }
    knownNames.set(text, name);
    return name;
}

export class Announcer {
    #board;
    #region = document.getElementById("spoken");
    #latestRequest = 0;

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
        const name = emoji ? await nameOf(emoji.text) : null;
        // Another announcement was made during the request.
        if (number !== this.#latestRequest) return;
        const description = model.describe(id, name);
        if (description) this.#region.textContent = worded(description);
    }
}
