// Why an operation is refused, for a person: the words are the server's, for what is refused before it gets there.

import { isShowable, limits } from "./art.js";

const deeds = {
    add: "added",
    move: "moved",
    resize: "resized",
    delete: "deleted",
    reorder: "brought to the front or back",
    background: "set",
};

/** What happened, to what, and what to do now. */
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

/** What to say of a step that was “undone” or “done again” in part, or not at all; of it so many emoji are gone. */
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
