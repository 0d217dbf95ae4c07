// Makes the operations of an edit: pure functions, which don't change the board or the emoji that they receive.

import { limits, newID } from "./art.js";

export const smallestSize = limits.smallest;
export const largestSize = limits.largest;

const clampedCoordinate = (value) => Math.min(Math.max(value, -limits.coordinate), limits.coordinate);
const clampedSize = (value) => Math.min(Math.max(value, limits.smallest), limits.largest);

/** The name of a step: “Move 🐶”, “Move 3 emoji”. */
export function stepName(verb, emojis, end = "") {
    const what = emojis.length === 1 ? emojis[0].text : `${emojis.length} emoji`;
    return `${verb} ${what}${end}`;
}

export function moves(emojis, dx, dy) {
    return emojis.map(({ id, x, y }) => move(id, x + dx, y + dy));
}

function move(id, x, y) {
    return { op: "move", id, x: clampedCoordinate(x), y: clampedCoordinate(y) };
}

/** The factor closest to the requested one that keeps all sizes within the limits. */
export function allowedFactor(emojis, factor) {
    const sizes = emojis.map(({ size }) => size);
    const minimum = limits.smallest / Math.min(...sizes);
    const maximum = limits.largest / Math.max(...sizes);
    return Math.min(Math.max(factor, minimum), maximum);
}

/** Scales sizes and positions of emoji around a fixed point. */
export function scalings(emojis, factor, from) {
    const allowed = allowedFactor(emojis, factor);
    return emojis.flatMap(({ id, x, y, size }) => [
        { op: "resize", id, size: clampedSize(size * allowed) },
        move(id, from.x + (x - from.x) * allowed, from.y + (y - from.y) * allowed),
    ]);
}

export function deletions(emojis) {
    return emojis.map(({ id }) => ({ op: "delete", id }));
}

/** A depth in front of all emoji. */
export function frontmostDepth(art) {
    return (art.ordered().at(-1)?.z ?? 0) + 1;
}

/** New emoji in rows, centred on a position. */
export function additions(art, texts, { x, y }, size) {
    const z = frontmostDepth(art);
    const columns = Math.ceil(Math.sqrt(texts.length * 1.6));
    const rows = Math.ceil(texts.length / columns);
    const gap = size * 1.35;
    return texts.map((text, index) => {
        const row = Math.floor(index / columns);
        const inRow = Math.min(columns, texts.length - row * columns);
        return add({
            text, size,
            x: x + ((index % columns) - (inRow - 1) / 2) * gap,
            y: y - (row - (rows - 1) / 2) * gap,
            z: z + index,
        });
    });
}

/** Copies of emoji, moved and in front of everything, in the same order. */
export function copies(art, emojis, dx, dy) {
    const z = frontmostDepth(art);
    return emojis.map(({ text, x, y, size }, index) => add({ text, x: x + dx, y: y + dy, size, z: z + index }));
}

function add({ text, x, y, size, z }) {
    const emoji = { text, x: clampedCoordinate(x), y: clampedCoordinate(y), size: clampedSize(size), z };
    return { op: "add", emoji: { id: newID(), ...emoji } };
}

/** A position where a new emoji is visible: the requested one, or one nearby if an emoji already covers it. */
export function freePosition(art, { x, y }, size) {
    const emojis = art.ordered();
    const tolerance = size / 8;
    for (let step = 0; step < 60; step += 1) {
        // The candidates lie on a spiral, about one emoji apart.
        const angle = 2.4 * step;
        const distance = 1.3 * size * Math.sqrt(step);
        const candidate = { x: x + distance * Math.cos(angle), y: y - distance * Math.sin(angle) };
        const covers = (emoji) =>
            Math.abs(emoji.x - candidate.x) < tolerance && Math.abs(emoji.y - candidate.y) < tolerance;
        if (!emojis.some(covers)) return candidate;
    }
    return { x, y };
}

// --- Order from back to front.

const overlap = (one, other) =>
    Math.abs(one.x - other.x) < (one.size + other.size) / 2 && Math.abs(one.y - other.y) < (one.size + other.size) / 2;

/**
 * Moves emoji to the front or the back, or past the next one that they overlap.
 *
 * - ids: The IDs of the emoji to move.
 * - direction: "front", "forward", "backward" or "back".
 */
export function reorderings(art, ids, direction) {
    const ordered = art.ordered();
    const moved = ordered.filter(({ id }) => ids.has(id));
    const others = ordered.filter(({ id }) => !ids.has(id));
    if (!moved.length || !others.length) return [];
    const index = { front: others.length, back: 0 }[direction] ?? indexAmong(others, ordered, moved, direction);
    const wanted = [...others.slice(0, index), ...moved, ...others.slice(index)];
    if (wanted.every((emoji, position) => emoji === ordered[position])) return [];
    return reorderBetween(moved, others[index - 1]?.z, others[index]?.z) ?? renumber(wanted);
}

/** The number of other emoji behind the moved ones after the move. */
function indexAmong(others, ordered, moved, direction) {
    const isForward = direction === "forward";
    const positions = moved.map((emoji) => ordered.indexOf(emoji));
    const start = isForward ? Math.max(...positions) : Math.min(...positions);
    const beyond = isForward ? ordered.slice(start + 1) : ordered.slice(0, start).reverse();
    // Passing an emoji that none of the moved ones overlaps makes no visible difference.
    const next = beyond.find((other) => moved.some((emoji) => overlap(emoji, other))) ?? beyond[0];
    if (!next) return isForward ? others.length : 0;
    return others.indexOf(next) + (isForward ? 1 : 0);
}

/** Operations that place emoji between two depths; null if the numbers between them are exhausted. */
function reorderBetween(moved, behind, front) {
    const low = behind ?? (front ?? 0) - moved.length - 1;
    const high = front ?? low + moved.length + 1;
    const step = (high - low) / (moved.length + 1);
    let last = low;
    const operations = [];
    for (const [index, { id }] of moved.entries()) {
        const z = low + step * (index + 1);
        if (!(z > last && z < high && Math.abs(z) < limits.depth)) return null;
        operations.push({ op: "reorder", id, z });
        last = z;
    }
    return operations;
}

function renumber(wanted) {
    return wanted.flatMap(({ id, z }, index) => (z === index ? [] : [{ op: "reorder", id, z: index }]));
}
