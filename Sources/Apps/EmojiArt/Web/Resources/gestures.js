// Gestures of mouse, pen and fingers on a board: taps, and strokes once a pointer has moved far enough.

import { dragging, marquee, panning, pinchingChosen, pinchingView, resizing } from "./strokes.js";

/** The movement that still counts as a tap, in pixels. */
const trembling = { mouse: 3, pen: 5, touch: 9 };
/** The tolerance for hitting an emoji, in pixels. */
const missing = { mouse: 3, pen: 6, touch: 14 };
const handleReach = { mouse: 11, pen: 14, touch: 24 };
const doubleTap = { time: 350, distance: 28 };

export class Gestures {
    #board;
    #pointers = new Map();
    /** The current press, until it becomes a tap or a stroke. */
    #press = null;
    #stroke = null;
    /** The last tap that hit no emoji. */
    #lastTap = null;
    /** The latest move that has not been handled: each frame handles only the latest. */
    #moved = null;
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
        drawing.beforeFrames(() => this.#catchUp());
    }

    /** Whether a gesture is running that can be cancelled. */
    get isActive() {
        return this.#stroke !== null || this.#press !== null;
    }

    /** Cancels the current gesture and restores what it changed. */
    cancel() {
        this.#moved = null;
        this.#stroke?.cancel();
        this.#pointers.clear();
        this.#rest();
    }

    #rest() {
        clearTimeout(this.#press?.timer);
        this.#press = null;
        this.#stroke = null;
        this.#board.stage.dataset.cursor = this.#board.viewing.isPanning ? "grab" : "";
        this.#board.refresh();
    }

    // --- Pointers.

    #down(event) {
        const board = this.#board;
        if (event.button > 1 || board.isGone) return;
        // The browser moves the focus to the board, but not while a finger drags.
        if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
        board.settle();
        board.stage.setPointerCapture(event.pointerId);
        const place = this.#place(event);
        if (event.pointerType !== "touch") this.#pointers.clear();
        this.#pointers.set(event.pointerId, place);
        if (this.#pointers.size === 1) this.#begin(place, event);
        else if (this.#pointers.size === 2) this.#pinch();
    }

    #begin(place, event) {
        const { camera, selection, drawing } = this.#board;
        const kind = event.pointerType;
        const isPanning = event.button === 1 || this.#board.viewing.isPanning;
        const corner = isPanning ? null : cornerAt(drawing.corners(), place, handleReach[kind] ?? handleReach.mouse);
        const missed = (missing[kind] ?? missing.mouse) / camera.zoom;
        const emoji = isPanning || corner ? null : selection.hit(camera.toBoard(place), missed);
        const isAdding = event.shiftKey || event.ctrlKey || event.metaKey;
        this.#press = { place, kind, corner, emoji, isPanning, isAdding };
        if (kind === "touch" && !corner && !emoji && !isPanning) {
            this.#press.timer = setTimeout(() => this.#longPress(), this.longPress);
        }
    }

