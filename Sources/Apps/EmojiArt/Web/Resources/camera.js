// The camera of a board. Each tab has its own view, which isn't stored with the board.
//
// As in the course CS193p, the board's origin is in the middle of the view, moved by `pan` (CSS pixels, y downwards).
// Lengths on the board are in points: one point is shown as `zoom` pixels.

/** The limits of the zoom. */
const minimumZoom = 1e-5;
const maximumZoom = 400;

/** The duration of an animated change of the view, in milliseconds. */
const duration = 260;

const clamped = (zoom) => Math.min(Math.max(zoom, minimumZoom), maximumZoom);

export class Camera {
    zoom = 1;
    pan = { x: 0, y: 0 };
    size = { width: 0, height: 0 };
    #onChange;
    /** The token of the current animation; null if there is none. Replacing it ends the animation. */
    #animation = null;

    /** - onChange: Called after each change. */
    constructor(onChange) {
        this.#onChange = onChange;
    }

    /** Whether an animation is running. */
    get isMoving() {
        return this.#animation !== null;
    }

    /** The position of the board's origin on the page, relative to the canvas's upper left corner. */
    get origin() {
        return { x: this.size.width / 2 + this.pan.x, y: this.size.height / 2 + this.pan.y };
    }

    /** The zoom as text. */
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

    /** The visible box of the board. */
    get view() {
        const upper = this.toBoard({ x: 0, y: 0 });
        const lower = this.toBoard({ x: this.size.width, y: this.size.height });
        return { left: upper.x, right: lower.x, bottom: lower.y, top: upper.y };
    }

    /** The middle of the view, on the board. */
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

    /** Zooms by a factor around a position of the page, which stays fixed. */
    zoomAt(position, factor) {
        this.#set(clamped(this.zoom * factor), this.pan, position);
    }

    /** Zooms and moves for two fingers: the point at `from` moves to `to`, and everything is scaled by a factor. */
    pinch(from, to, factor) {
        this.zoomAt(from, factor);
        this.moveBy(to.x - from.x, to.y - from.y);
    }

    /**
     * The view that fits a box, with a margin: the course's formula.
     *
     * - zoomLimit: The maximum zoom, so that a few small emoji don't fill the view.
     * - Returns: null if the box or the view has no area.
     */
    fitting(box, zoomLimit = 4) {
        const { width, height } = this.size;
        if (!box || width <= 0 || height <= 0) return null;
        const [boxWidth, boxHeight] = [box.right - box.left, box.top - box.bottom];
        if (!(boxWidth > 0 && boxHeight > 0)) return null;
        const margin = Math.min(56, width / 8, height / 8);
        const fit = Math.min((width - 2 * margin) / boxWidth, (height - 2 * margin) / boxHeight);
        const zoom = clamped(Math.min(fit, zoomLimit));
        return { zoom, pan: { x: (-(box.left + box.right) / 2) * zoom, y: ((box.bottom + box.top) / 2) * zoom } };
    }

    /** The view at a zoom, with the same point in the middle. */
    at(zoom) {
        const factor = clamped(zoom) / this.zoom;
        return { zoom: clamped(zoom), pan: { x: this.pan.x * factor, y: this.pan.y * factor } };
    }

    /** Shows a view, with an animation unless it is switched off or the person prefers reduced motion. */
    show(target, { isAnimated = true } = {}) {
        if (!target) return;
        if (!isAnimated || matchMedia("(prefers-reduced-motion: reduce)").matches) {
            this.#set(target.zoom, target.pan);
            return;
        }
        const animation = {};
        this.#animation = animation;
        const from = { zoom: this.zoom, x: -this.pan.x / this.zoom, y: this.pan.y / this.zoom };
        const to = { zoom: target.zoom, x: -target.pan.x / target.zoom, y: target.pan.y / target.zoom };
        let start = null;
        const step = (now) => {
            if (this.#animation !== animation) return;
            start ??= now;
            const progress = Math.min(1, (now - start) / duration);
            const eased = 1 - (1 - progress) ** 3;
            const zoom = from.zoom * (to.zoom / from.zoom) ** eased;
            // While the zoom changes, the middle of the view moves linearly in 1 / zoom, so that one point of the board
            // stays in the same place on the page.
            const isZoomChanged = Math.abs(1 / from.zoom - 1 / to.zoom) > 1e-9 / from.zoom;
            const fraction = isZoomChanged ? (1 / from.zoom - 1 / zoom) / (1 / from.zoom - 1 / to.zoom) : eased;
            const [x, y] = [from.x + (to.x - from.x) * fraction, from.y + (to.y - from.y) * fraction];
            if (progress === 1) this.#set(target.zoom, target.pan);
            else this.#change(zoom, { x: -x * zoom, y: y * zoom });
            if (progress < 1) requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
    }

    /** Moves the view just far enough to show a box. */
    reveal(box, margin = 24) {
        const upper = this.toPage({ x: box.left, y: box.top });
        const lower = this.toPage({ x: box.right, y: box.bottom });
        const offset = (from, to, length) =>
            from < margin ? margin - from : to > length - margin ? Math.max(length - margin - to, margin - from) : 0;
        const [dx, dy] = [offset(upper.x, lower.x, this.size.width), offset(upper.y, lower.y, this.size.height)];
        if (dx || dy) this.show({ zoom: this.zoom, pan: { x: this.pan.x + dx, y: this.pan.y + dy } });
    }

    /** The view, for the tab's session storage. */
    toJSON() {
        return { zoom: this.zoom, pan: this.pan };
    }

    /** Restores a stored view. Returns false if it is invalid. */
    restore(stored) {
        const numbers = [stored?.zoom, stored?.pan?.x, stored?.pan?.y];
        if (!numbers.every(Number.isFinite) || stored.zoom <= 0) return false;
        this.#set(clamped(stored.zoom), { x: stored.pan.x, y: stored.pan.y });
        return true;
    }

    /** Sets the view and ends any animation. */
    #set(zoom, pan, position = null) {
        this.#animation = null;
        if (position) {
            const factor = zoom / this.zoom;
            const { x, y } = this.origin;
            pan = {
                x: pan.x + (x - position.x) * (factor - 1),
                y: pan.y + (y - position.y) * (factor - 1),
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
