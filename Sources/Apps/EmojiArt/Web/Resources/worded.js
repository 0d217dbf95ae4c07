// Inserts words into the texts of the model, which has none.

import {
    added, addStep, alignBottom, alignCenter, alignLeft, alignMiddle, alignRight, alignTop, alreadyThere, atPosition,
    boardDeleted, boardIsFull, boardRestored, bringForwardStep, bringToFrontStep, broughtForward, broughtToFront,
    changesNotSaved, changesOffline, connectionLost, cutDone, cutStep, deleted, deleteStep, distributeLeftToRight,
    distributeTopToBottom, duplicated, duplicateStep, emojiCount, emojiExists, emojiIsGone, emojiSelected, flipped,
    flipStep, invalidAddress, invalidAngle, invalidText, isFlipped, isLocked, isRotated, isSelected,
    isSelectedWithMore, locked, lockStep, moveStep, nothingSelected, notRedone, notStored, notUndone,
    oneChangeNotSaved, oneChangeOffline, oneEmojiDeleted, outOfRange, partlyRedone, partlyUndone, pasted, pasteStep,
    pictureIsGone, placeAmong, resizeAndRotateStep, resized, resizedTo, resizeStep, rotated, rotatedTo, rotateStep,
    savedLabel, savingLabel, sendBackwardStep, sendToBackStep, sentBackward, sentToBack, severalEmojiDeleted,
    showingEverything, showingNearest, showingSelection, sizeIs, stepWasChanged, theEmoji, theMiddle, toBottom, toLeft,
    toRight, toTop, unlocked, unlockStep, wasAdded, wasDeleted, wasFlipped, wasLocked, wasMoved, wasReordered,
    wasResized, wasRotated, wasSet, wasUndone, wasUnlocked, zoomIs,
} from "./words.js";

/** The words that the model names. Those with values are functions. @type {Record<string, any>} */
const words = {
    added, addStep, alignBottom, alignCenter, alignLeft, alignMiddle, alignRight, alignTop, alreadyThere, atPosition,
    boardDeleted, boardIsFull, boardRestored, bringForwardStep, bringToFrontStep, broughtForward, broughtToFront,
    changesNotSaved, changesOffline, connectionLost, cutDone, cutStep, deleted, deleteStep, distributeLeftToRight,
    distributeTopToBottom, duplicated, duplicateStep, emojiCount, emojiExists, emojiIsGone, emojiSelected, flipped,
    flipStep, invalidAddress, invalidAngle, invalidText, isFlipped, isLocked, isRotated, isSelected,
    isSelectedWithMore, locked, lockStep, moveStep, nothingSelected, notRedone, notStored, notUndone,
    oneChangeNotSaved, oneChangeOffline, oneEmojiDeleted, outOfRange, partlyRedone, partlyUndone, pasted, pasteStep,
    pictureIsGone, placeAmong, resizeAndRotateStep, resized, resizedTo, resizeStep, rotated, rotatedTo, rotateStep,
    savedLabel, savingLabel, sendBackwardStep, sendToBackStep, sentBackward, sentToBack, severalEmojiDeleted,
    showingEverything, showingNearest, showingSelection, sizeIs, stepWasChanged, theEmoji, theMiddle, toBottom, toLeft,
    toRight, toTop, unlocked, unlockStep, wasAdded, wasDeleted, wasFlipped, wasLocked, wasMoved, wasReordered,
    wasResized, wasRotated, wasSet, wasUndone, wasUnlocked, zoomIs,
};

/**
 * A text of the model in words: a string or a number; a list, with commas between its elements; or the name of a word
 * and the values of its tags, such as { word: "moveStep", emoji: "🐶" }.
 *
 * @returns {string}
 */
export function worded(text) {
    if (Array.isArray(text)) return text.map(worded).join(", ");
    if (typeof text !== "object") return String(text);
    const { word, ...values } = text;
    if (typeof words[word] === "string") return words[word];
    return words[word](Object.fromEntries(Object.entries(values).map(([tag, value]) => [tag, worded(value)])));
}