    #longPress() {
        const { place, isAdding } = this.#press;
        this.#press = null;
        navigator.vibrate?.(12);
        this.#stroke = marquee(this.#board, place, isAdding);
        this.#stroke.move(place);
    }

    #move(event) {
        const place = this.#place(event);
        if (event.pointerType !== "touch") this.pointer = place;
        if (!this.#pointers.has(event.pointerId)) {
            if (event.pointerType !== "touch") this.#hover(place);
            return;
        }
        this.#pointers.set(event.pointerId, place);
        const press = this.#press;
        if (press && Math.hypot(place.x - press.place.x, place.y - press.place.y) > (trembling[press.kind] ?? 3)) {
            clearTimeout(press.timer);
            this.#press = null;
            this.#stroke = this.#strokeOf(press);
        }
        if (!this.#stroke) return;
        this.#moved = event;
        this.#board.drawing.request();
    }

    /** Handles the latest positions of the pointers: once per frame, however many events arrive. */
    #catchUp() {
        const event = this.#moved;
        if (!event || !this.#stroke) return;
        this.#moved = null;
        const places = Array.from(this.#pointers.values());
        if (!this.#stroke.pinch) this.#stroke.move(places[0], event);
        else if (places.length >= 2) this.#stroke.pinch(places[0], places[1]);
    }

    #strokeOf({ place, kind, corner, emoji, isPanning, isAdding }) {
        const board = this.#board;
        if (isPanning) return panning(board, place);
        if (corner) return resizing(board, corner, place);
        if (emoji) {
            return dragging(board, board.selection.has(emoji.id) ? board.selection.emojis : [emoji], place);
        }
        const isMarquee = kind !== "touch" || board.viewing.isChoosingArea;
        return isMarquee ? marquee(board, place, isAdding) : panning(board, place);
    }

    #pinch() {
        // Cancel the first finger's stroke: it was the beginning of a pinch.
        this.#moved = null;
        this.#stroke?.cancel();
        clearTimeout(this.#press?.timer);
        this.#press = null;
        const [one, other] = this.#pointers.values();
        const kind = this.#board.selection.size ? pinchingChosen : pinchingView;
        this.#stroke = kind(this.#board, one, other);
    }

    #up(event) {
        if (!this.#pointers.has(event.pointerId)) return;
        this.#pointers.set(event.pointerId, this.#place(event));
        if (this.#press) this.#tap(this.#press, event);
        if (this.#stroke) {
            this.#moved ??= event;
            this.#catchUp();
            this.#stroke.end();
        }
        // The pinch ends with the first finger: the other one is ignored when it is lifted.
        this.#pointers.clear();
        this.#rest();
    }

    // --- Taps.

    #tap({ place, kind, corner, emoji, isPanning, isAdding }, event) {
        const { selection } = this.#board;
        if (corner || isPanning) return;
        if (emoji) {
            this.#lastTap = null;
            selection.goTo(null);
            // A finger has no shift key: each tap adds to the selection, as in the course.
            if (kind === "touch" || isAdding || selection.has(emoji.id)) selection.toggle(emoji.id);
            else selection.set([emoji.id]);
            return;
        }
        const last = this.#lastTap;
        const isDouble = last && event.timeStamp - last.time < doubleTap.time
            && Math.hypot(place.x - last.place.x, place.y - last.place.y) < doubleTap.distance;
        this.#lastTap = isDouble ? null : { place, time: event.timeStamp };
        if (isDouble) this.#board.run("fit");
        else if (!isAdding) {
            selection.clear();
            selection.goTo(null);
        }
    }

    #menu(event) {
        event.preventDefault();
        // A long press of a finger draws a rectangle instead.
        if (event.pointerType === "touch" || this.#board.isGone) return;
        const { camera, selection, stage, bars } = this.#board;
        if (!event.pointerType) {
            // From the keyboard: the menu of the selection, or of the emoji at the keyboard's cursor.
            const box = selection.box(selection.targets);
            const { left, top } = stage.getBoundingClientRect();
            const { x, y } = box ? camera.toPage({ x: box.right, y: box.bottom }) : { x: 8, y: 8 };
            this.cancel();
            bars.showMenuAt(left + x, top + y);
            return;
        }
        const place = this.#place(event);
        const emoji = selection.hit(camera.toBoard(place), missing.mouse / camera.zoom);
        if (emoji && !selection.has(emoji.id)) selection.set([emoji.id]);
        this.cancel();
        bars.showMenuAt(event.clientX, event.clientY);
    }

    #hover(place) {
        const { camera, drawing, selection, stage } = this.#board;
        if (this.#board.viewing.isPanning) return;
        const corner = cornerAt(drawing.corners(), place, handleReach.mouse);
        const emoji = corner ? null : selection.hit(camera.toBoard(place), 0);
        const cursor = corner ? (corner.dx === corner.dy ? "nwse" : "nesw") : emoji ? "pointer" : "";
        if (stage.dataset.cursor !== cursor) stage.dataset.cursor = cursor;
    }

    #place({ clientX, clientY }) {
        const { left, top } = this.#board.stage.getBoundingClientRect();
        return { x: clientX - left, y: clientY - top };
    }
}

/** The corner at a place. Within the frame, handles reach at most a quarter of its size, to leave room for dragging. */
function cornerAt(corners, place, reach) {
    if (!corners.length) return null;
    const [first, last] = [corners[0], corners[corners.length - 1]];
    const isWithin = place.x > first.x && place.x < last.x && place.y > first.y && place.y < last.y;
    return nearest(corners, place, isWithin ? Math.min(reach, (last.x - first.x) / 4, (last.y - first.y) / 4) : reach);
}

function nearest(corners, place, reach) {
    let [found, least] = [null, reach];
    for (const corner of corners) {
        const distance = Math.hypot(corner.x - place.x, corner.y - place.y);
        if (distance < least) [found, least] = [corner, distance];
    }
    return found;
}
