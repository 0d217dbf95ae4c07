// Gestures of mouse, pen and fingers on a board: taps, and drags once a pointer has moved far enough.

import { dragging, marquee, panning, pinchingSelection, pinchingView, resizing, rotating } from "./pointer-drags.js";

/** The distance that a pointer may move during a tap, in pixels. */
const dragThreshold = { mouse: 3, pen: 5, touch: 9 };
/** The distance at which a pointer still hits an emoji, in pixels. */
const hitTolerance = { mouse: 3, pen: 6, touch: 14 };
const handleReach = { mouse: 11, pen: 14, touch: 24 };
/** A finger's reach is smaller here than at corners, so that an emoji above the selection can still be tapped. */
const rotationHandleReach = { mouse: 11, pen: 14, touch: 18 };
const doubleTap = { time: 350, distance: 28 };

export class Gestures {
    #board;
    #pointers = new Map();
    /** The current press, until it becomes a tap or a drag. */
    #press = null;
    #drag = null;
    /** The last tap that hit no emoji. */
    #lastTap = null;
    /** The latest move that hasn't been handled. Each frame handles only the latest one. */
    #latestMove = null;
    /**
     * The time after which a resting finger starts a selection rectangle instead of moving the view, in milliseconds.
     */
    longPress = 450;
    /** The position of the mouse on the stage, or null. */
    pointer = null;

