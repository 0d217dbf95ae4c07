// Announces the board's content and changes to screen readers.

import { request } from "./requests.js";
import {
    atPosition, emojiSelected, isFlipped, isLocked, isRotated, isSelected, isSelectedWithMore, nothingSelected,
    placeAmong, sizeIs, theMiddle, toBottom, toLeft, toRight, toTop,
} from "./words.js";

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
            name ? `${text} ${name}` : text, placeAmong({ number: index + 1, count: ordered.length }),
            atPosition({ position: positionText(x, y) }),
            sizeIs({ size: Math.round(size) }), angle && isRotated({ angle: Math.round(angle) }), flipped && isFlipped,
            locked && isLocked, selection.has(emoji.id) && selectedText(selection.size),
        ].filter(Boolean).join(", ");
    }

    describeSelection() {
        const { size, emojis } = this.#board.selection;
        if (size === 0) this.announce(nothingSelected);
        else if (size === 1) this.describe(emojis[0]);
        else this.announce(emojiSelected({ count: size }));
    }
}

function selectedText(count) {
    return count > 1 ? isSelectedWithMore({ count: count - 1 }) : isSelected;
}

function positionText(x, y) {
    const sides = [];
    if (Math.round(x)) sides.push((x > 0 ? toRight : toLeft)({ distance: Math.abs(Math.round(x)) }));
    if (Math.round(y)) sides.push((y > 0 ? toTop : toBottom)({ distance: Math.abs(Math.round(y)) }));
    return sides.join(", ") || theMiddle;
}
