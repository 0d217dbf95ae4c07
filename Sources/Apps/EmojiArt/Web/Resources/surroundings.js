// What floats over a board: the hint on an empty one, the selection's bar, the zoom, and the button back to content.

import { post, request } from "./requests.js";

/** The free space around a handle of the selection, in pixels: its reach for a finger, about. */
const handleRoom = 16;
/** The distance of the selection's bar from the board's edges, in pixels. */
const edge = 10;

export class Surroundings {
    #board;
    #invitation = document.getElementById("invitation");
    #chosen = document.getElementById("chosen");
    #count = document.getElementById("chosen-count");
    #zoom = document.querySelector("[data-command=actualSize]");
    #back = document.getElementById("back-to-content");
    #gone = document.getElementById("gone");
    #detail = document.getElementById("saving-detail");
    #others = ["background-problem", "back-to-content"].map((id) => document.getElementById(id))
        .concat(Array.from(document.querySelectorAll("[data-bar=tools], [data-bar=view]")));

    constructor(board) {
        this.#board = board;
        this.#back.addEventListener("click", () => board.run("content"));
        document.getElementById("restore").addEventListener("click", () => this.#restore());
    }

    refresh() {
        const { backdrop, camera, selection, sync, viewing, isGone } = this.#board;
        const hasContent = sync.art.emojis.size > 0 || backdrop.shown !== null;
        this.#invitation.hidden = hasContent || isGone || sync.picture.state === "fetching";
        this.#chosen.hidden = selection.targets.length === 0 || isGone;
        this.#count.hidden = selection.size < 2;
        this.#count.textContent = `${selection.size} selected`;
        this.#zoom.textContent = camera.percent;
        this.#back.hidden = !hasContent || isGone || viewing.isContentSeen;
        this.#placeChosen();
    }

    /** Places the selection's bar above the selection, or else below it, or at an edge, where it covers nothing. */
    #placeChosen() {
        const bar = this.#chosen;
        if (bar.hidden) return;
        const { camera, drawing, selection, stage } = this.#board;
        const frame = drawing.rectangle(selection.box(selection.targets), 4);
        const turner = drawing.turner();
        const [width, height] = [bar.offsetWidth, bar.offsetHeight];
        const [upper, lower] = [edge + this.#detail.offsetHeight, camera.size.height - height - edge];
        const left = Math.max(edge, Math.min(frame.x + (frame.width - width) / 2, camera.size.width - width - edge));
        const above = (turner && !turner.isBelow ? turner.y : frame.y) - handleRoom - height;
        const below = (turner?.isBelow ? turner.y : frame.y + frame.height) + handleRoom;
        const fitting = [above, below, upper, lower].filter((top) => top >= upper && top <= lower);
        const taken = this.#taken(stage.getBoundingClientRect());
        const isFree = (top) => !taken.some((box) => box.left < left + width && box.right > left
            && box.top < top + height && box.bottom > top);
        bar.style.left = `${left}px`;
        bar.style.top = `${fitting.find(isFree) ?? upper}px`;
    }

    /** The rectangles of the board that the selection's bar must not cover: handles, and what else floats over it. */
    #taken(stage) {
        const { drawing } = this.#board;
        const handles = [...drawing.corners(), drawing.turner()].filter(Boolean).map(({ x, y }) => ({
            left: x - handleRoom, right: x + handleRoom, top: y - handleRoom, bottom: y + handleRoom,
        }));
        // What isn't shown has no area, and covers nothing.
        const others = this.#others.map((other) => {
            const { left, right, top, bottom } = other.getBoundingClientRect();
            return {
                left: left - stage.left, right: right - stage.left, top: top - stage.top, bottom: bottom - stage.top,
            };
        });
        return [...handles, ...others];
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
