// Handles the wheel and the trackpad: they move the view, and zoom at the cursor with Ctrl or ⌘, or by pinching.

/** The maximum step for zooming: a wheel's steps are much larger than those of two fingers. */
const largestStep = 24;
/** The height of a line in pixels, for wheels that report lines. */
const line = 16;

export function wheel({ stage, camera, gestures, model }) {
    const zoom = (event, factor) => {
        const { x, y } = gestures.positionOf(event);
        model.zoomView(factor, x, y);
    };
    stage.addEventListener("wheel", (event) => {
        event.preventDefault();
        const unit = [1, line, camera.size.height][event.deltaMode];
        let [x, y] = [event.deltaX * unit, event.deltaY * unit];
        if (event.ctrlKey || event.metaKey) {
            zoom(event, Math.exp(-Math.min(Math.max(y, -largestStep), largestStep) / 100));
            return;
        }
        // With Shift, some browsers swap the axes themselves.
        if (event.shiftKey && x === 0) [x, y] = [y, 0];
        model.moveView(-x, -y);
    }, { passive: false });
    // Safari reports pinches on a trackpad with its own gesture events.
    let before = 1;
    const pinch = (event) => {
        event.preventDefault();
        if (gestures.isActive) return;
        zoom(event, event.scale / before);
        before = event.scale;
    };
    stage.addEventListener("gesturestart", (event) => {
        event.preventDefault();
        before = 1;
    });
    stage.addEventListener("gesturechange", pinch);
}
