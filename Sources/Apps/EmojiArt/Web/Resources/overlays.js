// The elements that float over a board: the hint on an empty board, the bar of the selection, the zoom, and the button
// back to the content.

import { post, request } from "./requests.js";
import { countSelected } from "./words.js";

export class Overlays {
    #board;
    #invitation = document.getElementById("invitation");
    #selectionBar = document.getElementById("chosen");
    #count = document.getElementById("chosen-count");
    #zoom = document.querySelector("[data-command=actualSize]");
    #back = document.getElementById("back-to-content");
    #savingDetail = document.getElementById("saving-detail");
    /** The other elements that the selection's bar must not cover. */
    #obstacles = document.querySelectorAll("#background-problem, #back-to-content, [data-bar=tools], [data-bar=view]");

    constructor(board) {
        this.#board = board;
        this.#back.addEventListener("click", () => board.run("content"));
        document.getElementById("restore").addEventListener("click", () => this.#restore());
    }

    refresh() {
        const { backdrop, camera, drawing, model, selection, sync, isGone } = this.#board;
        const hasContent = sync.art.emojis.size > 0 || backdrop.shown !== null;
        this.#invitation.hidden = hasContent || isGone || sync.picture.state === "fetching";
        const hadFocus = this.#selectionBar.contains(document.activeElement);
        // Like the handles, the bar is hidden during a drag, which it would cover.
        this.#selectionBar.hidden = sync.availability.targets === 0 || drawing.isDragging || isGone;
        // A hidden button loses the focus, and the Tab key would start again at the top of the page.
        if (hadFocus && this.#selectionBar.hidden) this.#board.stage.focus({ preventScroll: true });
        this.#count.hidden = selection.size < 2;
        this.#count.textContent = countSelected({ count: selection.size });
        this.#zoom.textContent = camera.percent;
        this.#back.hidden = !hasContent || isGone || model.isContentVisible();
        if (!this.#selectionBar.hidden) this.#placeSelectionBar();
    }

    /** Places the selection's bar where the model wants it. */
    #placeSelectionBar() {
        const { model, stage } = this.#board;
        const { offsetWidth: width, offsetHeight: height, style } = this.#selectionBar;
        const { left: x, top: y } = stage.getBoundingClientRect();
        // A hidden element has no area, and so covers nothing.
        const obstacles = Array.from(this.#obstacles, (element) => {
            const { left, right, top, bottom } = element.getBoundingClientRect();
            return [left - x, top - y, right - x, bottom - y];
        });
        const place = model.barPlace(width, height, this.#savingDetail.offsetHeight, obstacles);
        if (place) [style.left, style.top] = place.map((length) => `${length}px`);
    }

    /** Shows that the board was deleted: only restoring it is possible. */
    showGone() {
        const { id, stage, sync } = this.#board;
        document.getElementById("gone").hidden = false;
        for (const element of [stage, document.getElementById("palette")]) element.inert = true;
        document.getElementById("restore").focus();
        // Another tab or person may restore the board. A response sent before the deletion sets "saved" too, so check.
        sync.addEventListener("status", () => {
            if (sync.status !== "saved") return;
            request(`/art/boards/${id}/state`).then(() => location.reload(), () => {});
        });
    }

    async #restore() {
        const { id, toasts } = this.#board;
        try {
            // The board may already have been restored, which makes the request fail.
            await post(`/art/boards/${id}/restore`)
                .catch((error) => request(`/art/boards/${id}/state`).catch(() => Promise.reject(error)));
            location.reload();
        } catch (error) {
            toasts.alert(error.message);
        }
    }
}
