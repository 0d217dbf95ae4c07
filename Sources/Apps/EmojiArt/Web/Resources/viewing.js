// The view of a board: restored when the tab opens the board again, moved by the wheel and the trackpad, and zoomed at
// the cursor with Ctrl or ⌘, or by pinching.

import { withStorage } from "../site/storage.js";

/** The maximum step for zooming: a wheel's steps are much larger than those of two fingers. */
const largestStep = 24;
/** The height of a line in pixels, for wheels that report lines. */
const line = 16;

/** Restores the tab's last view, or shows everything. Stores the view when the browser leaves the page. */
export function restoreView({ id, camera, model }) {
    const key = `art-view-${id}`;
    model.openView(withStorage(() => {
        const { zoom, pan } = JSON.parse(sessionStorage.getItem(key));
        const view = [zoom, pan.x, pan.y];
        return view.every(Number.isFinite) && zoom > 0 ? view : null;
    }));
    window.addEventListener("pagehide", () => {
        const { zoom, pan } = camera;
        withStorage(() => sessionStorage.setItem(key, JSON.stringify({ zoom, pan })));
    });
}

/** Moves and zooms the view by the wheel and the trackpad. */
export function handleWheel({ stage, camera, gestures, model }) {
    const zoom = (event, factor) => model.zoomView(factor, ...gestures.positionOf(event));
    stage.addEventListener("wheel", (event) => {
        event.preventDefault();
        const unit = [1, line, camera.size.height][event.deltaMode];
        const [x, y] = [event.deltaX * unit, event.deltaY * unit];
        if (event.ctrlKey || event.metaKey) {
            zoom(event, Math.exp(-Math.min(Math.max(y, -largestStep), largestStep) / 100));
        } else if (event.shiftKey && x === 0) {
            // With Shift, some browsers swap the axes themselves.
            model.moveView(-y, 0);
        } else {
            model.moveView(-x, -y);
        }
    }, { passive: false });
    // Safari reports pinches on a trackpad with its own gesture events.
    let before = 1;
    stage.addEventListener("gesturestart", (event) => {
        event.preventDefault();
        before = 1;
    });
    stage.addEventListener("gesturechange", (event) => {
        event.preventDefault();
        if (gestures.isActive) return;
        zoom(event, event.scale / before);
        before = event.scale;
    });
}
