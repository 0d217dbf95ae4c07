// The camera of a board, which shows the model's view, and its animations. Each tab has its own view, which isn't
// stored with the board.
//
// As in the course CS193p, the board's origin is in the middle of the view, moved by `pan` (CSS pixels, y downwards).
// Lengths on the board are in points: one point is shown as `zoom` pixels.

/** The duration of an animated change of the view, in milliseconds. */
const duration = 260;

export class Camera {
    zoom = 1;
    /** The zoom as text. */
    percent = "";
    pan = { x: 0, y: 0 };
    size = { width: 0, height: 0 };
    /** The token of the current animation; null if there is none. Replacing it ends the animation. */
    animation = null;
    #model;

    /** - model: The functions of the board's model. */
    constructor(model) {
        this.#model = model;
        const query = matchMedia("(prefers-reduced-motion: reduce)");
        const update = () => model.setReducedMotion(query.matches);
        query.addEventListener("change", update);
        update();
    }

    /** The position of the board's origin on the page, relative to the canvas's upper left corner. */
    get origin() {
        return { x: this.size.width / 2 + this.pan.x, y: this.size.height / 2 + this.pan.y };
    }

    resize(width, height) {
        this.size = { width, height };
        this.#model.resize(width, height);
    }

    /** Applies the model's effects on the view: a view to show, a view to animate to, or neither. */
    update({ view, percent, target }) {
        if (view) {
            this.animation = null;
            const [zoom, x, y] = view;
            Object.assign(this, { zoom, pan: { x, y }, percent });
        }
        if (target) this.#animate(target);
    }

    #animate([zoom, x, y]) {
        const animation = {};
        this.animation = animation;
        const from = { zoom: this.zoom, pan: this.pan };
        const isZoomChanged = Math.abs(1 - from.zoom / zoom) > 1e-9;
        let start = null;
        const step = (now) => {
            if (this.animation !== animation) return;
            start ??= now;
            const progress = Math.min(1, (now - start) / duration);
            if (progress === 1) {
                this.animation = null;
                this.#model.setView(zoom, x, y);
                return;
            }
            const eased = 1 - (1 - progress) ** 3;
            const between = from.zoom * (zoom / from.zoom) ** eased;
            // While the zoom changes, `pan` is linear in it, so that one point of the board stays in the same place on
            // the page.
            const part = isZoomChanged ? (between - from.zoom) / (zoom - from.zoom) : eased;
            this.#model.setView(between, from.pan.x + (x - from.pan.x) * part, from.pan.y + (y - from.pan.y) * part);
            // Only changes of the view by others end the animation.
            this.animation = animation;
            requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
    }
}
