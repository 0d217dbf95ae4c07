// The messages about refused operations. They equal the server's, for operations that are refused before they are sent.

import { isShowable, limits } from "./art.js";
import {
    boardIsFull, emojiExists, emojiIsGone, invalidAddress, invalidAngle, invalidText, notRedone, notUndone,
    oneEmojiDeleted, outOfRange, partlyRedone, partlyUndone, pictureIsGone, severalEmojiDeleted, stepWasChanged,
    theEmoji, wasAdded, wasDeleted, wasFlipped, wasLocked, wasMoved, wasReordered, wasResized, wasRotated, wasSet,
    wasUnlocked,
} from "./words.js";

const participles = {
    add: wasAdded,
    move: wasMoved,
    resize: wasResized,
    delete: wasDeleted,
    reorder: wasReordered,
    rotate: wasRotated,
    flip: wasFlipped,
    background: wasSet,
};

/** The message about a refused operation. */
export function refusalMessage(operation, reason) {
    const { op, locked } = operation;
    const done = op === "lock" ? (locked ? wasLocked : wasUnlocked) : participles[op];
    const text = operation.emoji?.text;
    const emoji = isShowable(text) ? text : theEmoji;
    switch (reason) {
        case "gone": return emojiIsGone({ done });
        case "exists": return emojiExists({ emoji });
        case "full": return boardIsFull({ emoji, limit: limits.emojis });
        case "number": return op === "rotate" ? invalidAngle : outOfRange({ emoji, done });
        case "text": return invalidText({ limit: limits.emojiBytes });
        case "address": return invalidAddress({ limit: limits.addressBytes });
        case "picture": return pictureIsGone;
    }
}

/**
 * The message about a step that couldn't be completely undone or redone.
 *
 * - isUndo: Whether it was to be undone, not redone.
 * - gone: The number of the step's emoji that were deleted.
 * - isChanged: Whether a part of the step was undone or redone.
 */
export function undoRefusalMessage(step, isUndo, gone, isChanged) {
    if (gone === 0) return (isUndo ? notUndone : notRedone)({ step, reason: stepWasChanged });
    const reason = gone === 1 ? oneEmojiDeleted : severalEmojiDeleted({ count: gone });
    if (isChanged) return (isUndo ? partlyUndone : partlyRedone)({ step, reason });
    return (isUndo ? notUndone : notRedone)({ step, reason });
}