    constructor(board) {
        this.#board = board;
        const { stage, drawing } = board;
        stage.addEventListener("pointerdown", (event) => this.#down(event));
        // Browsers scroll with the middle button, or paste the primary selection.
        for (const type of ["mousedown", "mouseup", "auxclick"]) {
            stage.addEventListener(type, (event) => event.button === 1 && event.preventDefault());
        }
        stage.addEventListener("pointermove", (event) => this.#move(event));
        stage.addEventListener("pointerup", (event) => this.#up(event));
        stage.addEventListener("pointercancel", () => this.cancel());
        stage.addEventListener("lostpointercapture", (event) => this.#pointers.has(event.pointerId) && this.cancel());
        stage.addEventListener("pointerleave", () => (this.pointer = null));
        stage.addEventListener("contextmenu", (event) => this.#menu(event));
        window.addEventListener("blur", () => this.cancel());
        drawing.beforeFrames(() => this.#handleLatestMove());
    }

    /** Whether a gesture is running that can be cancelled. */
    get isActive() {
        return this.#drag !== null || this.#press !== null;
    }

    /** Cancels the current gesture and restores what it changed. */
    cancel() {
        this.#latestMove = null;
        this.#drag?.cancel();
        this.#pointers.clear();
        this.#reset();
    }

    #reset() {
        clearTimeout(this.#press?.timer);
        this.#press = null;
        this.#drag = null;
        this.#board.stage.dataset.cursor = this.#board.viewing.isPanning ? "grab" : "";
        this.#board.refresh();
    }

    // --- Pointers.

    #down(event) {
        const board = this.#board;
        if (event.button > 1 || board.isGone) return;
        // A browser moves the focus to the board when a mouse presses it, but not when a finger drags on it.
        if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
        board.settle();
        board.stage.setPointerCapture(event.pointerId);
        const position = this.#positionOf(event);
        if (event.pointerType !== "touch") this.#pointers.clear();
        this.#pointers.set(event.pointerId, position);
        if (this.#pointers.size === 1) this.#begin(position, event);
        else if (this.#pointers.size === 2) this.#pinch();
    }

    #begin(position, event) {
        const { camera, selection, drawing } = this.#board;
        const kind = event.pointerType;
        const isPanning = event.button === 1 || this.#board.viewing.isPanning;
        const corner = isPanning ? null : cornerAt(drawing.corners(), position, handleReach[kind] ?? handleReach.mouse);
        const isRotating = !isPanning && !corner && this.#isOnRotationHandle(position, kind);
        const isOnHandle = corner !== null || isRotating;
        const tolerance = isOnHandle ? 0 : (hitTolerance[kind] ?? hitTolerance.mouse) / camera.zoom;
        const emoji = isPanning ? null : selection.hit(camera.toBoard(position), tolerance);
        const isAdding = event.shiftKey || event.ctrlKey || event.metaKey;
        this.#press = { position, kind, corner, emoji, isRotating, isPanning, isAdding };
        if (kind === "touch" && !corner && !emoji && !isRotating && !isPanning) {
            this.#press.timer = setTimeout(() => this.#longPress(), this.longPress);
        }
    }

    /** Whether a position is on the handle that rotates. */
    #isOnRotationHandle(position, kind) {
        const handle = this.#board.drawing.rotationHandle();
        const reach = rotationHandleReach[kind] ?? rotationHandleReach.mouse;
        return handle !== null && Math.hypot(handle.x - position.x, handle.y - position.y) < reach;
    }

    #longPress() {
        const { position, isAdding } = this.#press;
        this.#press = null;
        navigator.vibrate?.(12);
        this.#drag = this.#marquee(position, isAdding);
        this.#drag.move(position);
    }

    /** Selects by a rectangle, and announces the selection at the end. */
    #marquee(position, isAdding) {
        const drag = marquee(this.#board, position, isAdding);
        const end = () => {
            drag.end();
            this.#board.announcer.describeSelection();
        };
        return { ...drag, end };
    }

    #move(event) {
        const position = this.#positionOf(event);
        if (event.pointerType !== "touch") this.pointer = position;
        if (!this.#pointers.has(event.pointerId)) {
            if (event.pointerType !== "touch") this.#hover(position);
            return;
        }
        this.#pointers.set(event.pointerId, position);
        const press = this.#press;
        const threshold = dragThreshold[press?.kind] ?? dragThreshold.mouse;
        if (press && Math.hypot(position.x - press.position.x, position.y - press.position.y) > threshold) {
            clearTimeout(press.timer);
            this.#press = null;
            this.#drag = this.#beginDrag(press);
        }
        if (!this.#drag) return;
        this.#latestMove = event;
        this.#board.drawing.request();
    }

    /** Handles the latest positions of the pointers: once per frame, however many events arrive. */
    #handleLatestMove() {
        const event = this.#latestMove;
        if (!event || !this.#drag) return;
        this.#latestMove = null;
        const positions = Array.from(this.#pointers.values());
        if (!this.#drag.pinch) this.#drag.move(positions[0], event);
        else if (positions.length >= 2) this.#drag.pinch(positions[0], positions[1]);
    }

    #beginDrag({ position, kind, corner, emoji, isRotating, isPanning, isAdding }) {
        const board = this.#board;
        if (isPanning) return panning(board, position);
        if (corner) return resizing(board, corner, position);
        if (isRotating) return rotating(board, position);
        // A drag that begins on a locked emoji behaves like one on an empty place.
        if (emoji && !emoji.locked) {
            return dragging(board, board.selection.has(emoji.id) ? board.selection.movable : [emoji], position);
        }
        const isMarquee = kind !== "touch" || board.viewing.isChoosingArea;
        return isMarquee ? this.#marquee(position, isAdding) : panning(board, position);
    }

    #pinch() {
        // Cancel the drag of the first finger: it was the beginning of a pinch.
        this.#latestMove = null;
        this.#drag?.cancel();
        clearTimeout(this.#press?.timer);
        this.#press = null;
        const [one, other] = this.#pointers.values();
        const begin = this.#board.selection.movable.length ? pinchingSelection : pinchingView;
        this.#drag = begin(this.#board, one, other);
    }

    #up(event) {
        if (!this.#pointers.has(event.pointerId)) return;
        this.#pointers.set(event.pointerId, this.#positionOf(event));
        if (this.#press) this.#tap(this.#press, event);
        if (this.#drag) {
            this.#latestMove ??= event;
            this.#handleLatestMove();
            this.#drag.end();
        }
        // The pinch ends with the first finger: the other one is ignored when it is lifted.
        this.#pointers.clear();
        this.#reset();
    }

    // --- Taps.

    #tap({ position, kind, corner, emoji, isRotating, isPanning, isAdding }, event) {
        const { selection } = this.#board;
        if (isPanning) return;
        // A drag that begins on a handle uses the handle, but a tap there selects the emoji below it.
        if ((corner || isRotating) && (!emoji || selection.has(emoji.id))) return;
        if (emoji) {
            this.#lastTap = null;
            selection.moveCursor(null);
            // A finger has no shift key: each tap adds to the selection, as in the course.
            if (kind === "touch" || isAdding || selection.has(emoji.id)) selection.toggle(emoji.id);
            else selection.set([emoji.id]);
            return;
        }
        const last = this.#lastTap;
        const isDouble = last && event.timeStamp - last.time < doubleTap.time
            && Math.hypot(position.x - last.position.x, position.y - last.position.y) < doubleTap.distance;
        this.#lastTap = isDouble ? null : { position, time: event.timeStamp };
        if (isDouble) this.#board.run("fit");
        else if (!isAdding) {
            selection.clear();
            selection.moveCursor(null);
        }
    }

    #menu(event) {
        event.preventDefault();
        // A long press of a finger draws a rectangle instead.
        if (event.pointerType === "touch" || this.#board.isGone) return;
        const { camera, selection, stage, toolbars } = this.#board;
        // In browsers where this event isn't a PointerEvent, it has no `pointerType`, and is treated like a mouse's.
        if (event.pointerType === "") {
            // From the keyboard: the menu of the selection, or of the emoji at the keyboard's cursor.
            const box = selection.box(selection.targets);
            const { left, top } = stage.getBoundingClientRect();
            const { x, y } = box ? camera.toPage({ x: box.right, y: box.bottom }) : { x: 8, y: 8 };
            this.cancel();
            toolbars.showMenuAt(left + x, top + y, !box);
            return;
        }
        const position = this.#positionOf(event);
        const emoji = selection.hit(camera.toBoard(position), hitTolerance.mouse / camera.zoom);
        if (emoji && !selection.has(emoji.id)) selection.set([emoji.id]);
        this.cancel();
        toolbars.showMenuAt(event.clientX, event.clientY, !emoji);
    }

    #hover(position) {
        const { camera, drawing, selection, stage } = this.#board;
        if (this.#board.viewing.isPanning) return;
        const corner = cornerAt(drawing.corners(), position, handleReach.mouse);
        const isRotating = !corner && this.#isOnRotationHandle(position, "mouse");
        const emoji = corner || isRotating ? null : selection.hit(camera.toBoard(position), 0);
        const resizeCursor = corner && (corner.dx === corner.dy ? "nwse" : "nesw");
        const cursor = resizeCursor ?? (isRotating ? "grab" : emoji ? "pointer" : "");
        if (stage.dataset.cursor !== cursor) stage.dataset.cursor = cursor;
    }

    #positionOf({ clientX, clientY }) {
        const { left, top } = this.#board.stage.getBoundingClientRect();
        return { x: clientX - left, y: clientY - top };
    }
}

/**
 * The corner at a position. Inside the frame, handles reach at most a quarter of its size, to leave space for drags.
 */
function cornerAt(corners, position, reach) {
    if (!corners.length) return null;
    const [first, last] = [corners[0], corners[corners.length - 1]];
    const isWithin = position.x > first.x && position.x < last.x && position.y > first.y && position.y < last.y;
    const reachWithin = Math.min(reach, (last.x - first.x) / 4, (last.y - first.y) / 4);
    return nearest(corners, position, isWithin ? reachWithin : reach);
}

function nearest(corners, position, reach) {
    let [found, smallestDistance] = [null, reach];
    for (const corner of corners) {
        const distance = Math.hypot(corner.x - position.x, corner.y - position.y);
        if (distance < smallestDistance) [found, smallestDistance] = [corner, distance];
    }
    return found;
}
