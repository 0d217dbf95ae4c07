// Drags an emoji from the palette onto the board. Uses pointer events, which also work for fingers and pens.

/** The distance after which a press becomes a drag, in pixels. */
const dragThreshold = 6;

/**
 * Drags emoji onto a board from the buttons in `strip`, which get no click for the end of a drag.
 *
 * @returns {() => boolean} A function that cancels the drag, and returns whether there was one.
 */
export function dragEmoji(board, strip) {
    const { stage, camera, model } = board;
    /** The emoji at the pointer, which is hidden unless one is dragged. */
    const ghost = document.getElementById("ghost");
    /** The current press: {emoji, id, x, y}. */
    let press = null;
    /** Whether an emoji was dragged since the last press. */
    let hasDragged = false;

    const cancel = () => {
        const wasDragging = !ghost.hidden;
        press = null;
        ghost.hidden = true;
        stage.classList.remove("is-target");
        return wasDragging;
    };

    /** The pointer's position on the stage, [x, y]; null outside it. */
    const positionOf = ({ clientX, clientY }) => {
        const { left, top, width, height } = stage.getBoundingClientRect();
        const [x, y] = [clientX - left, clientY - top];
        return x > 0 && x < width && y > 0 && y < height ? [x, y] : null;
    };

    strip.addEventListener("pointerdown", (event) => {
        const button = event.target.closest("[data-emoji]");
        hasDragged = false;
        if (!button || event.button !== 0 || !event.isPrimary) return;
        const { clientX: x, clientY: y, pointerId: id } = event;
        button.setPointerCapture(id);
        press = { emoji: button.dataset.emoji, id, x, y };
    });

    strip.addEventListener("pointermove", (event) => {
        const { clientX: x, clientY: y, pointerId } = event;
        if (press?.id !== pointerId) return;
        if (ghost.hidden) {
            if (Math.hypot(x - press.x, y - press.y) < dragThreshold) return;
            hasDragged = true;
            // As large as it will be on the board.
            ghost.style.fontSize = `${model.newEmojiSize() * camera.zoom}px`;
            ghost.textContent = press.emoji;
            ghost.hidden = false;
        }
        ghost.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`;
        stage.classList.toggle("is-target", positionOf(event) !== null);
    });

    strip.addEventListener("pointerup", (event) => {
        if (press?.id !== event.pointerId) return;
        const { emoji } = press;
        const position = cancel() ? positionOf(event) : null;
        if (position) board.add([emoji], model.boardPoint(position));
    });

    strip.addEventListener("click", (event) => {
        // A click from the keyboard has no `detail` and never ends a drag.
        if (hasDragged && event.detail > 0) event.stopPropagation();
        hasDragged = false;
    }, true);

    // If a finger moves along the strip, the browser cancels the pointer and scrolls.
    strip.addEventListener("pointercancel", cancel);
    window.addEventListener("blur", cancel);
    return cancel;
}
