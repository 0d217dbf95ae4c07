// What a pointer can do once it moves. Each is {move(place, event), end(), cancel()}, with places in pixels of the
// stage; `cancel` leaves everything as it was before.

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
    const gesture = sync.gesture("Move", emojis);
    stage.dataset.cursor = "grabbing";
    drawing.isDragging = true;
    return {
        move(place) {
            const to = camera.toBoard(place);
            gesture.move(to.x - from.x, to.y - from.y);
        },
        ...ending(drawing, gesture),
    };
}

/** Makes what is chosen larger or smaller by a corner: the opposite one stays, or the middle with Alt. */
export function resizing({ camera, drawing, selection, sync, stage }, corner, start) {
    const emojis = selection.emojis;
    const box = selection.box(emojis);
    const held = { x: corner.dx ? box.right : box.left, y: corner.dy ? box.bottom : box.top };
    const opposite = { x: corner.dx ? box.left : box.right, y: corner.dy ? box.top : box.bottom };
    const middle = { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2 };
    const from = camera.toBoard(start);
    const gesture = sync.gesture("Resize", emojis);
    stage.dataset.cursor = corner.dx === corner.dy ? "nwse" : "nesw";
    drawing.isDragging = drawing.isResizing = true;
    return {
        move(place, { altKey }) {
            const to = camera.toBoard(place);
            const still = altKey ? middle : opposite;
            const [dx, dy] = [held.x - still.x, held.y - still.y];
            // How far along the diagonal the corner would be.
            const along = (held.x + to.x - from.x - still.x) * dx + (held.y + to.y - from.y - still.y) * dy;
            const factor = Math.max(along / (dx * dx + dy * dy), 1e-6);
            gesture.scale(factor, still);
        },
        ...ending(drawing, gesture),
    };
}

/** Makes what is chosen larger or smaller by two fingers, with its middle where it is. */
export function pinchingChosen({ drawing, selection, sync }, one, other) {
    const emojis = selection.emojis;
    const box = selection.box(emojis);
    const middle = { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2 };
    const apart = distance(one, other);
    const gesture = sync.gesture("Resize", emojis);
    drawing.isDragging = drawing.isResizing = true;
    return {
        pinch(one, other) {
            gesture.scale(distance(one, other) / apart, middle);
        },
        ...ending(drawing, gesture),
    };
}

/** Moves the view, and makes it larger or smaller, by two fingers. */
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

/** Chooses what a rectangle touches, or that too. */
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

/** Two fingers are never at one place: a factor stays a number. */
function distance(one, other) {
    return Math.max(Math.hypot(one.x - other.x, one.y - other.y), 1);
}

function between(one, other) {
    return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}
