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

/** What was done to emoji: “Moved 🐶”, “Moved 3 emoji”. */
export function named(verb, texts) {
    return `${verb} ${texts.length === 1 ? texts[0] : `${texts.length} emoji`}`;
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

    /** Announces the emoji at the keyboard's cursor: "🐶 dog face, 3 of 12, at 40 right, 12 down, size 40, selected". */
    async describe(emoji) {
        const number = (this.#asked += 1);
        const name = await nameOf(emoji.text);
        // Something else was announced meanwhile.
        if (number !== this.#asked) return;
        const { sync, selection } = this.#board;
        const ordered = sync.art.ordered();
        const place = ordered.findIndex(({ id }) => id === emoji.id);
        if (place < 0) return;
        const { text, x, y, size } = ordered[place];
        const chosen = selection.has(emoji.id) ? ", selected" : "";
        const who = name ? `${text} ${name}` : text;
        const sized = `size ${Math.round(size)}`;
        this.#region.textContent =
            `${who}, ${place + 1} of ${ordered.length}, at ${where(x, y)}, ${sized}${chosen}`;
    }

    /** Announces the selection. */
    describeSelection() {
        const { size, emojis } = this.#board.selection;
        if (size === 0) this.say("Nothing selected");
        else if (size === 1) this.describe(emojis[0]);
        else this.say(`${size} emoji selected`);
    }
}

function where(x, y) {
    const sides = [];
    if (Math.round(x)) sides.push(`${Math.abs(Math.round(x))} ${x > 0 ? "right" : "left"}`);
    if (Math.round(y)) sides.push(`${Math.abs(Math.round(y))} ${y > 0 ? "up" : "down"}`);
    return sides.join(", ") || "the middle";
}
