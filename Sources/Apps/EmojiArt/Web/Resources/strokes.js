// The strokes of a moving pointer. Each is {move(place, event), end(), cancel()}, or has `pinch(one, other)` instead of
// `move`. Places are in pixels of the stage. `cancel` restores what was there before.

import { middleOf, moves, named, pinches, rotations, scalings } from "./edits.js";

/** The turn of two fingers that doesn't rotate yet, in degrees: a pinch is never quite straight. */
const slack = 12;

/** Moves the view. */
export function panning({ camera, stage }, start) {
    const before = camera.toJSON();
    let last = start;
    stage.dataset.cursor = "grabbing";
    return {
        move(place) {
            camera.moveBy(place.x - last.x, place.y - last.y);
            last = place;
        },
        end() {},
        cancel() {
            camera.restore(before);
        },
    };
}

/** Moves emoji. */
export function dragging({ camera, drawing, sync, stage }, emojis, start) {
    const from = camera.toBoard(start);
    const gesture = sync.gesture(named("Move", emojis));
    stage.dataset.cursor = "grabbing";
    drawing.isDragging = true;
    return {
        move(place) {
            const to = camera.toBoard(place);
            gesture.update(moves(present(sync, emojis), to.x - from.x, to.y - from.y));
        },
        ...ending(drawing, gesture),
    };
}

/** Scales the selected emoji by a corner of their frame. The opposite corner is fixed, or the middle with Alt. */
export function resizing({ camera, drawing, selection, sync, stage }, corner, start) {
    const emojis = selection.movable;
    const box = selection.frame;
    const held = { x: corner.dx ? box.right : box.left, y: corner.dy ? box.bottom : box.top };
    const opposite = { x: corner.dx ? box.left : box.right, y: corner.dy ? box.top : box.bottom };
    const middle = { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2 };
    const from = camera.toBoard(start);
    const gesture = sync.gesture(named("Resize", emojis));
    stage.dataset.cursor = corner.dx === corner.dy ? "nwse" : "nesw";
    drawing.isDragging = drawing.isResizing = true;
    return {
        move(place, { altKey }) {
            const to = camera.toBoard(place);
            const still = altKey ? middle : opposite;
            const [dx, dy] = [held.x - still.x, held.y - still.y];
            // Project the corner's new position onto the diagonal.
            const along = (held.x + to.x - from.x - still.x) * dx + (held.y + to.y - from.y - still.y) * dy;
            const factor = Math.max(along / (dx * dx + dy * dy), 1e-6);
            gesture.update(scalings(present(sync, emojis), factor, still));
        },
        ...ending(drawing, gesture),
    };
}

/**
 * Rotates the selected emoji by the handle above their frame. They snap to eighths of a turn, or with Shift to every 15°.
 */
export function rotating({ camera, drawing, selection, stage, sync }, start) {
    const emojis = selection.movable;
    const middle = middleOf(emojis);
    // Clockwise from the top, in degrees.
    const bearingOf = (place) => {
        const { x, y } = camera.toBoard(place);
        return (Math.atan2(x - middle.x, y - middle.y) * 180) / Math.PI;
    };
    const from = bearingOf(start);
    const before = emojis.length === 1 ? emojis[0].angle : 0;
    const gesture = sync.gesture(named("Rotate", emojis));
    stage.dataset.cursor = "grabbing";
    drawing.isDragging = true;
    return {
        move(place, { shiftKey }) {
            const angle = before + bearingOf(place) - from;
            const step = shiftKey ? 15 : 45;
            const snapped = Math.round(angle / step) * step;
            const isNear = shiftKey || Math.abs(angle - snapped) < 3;
            gesture.update(rotations(present(sync, emojis), (isNear ? snapped : angle) - before));
        },
        ...ending(drawing, gesture),
    };
}

/** Scales and rotates the selected emoji by two fingers, around their middle. */
export function pinchingChosen({ drawing, selection, sync }, one, other) {
    const emojis = selection.movable;
    const box = selection.box(emojis);
    const middle = { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2 };
    const [apart, before] = [distance(one, other), directionOf(one, other)];
    const gesture = sync.gesture(named("Resize", emojis));
    drawing.isDragging = drawing.isResizing = true;
    return {
        pinch(one, other) {
            const turn = ((directionOf(one, other) - before + 540) % 360) - 180;
            const degrees = Math.sign(turn) * Math.max(0, Math.abs(turn) - slack);
            gesture.update(pinches(present(sync, emojis), distance(one, other) / apart, degrees, middle));
        },
        ...ending(drawing, gesture),
    };
}

/** Moves and zooms the view by two fingers. */
export function pinchingView({ camera }, one, other) {
    const before = camera.toJSON();
    let last = { middle: between(one, other), apart: distance(one, other) };
    return {
        pinch(one, other) {
            const now = { middle: between(one, other), apart: distance(one, other) };
            camera.pinch(last.middle, now.middle, now.apart / last.apart);
            last = now;
        },
        end() {},
        cancel() {
            camera.restore(before);
        },
    };
}

/** Selects the emoji that a rectangle touches, or adds them to the selection. */
export function marquee({ camera, drawing, selection, stage }, start, isAdding) {
    const before = new Set(selection.ids);
    const from = camera.toBoard(start);
    stage.dataset.cursor = "crosshair";
    const done = () => {
        drawing.marquee = null;
        drawing.invalidateFront();
    };
    return {
        move(place) {
            const to = camera.toBoard(place);
            const box = {
                left: Math.min(from.x, to.x), right: Math.max(from.x, to.x),
                bottom: Math.min(from.y, to.y), top: Math.max(from.y, to.y),
            };
            drawing.marquee = drawing.rectangle(box);
            const touched = selection.touching(box).map(({ id }) => id);
            selection.set(isAdding ? [...before, ...touched] : touched);
            drawing.invalidateFront();
        },
        end: done,
        cancel() {
            done();
            selection.set(before);
        },
    };
}

/** The emoji that still exist: others may have deleted some meanwhile. */
function present({ art }, emojis) {
    return emojis.filter(({ id }) => art.emojis.has(id));
}

function ending(drawing, gesture) {
    const done = () => {
        drawing.isDragging = drawing.isResizing = false;
        drawing.invalidateFront();
    };
    return {
        end() {
            gesture.end();
            done();
        },
        cancel() {
            gesture.cancel();
            done();
        },
    };
}

/** The distance of two fingers, at least 1, so that factors stay finite. */
function distance(one, other) {
    return Math.max(Math.hypot(one.x - other.x, one.y - other.y), 1);
}

function between(one, other) {
    return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}

/** The direction from one finger to another, clockwise, in degrees. */
function directionOf(one, other) {
    return (Math.atan2(other.y - one.y, other.x - one.x) * 180) / Math.PI;
}
