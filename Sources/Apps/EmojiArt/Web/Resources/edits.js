// Makes the operations of a user's edits. The functions change nothing, not even the board that they receive.

import { limits, newID } from "./art.js";

export const smallestSize = limits.smallest;
export const largestSize = limits.largest;

const place = (value) => Math.min(Math.max(value, -limits.coordinate), limits.coordinate);
const angled = (value) => ((value % limits.fullTurn) + limits.fullTurn) % limits.fullTurn;
const sized = (value) => Math.min(Math.max(value, limits.smallest), limits.largest);

/** The name of a step: “Move 🐶”, “Move 3 emoji”. */
export function named(verb, emojis, end = "") {
    const what = emojis.length === 1 ? emojis[0].text : `${emojis.length} emoji`;
    return `${verb} ${what}${end}`;
}

export function moves(emojis, dx, dy) {
    return emojis.map(({ id, x, y }) => ({ op: "move", id, x: place(x + dx), y: place(y + dy) }));
}

/** The factor closest to the requested one that keeps all sizes within the limits. */
export function allowedFactor(emojis, factor) {
    const sizes = emojis.map(({ size }) => size);
    const least = limits.smallest / Math.min(...sizes);
    const most = limits.largest / Math.max(...sizes);
    return Math.min(Math.max(factor, least), most);
}

/** Scales sizes and positions of emoji around a fixed point. */
export function scalings(emojis, factor, from) {
    const allowed = allowedFactor(emojis, factor);
    return emojis.flatMap(({ id, x, y, size }) => [
        { op: "resize", id, size: sized(size * allowed) },
        { op: "move", id, x: place(from.x + (x - from.x) * allowed), y: place(from.y + (y - from.y) * allowed) },
    ]);
}

export function deletions(emojis) {
    return emojis.map(({ id }) => ({ op: "delete", id }));
}

/** A depth in front of all emoji. */
export function frontmost(art) {
    return (art.ordered().at(-1)?.z ?? 0) + 1;
}

