// Makes the operations of an edit: pure functions, which don't change the board or the emoji that they receive.

import { limits, newID } from "./art.js";
import { emojiCount } from "./words.js";

export const smallestSize = limits.smallest;
export const largestSize = limits.largest;

const clampedCoordinate = (value) => Math.min(Math.max(value, -limits.coordinate), limits.coordinate);
/** The same direction as an angle of at least 0° and less than 360°. */
const normalizedAngle = (value) => ((value % limits.fullTurn) + limits.fullTurn) % limits.fullTurn;
const clampedSize = (value) => Math.min(Math.max(value, limits.smallest), limits.largest);

/** The name of a step, or what is announced after it: “Move 🐶”, “Moved 3 emoji”. The word has the tag `{{emoji}}`. */
export function stepName(word, emojis) {
    return word({ emoji: emojis.length === 1 ? emojis[0].text : emojiCount({ count: emojis.length }) });
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

/** Copies of emoji, unlocked, moved and in front of everything, in the same order. */
export function copies(art, emojis, dx, dy) {
    const z = frontmostDepth(art);
    return emojis.map(({ text, x, y, size, angle, flipped }, index) =>
        add({ text, x: x + dx, y: y + dy, size, z: z + index, angle, flipped }));
}

function add({ text, x, y, size, z, angle = 0, flipped = false }) {
    const position = { x: clampedCoordinate(x), y: clampedCoordinate(y) };
    const appearance = { size: clampedSize(size), angle: normalizedAngle(angle), flipped };
    return { op: "add", emoji: { id: newID(), text, ...position, ...appearance, z } };
}

/**
 * A position in the view for a new emoji: the middle, or the nearest position where it covers no other emoji. On a
 * crowded board, it only avoids the middles of others.
 */
export function freePosition(art, view, size) {
    const middle = { x: (view.left + view.right) / 2, y: (view.bottom + view.top) / 2 };
    const half = size / 2;
    // The candidates lie on a spiral, about one emoji apart.
    const candidates = Array.from({ length: 120 }, (_, step) => {
        const [angle, distance] = [2.4 * step, 1.3 * size * Math.sqrt(step)];
        return { x: middle.x + distance * Math.cos(angle), y: middle.y - distance * Math.sin(angle) };
    }).filter(({ x, y }) =>
        x - half > view.left && x + half < view.right && y - half > view.bottom && y + half < view.top);
    const firstFree = (toleranceFor) => candidates.find((candidate) => !art.ordered().some((emoji) => {
        const tolerance = toleranceFor(emoji);
        return Math.abs(emoji.x - candidate.x) < tolerance && Math.abs(emoji.y - candidate.y) < tolerance;
    }));
    // A new emoji may cover a part of a much larger one.
    return firstFree((emoji) => (emoji.size > 3 * size ? size / 8 : 0.45 * (emoji.size + size)))
        ?? firstFree(() => size / 8) ?? middle;
}

// --- Rotating, mirroring and locking.

/** The mean of the positions of emoji, which stays the same while they are rotated around it. */
export function centroidOf(emojis) {
    const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
    return { x: mean(emojis.map(({ x }) => x)), y: mean(emojis.map(({ y }) => y)) };
}

/** Rotates emoji clockwise around their centroid, by a number of degrees. */
export function rotations(emojis, degrees) {
    const centroid = centroidOf(emojis);
    const radians = (degrees * Math.PI) / 180;
    // Make quarter turns exact: Math.cos returns 6e-17 for 90°.
    const [sin, cos] = [Math.sin(radians), Math.cos(radians)].map((value) => (Math.abs(value) < 1e-15 ? 0 : value));
    return emojis.flatMap(({ id, x, y, angle }) => {
        const rotation = { op: "rotate", id, angle: normalizedAngle(angle + degrees) };
        if (emojis.length === 1) return [rotation];
        const [dx, dy] = [x - centroid.x, y - centroid.y];
        return [rotation, move(id, centroid.x + dx * cos + dy * sin, centroid.y - dx * sin + dy * cos)];
    });
}

/** Scales emoji around a fixed point, and rotates them. */
export function pinches(emojis, factor, degrees, from) {
    const scaled = scalings(emojis, factor, from);
    const positions = new Map(scaled.filter(({ op }) => op === "move").map(({ id, x, y }) => [id, { x, y }]));
    // In a gesture, the later move of an emoji replaces the earlier one.
    return [...scaled, ...rotations(emojis.map((emoji) => ({ ...emoji, ...positions.get(emoji.id) })), degrees)];
}

/** Mirrors emoji within their common box: left to right, or top to bottom. */
export function flips(emojis, box, isHorizontal) {
    return emojis.flatMap(({ id, x, y, angle, flipped }) => {
        const rotation = { op: "rotate", id, angle: normalizedAngle(isHorizontal ? -angle : 180 - angle) };
        const operations = [{ op: "flip", id, flipped: !flipped }, rotation];
        if (emojis.length === 1) return operations;
        const moved = isHorizontal ? move(id, box.left + box.right - x, y) : move(id, x, box.bottom + box.top - y);
        return [...operations, moved];
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
        return significantMoves(emoji, dx, dy);
    });
}

/** The move of an emoji; none if only the rounding of its position would change. */
function significantMoves(emoji, dx, dy) {
    return Math.hypot(dx, dy) < 1e-6 ? [] : moves([emoji], dx, dy);
}

/** Moves emoji so that the gaps between them are equal, from left to right or from top to bottom. */
export function distributions(emojis, boxOf, isHorizontal) {
    const lengthOf = (box) => (isHorizontal ? box.right - box.left : box.top - box.bottom);
    const ordered = emojis.map((emoji) => ({ emoji, box: boxOf([emoji]) })).sort((one, other) =>
        isHorizontal ? one.emoji.x - other.emoji.x : other.emoji.y - one.emoji.y);
    const totalLength = ordered.reduce((sum, { box }) => sum + lengthOf(box), 0);
    const all = boxOf(emojis);
    const gap = (lengthOf(all) - totalLength) / (ordered.length - 1);
    let offset = 0;
    return ordered.flatMap(({ emoji, box }) => {
        const [dx, dy] = isHorizontal ? [all.left + offset - box.left, 0] : [0, all.top - offset - box.top];
        offset += lengthOf(box) + gap;
        return significantMoves(emoji, dx, dy);
    });
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
