// What floats over a board: the hint on an empty one, the selection's bar, the zoom, and the button back to content.

import { post, request } from "./requests.js";

/** The free space around a handle of the selection, in pixels: its reach for a finger, about. */
const handleRoom = 16;

export class Surroundings {
    #board;
    #invitation = document.getElementById("invitation");
    #chosen = document.getElementById("chosen");
    #count = document.getElementById("chosen-count");
    #zoom = document.querySelector("[data-command=actualSize]");
    #back = document.getElementById("back-to-content");
    #gone = document.getElementById("gone");

    constructor(board) {
        this.#board = board;
        this.#back.addEventListener("click", () => board.run("content"));
        document.getElementById("restore").addEventListener("click", () => this.#restore());
    }

    refresh() {
        const { backdrop, camera, model, selection, sync, isGone } = this.#board;
        const isEmpty = sync.art.emojis.size === 0 && !backdrop.shown && sync.picture.state !== "fetching";
        this.#invitation.hidden = !isEmpty || isGone;
        this.#chosen.hidden = selection.targets.length === 0 || isGone;
        this.#count.hidden = selection.size < 2;
        this.#count.textContent = `${selection.size} selected`;
        this.#zoom.textContent = camera.percent;
        this.#back.hidden = isEmpty || isGone || model.isContentVisible();
        this.#placeChosen();
    }

    /** Moves the selection's bar from the top to the bottom of the board while it would cover a handle. */
    #placeChosen() {
        const { drawing, stage } = this.#board;
        const bar = this.#chosen;
        bar.classList.remove("is-low");
        const handles = bar.hidden ? [] : drawing.corners();
        if (!handles.length) return;
        const { left, top } = stage.getBoundingClientRect();
        const isCovering = () => {
            const box = bar.getBoundingClientRect();
            return handles.some(({ x, y }) => left + x > box.left - handleRoom && left + x < box.right + handleRoom
                && top + y > box.top - handleRoom && top + y < box.bottom + handleRoom);
        };
        if (!isCovering()) return;
        bar.classList.add("is-low");
        // A selection as tall as the board has handles at both places.
        if (isCovering()) bar.classList.remove("is-low");
    }

    /** Shows that the board was deleted: only restoring it is possible. */
    showGone() {
        const { stage, sync } = this.#board;
        this.#gone.hidden = false;
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
