// The messages about refused operations. They equal the server's, for operations that are refused before they are sent.

import { isShowable, limits } from "./art.js";

const participles = {
    add: "added",
    move: "moved",
    resize: "resized",
    delete: "deleted",
    reorder: "brought to the front or back",
    rotate: "rotated",
    flip: "flipped",
    background: "set",
};

/** The message about a refused operation. */
export function refusalMessage(operation, reason) {
    const { op, locked } = operation;
    const participle = op === "lock" ? (locked ? "locked" : "unlocked") : participles[op];
    const text = operation.emoji?.text;
    const subject = isShowable(text) ? text : "The emoji";
    switch (reason) {
        case "gone":
            return `The emoji was not ${participle}, because it was deleted. Undo the deletion, or add it again.`;
        case "exists":
            return `${subject} was not added: an emoji with the same ID exists already. Add it again.`;
        case "full":
            return `${subject} was not added: the board has ${limits.emojis} emoji, the most allowed. `
                + "Delete some, or use another board.";
        case "number":
            if (op === "rotate") {
                return "The emoji was not rotated: its angle must be at least 0° and less than 360°. "
                    + "Choose another angle.";
            }
            return `${subject} was not ${participle}: it would be too far away, too large or too small. `
                + "Choose another place or size.";
        case "text":
            return `The emoji was not added: its text is empty, longer than ${limits.emojiBytes} bytes, `
                + "or cannot be shown. Use one emoji.";
        case "address":
            return "The background was not set: its address must begin with http:// or https:// and have at most "
                + `${limits.addressBytes} bytes. Use another address, or drop the picture itself.`;
        case "picture":
            return "The background was not set: its picture is no longer stored. Drop the picture again.";
    }
}

/**
 * The message about a step that couldn't be completely undone or redone.
 *
 * - verb: “undone” or “redone”.
 * - gone: The number of the step's emoji that were deleted.
 * - isChanged: Whether a part of the step was undone or redone.
 */
export function undoRefusalMessage(name, verb, gone, isChanged) {
    if (gone === 0) return `“${name}” could not be ${verb}: it was changed since.`;
    const missing = gone === 1 ? "one of its emoji was deleted." : `${gone} of its emoji were deleted.`;
    return isChanged ? `“${name}” was only partly ${verb}: ${missing}` : `“${name}” could not be ${verb}: ${missing}`;
}
