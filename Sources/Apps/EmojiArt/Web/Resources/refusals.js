// The messages about refused operations. They equal the server's, for operations that are refused before they are sent.

import { isShowable, limits } from "./art.js";

const deeds = {
    add: "added",
    move: "moved",
    resize: "resized",
    delete: "deleted",
    reorder: "brought to the front or back",
    background: "set",
};

/** A message that says what failed, why, and what to do. */
export function messageOf(operation, reason) {
    const deed = deeds[operation.op];
    const text = operation.emoji?.text;
    const subject = isShowable(text) ? text : "The emoji";
    switch (reason) {
        case "gone":
            return `The emoji was not ${deed}, because it is gone: somebody has deleted it. `
                + "Undo the deletion, or add it again.";
        case "exists":
            return `${subject} was not added: there is an emoji of that name already. Add it again as a new one.`;
        case "full":
            return `${subject} was not added: the board is full at ${limits.emojis} emoji. `
                + "Delete some, or go on on another board.";
        case "number":
            return `${subject} was not ${deed}: that is further away, larger or smaller than a board can be. `
                + "Bring it nearer, or nearer to its size.";
        case "text":
            return `The emoji was not added: its text is empty, longer than ${limits.emojiBytes} bytes, `
                + "or cannot be shown. Use one emoji.";
        case "address":
            return "The background was not set: its address has to begin with http:// or https://, and to have at most "
                + `${limits.addressBytes} bytes. Use another address, or drop the picture itself.`;
        case "picture":
            return "The background was not set: its picture is no longer kept. Drop the picture once more.";
    }
}

/**
 * The message about a step that was only partly “undone” or “done again”, or not at all; `gone` is the number of its
 * emoji that were deleted.
 */
export function messageOfUndo(name, verb, gone, isChanged) {
    if (gone === 0) {
        const left = verb === "undone" ? "undo" : "do again";
        return `There was nothing left to ${left} of “${name}”: others have changed it since.`;
    }
    const missing =
        gone === 1
            ? "an emoji of it is gone, because somebody has deleted it."
            : `${gone} of its emoji are gone, because somebody has deleted them.`;
    return isChanged ? `“${name}” was ${verb} in part: ${missing}` : `“${name}” could not be ${verb}: ${missing}`;
}
