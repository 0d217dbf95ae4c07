// The editor of a palette: changes its name, adds emoji, and removes emoji by a tap. Each change is saved at once.

import { emojiIn } from "./data-transfer.js";
import { showEmoji } from "./palette-bar.js";
import { emojiRemoved, noEmojiIn, removeEmoji, removeTitle } from "./words.js";

export class PaletteEditor {
    #palettes;
    #toasts;
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

    constructor({ palettes, toasts }) {
        this.#palettes = palettes;
        this.#toasts = toasts;
        palettes.addEventListener("change", () => this.#dialog.open && this.#show());
        this.#name.addEventListener("change", () => this.#rename());
        // Escape closes the dialog without a `change` of the name.
        this.#dialog.addEventListener("close", () => this.#rename());
        for (const type of ["input", "compositionend"]) {
            this.#add.addEventListener(type, (/** @type {InputEvent} */ event) => {
                if (!event.isComposing) this.#addTyped(false);
            });
        }
        // Enter doesn't submit the form, which has two text fields and no submit button.
        this.#dialog.addEventListener("keydown", ({ key, isComposing, target }) => {
            if (key !== "Enter" || isComposing) return;
            if (target === this.#name) this.#add.focus();
            if (target === this.#add) this.#addTyped(true);
        });
    }

    get #palette() {
        return this.#palettes.palettes.find(({ id }) => id === this.#id);
    }

    /** Shows an error message about palettes: in the dialog while it is open, because it covers toasts. */
    alert(message) {
        if (this.#dialog.open) this.#message.textContent = message;
        else this.#toasts.alert(message);
    }

    /** Opens the editor for the current palette. */
    open() {
        this.#id = this.#palettes.current.id;
        this.#add.value = "";
        this.#message.textContent = "";
        this.#show();
        this.#dialog.showModal();
        this.#add.focus();
    }

    #show() {
        const palette = this.#palette;
        if (!palette) {
            // The palette was deleted in another tab.
            this.#dialog.close();
            return;
        }
        if (document.activeElement !== this.#name) this.#name.value = palette.name;
        const items = palette.emojis.map((emoji) => ({
            emoji, title: removeTitle, "aria-label": removeEmoji({ emoji }), click: () => this.#remove(emoji),
        }));
        showEmoji(this.#grid, items, (place) => this.#grid.children[Math.min(place, items.length - 1)] ?? this.#add);
    }

    #rename() {
        const palette = this.#palette;
        const name = this.#name.value;
        if (palette && name !== palette.name) this.#palettes.change(palette.id, "rename", { name });
    }

    /** Adds the emoji in the typed text to the beginning of the palette. */
    #addTyped(isEntered) {
        const text = this.#add.value.trim();
        const emojis = emojiIn(text).join("");
        this.#message.textContent = isEntered && text && !emojis ? noEmojiIn({ text: text.slice(0, 40) }) : "";
        if (!emojis) return;
        this.#add.value = "";
        this.#palettes.change(this.#id, "add", { emojis });
    }

    async #remove(emoji) {
        const isRemoved = await this.#palettes.change(this.#id, "remove", { emoji });
        if (isRemoved) this.#message.textContent = emojiRemoved({ emoji });
    }
}
