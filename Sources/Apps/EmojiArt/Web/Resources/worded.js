// Inserts words into the texts of the model, which has none.

import { words } from "./model-words.js";

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
