// The elements that float over a board: the hint on an empty board, the bar of the selection, the zoom, and the button
// back to the content.

import { post, request } from "./requests.js";
import { countSelected } from "./words.js";

/** The free space around a handle of the selection, in pixels: about the reach of a finger. */
const handleRoom = 16;
/** The distance of the selection's bar from the board's edges, in pixels. */
const edgeDistance = 10;

export class Overlays {
    #board;
    #invitation = document.getElementById("invitation");
    #selectionBar = document.getElementById("chosen");
    #count = document.getElementById("chosen-count");
    #zoom = document.querySelector("[data-command=actualSize]");
    #back = document.getElementById("back-to-content");
    #goneNotice = document.getElementById("gone");
    #savingDetail = document.getElementById("saving-detail");
    /** The other elements that the selection's bar must not cover. */
    #obstacles = ["background-problem", "back-to-content"].map((id) => document.getElementById(id))
        .concat(Array.from(document.querySelectorAll("[data-bar=tools], [data-bar=view]")));

    constructor(board) {
        this.#board = board;
        this.#back.addEventListener("click", () => board.run("content"));
        document.getElementById("restore").addEventListener("click", () => this.#restore());
    }

    refresh() {
        const { backdrop, camera, drawing, selection, sync, viewing, isGone } = this.#board;
        const hasContent = sync.art.emojis.size > 0 || backdrop.shown !== null;
        this.#invitation.hidden = hasContent || isGone || sync.picture.state === "fetching";
        const hadFocus = this.#selectionBar.contains(document.activeElement);
        // Like the handles, the bar is hidden during a drag, which it would cover.
        this.#selectionBar.hidden = selection.targets.length === 0 || drawing.isDragging || isGone;
        // A hidden button loses the focus, and the Tab key would start again at the top of the page.
        if (hadFocus && this.#selectionBar.hidden) this.#board.stage.focus({ preventScroll: true });
        this.#count.hidden = selection.size < 2;
        this.#count.textContent = countSelected({ count: selection.size });
        this.#zoom.textContent = camera.percent;
        this.#back.hidden = !hasContent || isGone || viewing.isContentSeen;
        this.#placeSelectionBar();
    }

    /**
     * Places the selection's bar where it covers no other control: above the selection, below it, or else at an edge.
     * It prefers the side where it doesn't cover the middle of another emoji, so that the emoji can be tapped.
     */
    #placeSelectionBar() {
        const bar = this.#selectionBar;
        if (bar.hidden) return;
        const { camera, drawing, selection, stage } = this.#board;
        const frame = drawing.rectangle(selection.box(selection.targets), 4);
        const handle = drawing.rotationHandle();
        const [width, height] = [bar.offsetWidth, bar.offsetHeight];
        const minimumTop = edgeDistance + this.#savingDetail.offsetHeight;
        const maximumTop = camera.size.height - height - edgeDistance;
        const maximumLeft = camera.size.width - width - edgeDistance;
        const left = Math.max(edgeDistance, Math.min(frame.x + (frame.width - width) / 2, maximumLeft));
        const above = (handle && !handle.isBelow ? handle.y : frame.y) - handleRoom - height;
        const below = (handle?.isBelow ? handle.y : frame.y + frame.height) + handleRoom;
        const obstacles = this.#obstacleBoxes(stage.getBoundingClientRect());
        const isFree = (top) => top >= minimumTop && top <= maximumTop && !obstacles.some((box) =>
            box.left < left + width && box.right > left && box.top < top + height && box.bottom > top);
        const isClear = (top) => !this.#coversEmoji({ left, right: left + width, top, bottom: top + height });
        const sides = [above, below].filter(isFree);
        bar.style.left = `${left}px`;
        bar.style.top = `${sides.find(isClear) ?? sides[0] ?? [minimumTop, maximumTop].find(isFree) ?? minimumTop}px`;
    }

    /** Whether a rectangle of the page covers the middle of an emoji that isn't selected. */
    #coversEmoji({ left, right, top, bottom }) {
        const { camera, selection, sync } = this.#board;
        for (const emoji of sync.art.emojis.values()) {
            const { x, y } = camera.toPage(emoji);
            if (x > left && x < right && y > top && y < bottom && !selection.has(emoji.id)) return true;
        }
        return false;
    }

    /** The rectangles that the selection's bar must not cover: of handles, and of other elements over the board. */
    #obstacleBoxes(stage) {
        const { drawing } = this.#board;
        const handles = [...drawing.corners(), drawing.rotationHandle()].filter(Boolean).map(({ x, y }) => ({
            left: x - handleRoom, right: x + handleRoom, top: y - handleRoom, bottom: y + handleRoom,
        }));
        // A hidden element has no area, and so covers nothing.
        const elements = this.#obstacles.map((element) => {
            const { left, right, top, bottom } = element.getBoundingClientRect();
            return {
                left: left - stage.left, right: right - stage.left, top: top - stage.top, bottom: bottom - stage.top,
            };
        });
        return [...handles, ...elements];
    }

    /** Shows that the board was deleted: only restoring it is possible. */
    showGone() {
        const { stage, sync } = this.#board;
        this.#goneNotice.hidden = false;
        stage.inert = true;
        document.getElementById("palette").inert = true;
        document.getElementById("restore").focus();
        // Another tab or person may restore the board. A response sent before the deletion sets "saved" too, so check.
        sync.addEventListener("status", () => {
            if (sync.status !== "saved") return;
            request(`/art/boards/${this.#board.id}/state`).then(() => location.reload(), () => {});
        });
    }

    async #restore() {
        const address = `/art/boards/${this.#board.id}`;
        try {
            // The board may already have been restored, which makes the request fail.
            await post(`${address}/restore`).catch(async (error) => {
                await request(`${address}/state`).catch(() => Promise.reject(error));
            });
            location.reload();
        } catch (error) {
            this.#board.toasts.alert(error.message);
        }
    }
}
