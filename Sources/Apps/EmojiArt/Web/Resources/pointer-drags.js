// What a drag of the pointer does. Each function begins a drag, and returns {move(position, event), end(), cancel()};
// for two fingers, {pinch(one, other), end(), cancel()}. Positions are in pixels of the stage. `cancel` restores the
// state before the drag.

import { centroidOf, moves, pinches, rotations, scalings, stepName } from "./edit-operations.js";
import { moveStep, resizeAndRotateStep, resizeStep, rotateStep } from "./words.js";

/** The rotation of two fingers below which a pinch only scales, in degrees: a pinch is never quite straight. */
const rotationThreshold = 12;

/** Moves the view. */
export function panning({ camera, stage }, start) {
    const before = camera.toJSON();
    let last = start;
    stage.dataset.cursor = "grabbing";
    return {
        move(position) {
            camera.moveBy(position.x - last.x, position.y - last.y);
            last = position;
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
    const gesture = sync.gesture(stepName(moveStep, emojis));
    stage.dataset.cursor = "grabbing";
    drawing.isDragging = true;
    return {
        move(position) {
            const to = camera.toBoard(position);
            gesture.update(moves(existing(sync, emojis), to.x - from.x, to.y - from.y));
        },
        ...ending(drawing, gesture),
    };
}

/** Scales the selected emoji by a corner of their frame. The opposite corner is fixed, or the middle with Alt. */
export function resizing({ camera, drawing, selection, sync, stage }, corner, start) {
    const emojis = selection.movable;
    const box = selection.frame;
    const draggedCorner = { x: corner.dx ? box.right : box.left, y: corner.dy ? box.bottom : box.top };
    const oppositeCorner = { x: corner.dx ? box.left : box.right, y: corner.dy ? box.top : box.bottom };
    const middle = { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2 };
    const from = camera.toBoard(start);
    const gesture = sync.gesture(stepName(resizeStep, emojis));
    stage.dataset.cursor = corner.dx === corner.dy ? "nwse" : "nesw";
    drawing.isDragging = drawing.isResizing = true;
    return {
        move(position, { altKey }) {
            const to = camera.toBoard(position);
            const fixedPoint = altKey ? middle : oppositeCorner;
            const [dx, dy] = [draggedCorner.x - fixedPoint.x, draggedCorner.y - fixedPoint.y];
            // Project the corner's new position onto the diagonal.
            const moved = { x: draggedCorner.x + to.x - from.x, y: draggedCorner.y + to.y - from.y };
            const along = (moved.x - fixedPoint.x) * dx + (moved.y - fixedPoint.y) * dy;
            const factor = Math.max(along / (dx * dx + dy * dy), 1e-6);
            gesture.update(scalings(existing(sync, emojis), factor, fixedPoint));
        },
        ...ending(drawing, gesture),
    };
}

/**
 * Rotates the selected emoji by the handle at their frame. Near a multiple of 45° they snap to it; with Shift, they
 * always snap to the nearest multiple of 15°.
 */
export function rotating({ camera, drawing, selection, stage, sync }, start) {
    const emojis = selection.movable;
    const middle = centroidOf(emojis);
    // Clockwise from the top, in degrees.
    const bearingOf = (position) => {
        const { x, y } = camera.toBoard(position);
        return (Math.atan2(x - middle.x, y - middle.y) * 180) / Math.PI;
    };
    const startBearing = bearingOf(start);
    const startAngle = emojis.length === 1 ? emojis[0].angle : 0;
    const gesture = sync.gesture(stepName(rotateStep, emojis));
    stage.dataset.cursor = "grabbing";
    drawing.isDragging = true;
    return {
        move(position, { shiftKey }) {
            const angle = startAngle + bearingOf(position) - startBearing;
            const step = shiftKey ? 15 : 45;
            const snappedAngle = Math.round(angle / step) * step;
            const snaps = shiftKey || Math.abs(angle - snappedAngle) < 3;
            gesture.update(rotations(existing(sync, emojis), (snaps ? snappedAngle : angle) - startAngle));
        },
        ...ending(drawing, gesture),
    };
}

/** Scales and rotates the selected emoji by two fingers, around their middle. */
export function pinchingSelection({ drawing, selection, sync }, one, other) {
    const emojis = selection.movable;
    const box = selection.box(emojis);
    const middle = { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2 };
    const [fingerDistance, startDirection] = [distance(one, other), directionOf(one, other)];
    const gesture = sync.gesture(stepName(resizeStep, emojis));
    drawing.isDragging = drawing.isResizing = true;
    return {
        pinch(one, other) {
            const factor = distance(one, other) / fingerDistance;
            const turn = ((directionOf(one, other) - startDirection + 540) % 360) - 180;
            const degrees = Math.sign(turn) * Math.max(0, Math.abs(turn) - rotationThreshold);
            gesture.name = stepName(degrees === 0 ? resizeStep : resizeAndRotateStep, emojis);
            gesture.update(pinches(existing(sync, emojis), factor, degrees, middle));
        },
        ...ending(drawing, gesture),
    };
}

/** Moves and zooms the view by two fingers. */
export function pinchingView({ camera }, one, other) {
    const before = camera.toJSON();
    let last = { middle: middleOf(one, other), fingerDistance: distance(one, other) };
    return {
        pinch(one, other) {
            const now = { middle: middleOf(one, other), fingerDistance: distance(one, other) };
            camera.pinch(last.middle, now.middle, now.fingerDistance / last.fingerDistance);
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
        move(position) {
            const to = camera.toBoard(position);
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

/** The emoji that still exist: others may have deleted some during the drag. */
function existing({ art }, emojis) {
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

function middleOf(one, other) {
    return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}

/** The direction from one finger to another, clockwise, in degrees. */
function directionOf(one, other) {
    return (Math.atan2(other.y - one.y, other.x - one.x) * 180) / Math.PI;
}
