// The editor of a palette: changes its name, adds emoji, and removes emoji by a tap. Each change is saved at once.

import { emojiIn } from "./transfers.js";

export class PaletteEditor {
    #palettes;
    /** @type {HTMLDialogElement} */
    #dialog = document.getElementById("palette-editor");
    /** @type {HTMLInputElement} */
    #name = document.getElementById("editor-name");
    /** @type {HTMLInputElement} */
    #add = document.getElementById("editor-add");
    /** @type {HTMLElementOf<HTMLButtonElement>} */
    #grid = document.getElementById("editor-emoji");
    #message = document.getElementById("editor-message");
    /** The ID of the palette being edited. */
    #id = null;

    constructor(board) {
        this.#palettes = board.palettes;
        this.#palettes.addEventListener("change", () => this.#dialog.open && this.#show());
        this.#name.addEventListener("change", () => this.#palettes.rename(this.#id, this.#name.value));
        this.#add.addEventListener("input", (/** @type {InputEvent} */ event) => {
            if (!event.isComposing) this.#take(false);
        });
        this.#add.addEventListener("compositionend", () => this.#take(false));
        this.#name.addEventListener("keydown", (event) => this.#onEnter(event, () => this.#add.focus()));
        this.#add.addEventListener("keydown", (event) => this.#onEnter(event, () => this.#take(true)));
        this.#grid.addEventListener("click", (event) => {
            const target = /** @type {HTMLElement} */ (event.target);
            const emoji = target.closest("[data-emoji]")?.dataset.emoji;
            if (emoji) this.#remove(emoji);
        });
        this.#dialog.addEventListener("close", () => {
            const palette = this.#palette;
            if (palette && this.#name.value !== palette.name) this.#palettes.rename(this.#id, this.#name.value);
        });
    }

    #onEnter(event, action) {
        if (event.key !== "Enter" || event.isComposing) return;
        event.preventDefault();
        action();
    }

    get #palette() {
        return this.#palettes.palettes.find(({ id }) => id === this.#id) ?? null;
    }

    get isOpen() {
        return this.#dialog.open;
    }

    /** Shows a message in the dialog. */
    tell(message) {
        this.#message.textContent = message;
    }

    /** Opens the editor for the current palette. */
    open() {
        const { current } = this.#palettes;
        if (!current) return;
        this.#id = current.id;
        this.#name.value = current.name;
        this.#add.value = "";
        this.#message.textContent = "";
        this.#show();
        this.#dialog.showModal();
        (current.name ? this.#add : this.#name).focus();
    }

    #show() {
        const palette = this.#palette;
        if (!palette) {
            // The palette was deleted in another tab.
            this.#dialog.close();
            return;
        }
        if (document.activeElement !== this.#name) this.#name.value = palette.name;
        const key = palette.emojis.join(" ");
        if (this.#grid.dataset.key === `${palette.id} ${key}`) return;
        this.#grid.dataset.key = `${palette.id} ${key}`;
        const active = /** @type {HTMLButtonElement} */ (document.activeElement);
        const index = Array.from(this.#grid.children).indexOf(active);
        this.#grid.replaceChildren(...palette.emojis.map((emoji) => {
            const button = document.createElement("button");
            button.type = "button";
            button.className = "palette-emoji";
            button.dataset.emoji = emoji;
            button.textContent = emoji;
            button.title = "Remove";
            button.setAttribute("aria-label", `Remove ${emoji}`);
            return button;
        }));
        if (index >= 0) (this.#grid.children[Math.min(index, this.#grid.childElementCount - 1)] ?? this.#add).focus();
    }

    /** Adds the emoji in the typed text to the beginning of the palette. */
    async #take(isEntered) {
        const text = this.#add.value;
        const emoji = emojiIn(text);
        if (!emoji.length) {
            const isWrong = isEntered && text.trim() !== "";
            this.#message.textContent = isWrong ? `There is no emoji in “${text.trim().slice(0, 40)}”.` : "";
            return;
        }
        this.#add.value = "";
        this.#message.textContent = "";
        await this.#palettes.addEmoji(this.#id, emoji.join(""));
    }

    async #remove(emoji) {
        if (await this.#palettes.removeEmoji(this.#id, emoji)) this.tell(`${emoji} was removed.`);
    }
}