/** New emoji in rows, centred on a place. */
export function additions(art, texts, { x, y }, size) {
    const z = frontmost(art);
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

/** Copies of emoji, unlocked, moved and in front of everything, in the same order. */
export function copies(art, emojis, dx, dy) {
    const z = frontmost(art);
    return emojis.map(({ text, x, y, size, angle, flipped }, index) =>
        add({ text, x: x + dx, y: y + dy, size, z: z + index, angle, flipped }));
}

function add({ text, x, y, size, z, angle = 0, flipped = false }) {
    const emoji = { id: newID(), text, x: place(x), y: place(y), size: sized(size), z, angle: angled(angle), flipped };
    return { op: "add", emoji };
}

/**
 * A place in the view for a new emoji: the middle, or the nearest place where it covers no emoji of its size. On a crowded
 * board, it only has another middle than each other emoji.
 */
export function freePlace(art, view, size) {
    const middle = { x: (view.left + view.right) / 2, y: (view.bottom + view.top) / 2 };
    const half = size / 2;
    // Along a spiral of places that are about one emoji apart.
    const spots = Array.from({ length: 120 }, (_, turn) => {
        const [angle, distance] = [2.4 * turn, 1.3 * size * Math.sqrt(turn)];
        return { x: middle.x + distance * Math.cos(angle), y: middle.y - distance * Math.sin(angle) };
    }).filter(({ x, y }) =>
        x - half > view.left && x + half < view.right && y - half > view.bottom && y + half < view.top);
    const firstFree = (reach) => spots.find((spot) => !art.ordered().some((emoji) =>
        Math.abs(emoji.x - spot.x) < reach(emoji) && Math.abs(emoji.y - spot.y) < reach(emoji)));
    // What is much larger is scenery.
    return firstFree((emoji) => (emoji.size > 3 * size ? size / 8 : 0.45 * (emoji.size + size)))
        ?? firstFree(() => size / 8) ?? middle;
}

// --- Rotating, mirroring and locking.

/** The middle of emoji's positions, which stays the same while they are rotated around it. */
export function middleOf(emojis) {
    const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
    return { x: mean(emojis.map(({ x }) => x)), y: mean(emojis.map(({ y }) => y)) };
}

/** Rotates emoji clockwise around their middle, by a number of degrees. */
export function rotations(emojis, degrees) {
    const middle = middleOf(emojis);
    const turn = (degrees * Math.PI) / 180;
    // A quarter turn is exact: its sine and cosine are whole numbers.
    const [sin, cos] = [Math.sin(turn), Math.cos(turn)].map((value) => (Math.abs(value) < 1e-15 ? 0 : value));
    return emojis.flatMap(({ id, x, y, angle }) => {
        const rotation = { op: "rotate", id, angle: angled(angle + degrees) };
        if (emojis.length === 1) return [rotation];
        const [dx, dy] = [x - middle.x, y - middle.y];
        const [newX, newY] = [middle.x + dx * cos + dy * sin, middle.y - dx * sin + dy * cos];
        return [rotation, { op: "move", id, x: place(newX), y: place(newY) }];
    });
}

/** Scales emoji around a fixed point, and rotates them. */
export function pinches(emojis, factor, degrees, from) {
    const scaled = scalings(emojis, factor, from);
    const places = new Map(scaled.filter(({ op }) => op === "move").map(({ id, x, y }) => [id, { x, y }]));
    // In a gesture, the later move of an emoji replaces the earlier one.
    return [...scaled, ...rotations(emojis.map((emoji) => ({ ...emoji, ...places.get(emoji.id) })), degrees)];
}

/** Mirrors emoji within their common box: left to right, or top to bottom. */
export function flips(emojis, box, isAcross) {
    return emojis.flatMap(({ id, x, y, angle, flipped }) => {
        const turn = { op: "rotate", id, angle: angled(isAcross ? -angle : 180 - angle) };
        const operations = [{ op: "flip", id, flipped: !flipped }, turn];
        if (emojis.length === 1) return operations;
        const [newX, newY] = isAcross ? [box.left + box.right - x, y] : [x, box.bottom + box.top - y];
        return [...operations, { op: "move", id, x: place(newX), y: place(newY) }];
    });
}

export function locks(emojis, locked) {
    return emojis.map(({ id }) => ({ op: "lock", id, locked }));
}

// --- Aligning.

/**
 * Moves emoji to a side or the middle of their common box.
 *
 * - boxOf: Returns the box of a list of emoji.
 * - side: "left", "center", "right", "top", "middle" or "bottom".
 */
export function alignments(emojis, boxOf, side) {
    const all = boxOf(emojis);
    return emojis.flatMap((emoji) => {
        const box = boxOf([emoji]);
        const [dx, dy] = {
            left: [all.left - box.left, 0],
            center: [(all.left + all.right - box.left - box.right) / 2, 0],
            right: [all.right - box.right, 0],
            top: [0, all.top - box.top],
            middle: [0, (all.bottom + all.top - box.bottom - box.top) / 2],
            bottom: [0, all.bottom - box.bottom],
        }[side];
        return shifts(emoji, dx, dy);
    });
}

/** The move of an emoji, unless only the rounding of its position would change. */
function shifts(emoji, dx, dy) {
    return Math.hypot(dx, dy) < 1e-6 ? [] : moves([emoji], dx, dy);
}

/** Moves emoji so that the gaps between them are equal, from left to right or from top to bottom. */
export function distributions(emojis, boxOf, isAcross) {
    const lengthOf = (box) => (isAcross ? box.right - box.left : box.top - box.bottom);
    const ordered = emojis.map((emoji) => ({ emoji, box: boxOf([emoji]) })).sort((one, other) =>
        isAcross ? one.emoji.x - other.emoji.x : other.emoji.y - one.emoji.y);
    const filled = ordered.reduce((sum, { box }) => sum + lengthOf(box), 0);
    const all = boxOf(emojis);
    const gap = (lengthOf(all) - filled) / (ordered.length - 1);
    let passed = 0;
    return ordered.flatMap(({ emoji, box }) => {
        const [dx, dy] = isAcross ? [all.left + passed - box.left, 0] : [0, all.top - passed - box.top];
        passed += lengthOf(box) + gap;
        return shifts(emoji, dx, dy);
    });
}

// --- Order from back to front.

const overlap = (one, other) =>
    Math.abs(one.x - other.x) < (one.size + other.size) / 2 && Math.abs(one.y - other.y) < (one.size + other.size) / 2;

/**
 * Moves emoji to the front or the back, or past the next one that they overlap.
 *
 * - ids: The IDs of the emoji to move.
 * - way: "front", "forward", "backward" or "back".
 */
export function reorderings(art, ids, way) {
    const ordered = art.ordered();
    const chosen = ordered.filter(({ id }) => ids.has(id));
    const others = ordered.filter(({ id }) => !ids.has(id));
    if (!chosen.length || !others.length) return [];
    const index = { front: others.length, back: 0 }[way] ?? placeAmong(others, ordered, chosen, way);
    const wanted = [...others.slice(0, index), ...chosen, ...others.slice(index)];
    if (wanted.every((emoji, place) => emoji === ordered[place])) return [];
    return between(chosen, others[index - 1]?.z, others[index]?.z) ?? renumbered(wanted);
}

/** The number of other emoji behind the moved ones after the move. */
function placeAmong(others, ordered, chosen, way) {
    const isForward = way === "forward";
    const places = chosen.map((emoji) => ordered.indexOf(emoji));
    const start = isForward ? Math.max(...places) : Math.min(...places);
    const beyond = isForward ? ordered.slice(start + 1) : ordered.slice(0, start).reverse();
    // Passing an emoji that none of the moved ones overlaps makes no visible difference.
    const next = beyond.find((other) => chosen.some((emoji) => overlap(emoji, other))) ?? beyond[0];
    if (!next) return isForward ? others.length : 0;
    return others.indexOf(next) + (isForward ? 1 : 0);
}

/** Operations that place emoji between two depths; null if the numbers between them are exhausted. */
function between(chosen, behind, front) {
    const low = behind ?? (front ?? 0) - chosen.length - 1;
    const high = front ?? low + chosen.length + 1;
    const step = (high - low) / (chosen.length + 1);
    let last = low;
    const operations = [];
    for (const [index, { id }] of chosen.entries()) {
        const z = low + step * (index + 1);
        if (!(z > last && z < high && Math.abs(z) < limits.depth)) return null;
        operations.push({ op: "reorder", id, z });
        last = z;
    }
    return operations;
}

function renumbered(wanted) {
    return wanted.flatMap(({ id, z }, index) => (z === index ? [] : [{ op: "reorder", id, z: index }]));
}
