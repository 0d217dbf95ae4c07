// Turns the texts of the model, which contain only the names of words, into strings.

import { words } from "./model-words.js";

/**
 * Returns a text of the model as a string.
 *
 * The text is a string or a number; or a list, whose elements are separated by commas; or the name of a word and the
 * values of its tags, such as { word: "moveStep", emoji: "🐶" }.
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
