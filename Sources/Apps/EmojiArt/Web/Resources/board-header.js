// The row above the board: the board's name, which can be edited in place, and the save status.

import { notRenamed, notSavedLabel, offlineLabel, savedLabel, savingLabel } from "./words.js";

const labels = { saved: savedLabel, saving: savingLabel, offline: offlineLabel, failed: notSavedLabel };
const badgeClasses = { saved: "good", saving: "", offline: "busy", failed: "bad" };

export class BoardHeader {
    #board;
    /** @type {HTMLInputElement} */
    #field = document.getElementById("board-name");
    #badge = document.getElementById("saving");
    #detail = document.getElementById("saving-detail");

    constructor(board) {
        this.#board = board;
        const { sync } = board;
        sync.addEventListener("status", () => this.#showStatus());
        sync.addEventListener("name", () => this.#showName());
        this.#field.form.addEventListener("submit", (event) => {
            event.preventDefault();
            board.stage.focus();
        });
        this.#field.addEventListener("change", () => this.#save());
        this.#field.addEventListener("keydown", (event) => {
            if (event.key !== "Escape") return;
            event.preventDefault();
            this.#field.value = sync.name;
            board.stage.focus();
        });
        this.#showStatus();
        this.#showName();
    }

    /** Moves the focus to the name for editing. */
    rename() {
        this.#field.focus();
        this.#field.select();
    }

    async #save() {
        const { sync, toasts } = this.#board;
        const name = this.#field.value.trim();
        try {
            if (name && name !== sync.name) return await sync.rename(name);
        } catch (error) {
            toasts.alert(notRenamed({ reason: error.message }));
        }
        this.#field.value = sync.name;
    }

    #showName() {
        const { name } = this.#board.sync;
        if (document.activeElement !== this.#field) this.#field.value = name;
        document.getElementById("board-title").textContent = name;
        this.#board.stage.setAttribute("aria-label", name);
        document.title = [name, ...document.title.split(" · ").slice(-2)].join(" · ");
    }

    #showStatus() {
        const { status, statusText } = this.#board.sync;
        this.#badge.className = `badge saving ${badgeClasses[status]}`;
        this.#badge.textContent = labels[status];
        this.#badge.title = statusText;
        // A problem stays visible as text; "Saved" needs none.
        const isWrong = status === "offline" || status === "failed";
        this.#detail.textContent = isWrong ? statusText : "";
        this.#detail.className = `saving-detail ${badgeClasses[status]}`;
    }
}
