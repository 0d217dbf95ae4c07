// From where a board is looked at. The view is each tab's own: it is not kept with the board.
//
// As in the course, the board's origin is in the middle of the view, moved by `pan` (pixels of the page, y downwards),
// and a point is `zoom` pixels long.

/** How far one can go away, and how near. */
const smallest = 1e-5;
const largest = 400;

/** How long the way to another view takes, in milliseconds. */
const duration = 260;

const clamped = (zoom) => Math.min(Math.max(zoom, smallest), largest);

export class Camera {
    zoom = 1;
    pan = { x: 0, y: 0 };
    size = { width: 0, height: 0 };
    #onChange;
    /** What tells the end of the way that is under way. */
    #going = null;

    /** - onChange: Called after each change. */
    constructor(onChange) {
        this.#onChange = onChange;
    }

    /** Whether it is on the way to another view by itself. */
    get isMoving() {
        return this.#going !== null;
    }

    /** Where the board's origin is on the page, from the canvas's upper left corner. */
    get origin() {
        return { x: this.size.width / 2 + this.pan.x, y: this.size.height / 2 + this.pan.y };
    }

    /** How large everything is shown, as a person reads it. */
    get percent() {
        const percent = this.zoom * 100;
        return `${percent < 1 ? percent.toPrecision(1) : Math.round(percent)} %`;
    }

    toPage({ x, y }) {
        const { origin, zoom } = this;
        return { x: origin.x + x * zoom, y: origin.y - y * zoom };
    }

    toBoard({ x, y }) {
        const { origin, zoom } = this;
        return { x: (x - origin.x) / zoom, y: (origin.y - y) / zoom };
    }

    /** What is seen of the board. */
    get view() {
        const upper = this.toBoard({ x: 0, y: 0 });
        const lower = this.toBoard({ x: this.size.width, y: this.size.height });
        return { left: upper.x, right: lower.x, bottom: lower.y, top: upper.y };
    }

    /** The middle of what is seen. */
    get middle() {
        return this.toBoard({ x: this.size.width / 2, y: this.size.height / 2 });
    }

    resize(width, height) {
        this.size = { width, height };
        this.#onChange();
    }

    moveBy(dx, dy) {
        this.#set(this.zoom, { x: this.pan.x + dx, y: this.pan.y + dy });
    }

    /** Makes everything larger by a factor, and leaves what is at that place of the page where it is. */
    zoomAt(place, factor) {
        this.#set(clamped(this.zoom * factor), this.pan, place);
    }

    /** What two fingers do: what was below the one place is below the other one now, and larger by a factor. */
    pinch(from, to, factor) {
        this.zoomAt(from, factor);
        this.moveBy(to.x - from.x, to.y - from.y);
    }

    /**
     * The view that shows a box whole: the course's formula, with room around it.
     *
     * - nearest: A zoom that it does not go beyond: few things far too large are no overview.
     * - Returns: null where the box or the view has no area.
     */
    fitting(box, nearest = 4) {
        const { width, height } = this.size;
        if (!box || width <= 0 || height <= 0) return null;
        const [wide, high] = [box.right - box.left, box.top - box.bottom];
        if (!(wide > 0 && high > 0)) return null;
        const room = Math.min(56, width / 8, height / 8);
        const fit = Math.min((width - 2 * room) / wide, (height - 2 * room) / high);
        const zoom = clamped(Math.min(fit, nearest));
        return { zoom, pan: { x: (-(box.left + box.right) / 2) * zoom, y: ((box.bottom + box.top) / 2) * zoom } };
    }

    /** The view at a zoom, with the same in the middle. */
    at(zoom) {
        const factor = clamped(zoom) / this.zoom;
        return { zoom: clamped(zoom), pan: { x: this.pan.x * factor, y: this.pan.y * factor } };
    }

    /** Goes to a view, at once or on the way that the eye can follow. */
    show(target, { isAnimated = true } = {}) {
        if (!target) return;
        if (!isAnimated || matchMedia("(prefers-reduced-motion: reduce)").matches) {
            this.#set(target.zoom, target.pan);
            return;
        }
        const going = {};
        this.#going = going;
        const from = { zoom: this.zoom, x: -this.pan.x / this.zoom, y: this.pan.y / this.zoom };
        const to = { zoom: target.zoom, x: -target.pan.x / target.zoom, y: target.pan.y / target.zoom };
        let start = null;
        const step = (now) => {
            if (this.#going !== going) return;
            start ??= now;
            const part = Math.min(1, (now - start) / duration);
            const eased = 1 - (1 - part) ** 3;
            const zoom = from.zoom * (to.zoom / from.zoom) ** eased;
            // While the zoom changes, what stays in its place is one point of the page, not the middle.
            const changes = Math.abs(1 / from.zoom - 1 / to.zoom) > 1e-9 / from.zoom;
            const way = changes ? (1 / from.zoom - 1 / zoom) / (1 / from.zoom - 1 / to.zoom) : eased;
            const [x, y] = [from.x + (to.x - from.x) * way, from.y + (to.y - from.y) * way];
            if (part === 1) this.#set(target.zoom, target.pan);
            else this.#change(zoom, { x: -x * zoom, y: y * zoom });
            if (part < 1) requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
    }

    /** Moves the view so far that a box is in it, if it is not. */
    reveal(box, room = 24) {
        const upper = this.toPage({ x: box.left, y: box.top });
        const lower = this.toPage({ x: box.right, y: box.bottom });
        const way = (from, to, length) =>
            from < room ? room - from : to > length - room ? Math.max(length - room - to, room - from) : 0;
        const [dx, dy] = [way(upper.x, lower.x, this.size.width), way(upper.y, lower.y, this.size.height)];
        if (dx || dy) this.show({ zoom: this.zoom, pan: { x: this.pan.x + dx, y: this.pan.y + dy } });
    }

    /** What a tab keeps of it. */
    toJSON() {
        return { zoom: this.zoom, pan: this.pan };
    }

    /** Whether it was made so by what a tab kept. */
    restore(kept) {
        const numbers = [kept?.zoom, kept?.pan?.x, kept?.pan?.y];
        if (!numbers.every(Number.isFinite) || kept.zoom <= 0) return false;
        this.#set(clamped(kept.zoom), { x: kept.pan.x, y: kept.pan.y });
        return true;
    }

    /** A change by hand ends the way that is under way. */
    #set(zoom, pan, place = null) {
        this.#going = null;
        if (place) {
            const factor = zoom / this.zoom;
            const { x, y } = this.origin;
            pan = {
                x: pan.x + (x - place.x) * (factor - 1),
                y: pan.y + (y - place.y) * (factor - 1),
            };
        }
        this.#change(zoom, pan);
    }

    #change(zoom, pan) {
        this.zoom = zoom;
        this.pan = pan;
        this.#onChange();
    }
}
