// Announces the board's content and changes to screen readers.

import { request } from "./requests.js";

/** The Unicode names of emoji, by text. */
const names = new Map();

/** The text without variation selectors, which don't change the name. */
const plain = (text) => text.replaceAll("\uFE0F", "");

async function nameOf(text) {
    if (names.has(text)) return names.get(text);
    let name = null;
    try {
        const { emojis } = await request(`/art/emoji.json?q=${encodeURIComponent(text)}`);
        name = emojis.find(({ emoji }) => plain(emoji) === plain(text))?.name ?? null;
    } catch {
        // The emoji itself is announced anyway, and the name is requested again next time.
        return null;
    }
    names.set(text, name);
    return name;
}

export class Speech {
    #board;
    #region = document.getElementById("spoken");
    #asked = 0;

    constructor(board) {
        this.#board = board;
    }

    say(text) {
        this.#asked += 1;
        this.#region.textContent = text;
    }

    /** Announces an emoji with its name, its place and its size. */
    async describe(id) {
        const { sync, model } = this.#board;
        const number = (this.#asked += 1);
        const emoji = sync.art.emojis.get(id);
        const name = emoji ? await nameOf(emoji.text) : null;
        // Something else was announced meanwhile.
        if (number !== this.#asked) return;
        const description = model.describe(id, name);
        if (description) this.#region.textContent = description;
    }
}
