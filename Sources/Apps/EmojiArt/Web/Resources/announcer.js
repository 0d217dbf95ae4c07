// Announces the board's content and changes to screen readers.

import { request } from "./requests.js";

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

    /**
     * Announces the emoji at the keyboard's cursor: "🐶 dog face, 3 of 12, at 40 right, 12 down, size 40, rotated 90°,
     * flipped, locked, selected with 2 more".
     */
    async describe(emoji) {
        const number = (this.#latestRequest += 1);
        const name = await nameOf(emoji.text);
        // Another announcement was made during the request.
        if (number !== this.#latestRequest) return;
        const { sync, selection } = this.#board;
        const ordered = sync.art.ordered();
        const index = ordered.findIndex(({ id }) => id === emoji.id);
        if (index < 0) return;
        const { text, x, y, size, angle, flipped, locked } = ordered[index];
        this.#region.textContent = [
            name ? `${text} ${name}` : text, `${index + 1} of ${ordered.length}`, `at ${positionText(x, y)}`,
            `size ${Math.round(size)}`, angle && `rotated ${Math.round(angle)}°`, flipped && "flipped",
            locked && "locked", selection.has(emoji.id) && selectedText(selection.size),
        ].filter(Boolean).join(", ");
    }

    describeSelection() {
        const { size, emojis } = this.#board.selection;
        if (size === 0) this.announce("Nothing selected");
        else if (size === 1) this.describe(emojis[0]);
        else this.announce(`${size} emoji selected`);
    }
}

function selectedText(count) {
    return count > 1 ? `selected with ${count - 1} more` : "selected";
}

function positionText(x, y) {
    const sides = [];
    if (Math.round(x)) sides.push(`${Math.abs(Math.round(x))} ${x > 0 ? "right" : "left"}`);
    if (Math.round(y)) sides.push(`${Math.abs(Math.round(y))} ${y > 0 ? "up" : "down"}`);
    return sides.join(", ") || "the middle";
}
