// The bar below the board: the emoji of a palette, the name and menu for choosing another one, and the search.

import { commands } from "./commands.js";
import { askForConfirmation } from "./dialogs.js";
import { make } from "./elements.js";
import { openBelow } from "./menu.js";
import { dragEmoji } from "./palette-drag.js";
import { findEmoji } from "./palette-list.js";
import {
    backToPalette, deletePalette, deletePaletteAction, deletePaletteQuestion, emojiFound, emojiOf, emptyPalette, goTo,
    nextPaletteTitle, noEmojiFound, noneFound, noRecent, paletteDeleted, paletteHeading, paletteIs, palettesMenu,
    recent, results, searchFailed, showFrom, undoLabel,
} from "./words.js";

/**
 * Shows a button for each of `items` in an element, unless it has these buttons already. Each item is {emoji} and
 * attributes as for `make`. The focus stays on the same emoji; if that is gone, it moves to the element that `next`
 * returns for the place of its button.
 */
export function showEmoji(element, items, next) {
    const key = JSON.stringify(items);
    if (key === element.dataset.key) return;
    element.dataset.key = key;
    const place = Array.from(element.children).indexOf(document.activeElement);
    const focused = element.children[place]?.dataset.emoji;
    element.replaceChildren(...items.map(({ emoji, ...attributes }) =>
        make("button", { type: "button", class: "palette-emoji", "data-emoji": emoji, ...attributes }, emoji)));
    if (place < 0) return;
    const same = Array.from(element.children).find(({ dataset }) => dataset.emoji === focused);
    (same ?? next(place))?.focus();
}

export class PaletteBar {
    #board;
    #palettes;
    /** @type {HTMLElementOf<HTMLButtonElement>} */
    #strip = document.getElementById("palette-emoji");
    #name = document.getElementById("palette-name");
    /** @type {HTMLInputElement} */
    #field = document.getElementById("palette-search");
    #hint = document.getElementById("palette-hint");
    /** Cancels dragging an emoji onto the board. Returns whether one was dragged. */
    cancelDrag;
    /** What is shown instead of the palette: {label, found}, with emoji or {emoji, name}; null for the palette. */
    #alternative = null;
    /** The running search, which ends when the results for the text in the field are shown. */
    #runningSearch = null;

    constructor(board) {
        this.#board = board;
        this.#palettes = board.palettes;
        this.cancelDrag = dragEmoji(board, this.#strip);
        this.#palettes.addEventListener("change", () => this.#show());
        this.#name.addEventListener("click", () => this.#alternative ? this.#close() : this.turn(1));
        const menu = document.getElementById("palette-menu");
        menu.addEventListener("click", () => openBelow(menu, this.#menu(), palettesMenu));
        this.#strip.addEventListener("keydown", (event) => this.#handleKey(event));
        this.#strip.addEventListener("wheel", (event) => this.#scroll(event), { passive: false });
        this.#field.addEventListener("input", () => this.#search());
        this.#field.addEventListener("keydown", (event) => this.#handleFieldKey(event));
        this.#show();
    }

    /** Whether the search field is open. */
    get isSearching() {
        return !this.#field.hidden;
    }

    // --- The palette.

    #show() {
        const { name, emojis } = this.#palettes.current;
        const { label, found } = this.#alternative ?? { label: name, found: emojis };
        const what = this.#alternative ? backToPalette : nextPaletteTitle;
        this.#name.querySelector("span").textContent = label;
        this.#name.title = what;
        this.#name.ariaLabel = `${label}. ${what}`;
        const stripLabel = emojiOf({ palette: label });
        const isOtherPalette = this.#strip.ariaLabel !== stripLabel;
        this.#strip.ariaLabel = stripLabel;
        this.#hint.hidden = found.length > 0;
        const hasText = this.isSearching && this.#searchText !== "";
        this.#hint.textContent = hasText ? noEmojiFound : this.#alternative ? noRecent : emptyPalette;
        const items = found.map((each, index) => {
            const { emoji, name } = typeof each === "string" ? { emoji: each, name: undefined } : each;
            return {
                emoji, title: name, "aria-label": name ? `${emoji} ${name}` : emoji, tabindex: index === 0 ? 0 : -1,
                click: () => this.#board.add([emoji], null),
            };
        });
        showEmoji(this.#strip, items, () => this.#strip.firstElementChild);
        if (isOtherPalette) this.#strip.scrollLeft = 0;
        this.#board.refresh();
    }

    /** Shows another palette instead of the current one or of the search's results, and announces its name. */
    turn(step) {
        const { cursor, palettes: { length } } = this.#palettes;
        this.#goTo((cursor + step + length) % length);
        this.#board.announcer.announce(paletteIs({ name: this.#palettes.current.name }));
    }

    /** Moves the focus from emoji to emoji by keys. */
    #handleKey(event) {
        const button = event.target;
        if (button === this.#strip || event.ctrlKey || event.metaKey) return;
        const { firstElementChild: first, lastElementChild: last } = this.#strip;
        const [after, before] = [button.nextElementSibling ?? last, button.previousElementSibling ?? first];
        const next = { ArrowRight: after, ArrowLeft: before, Home: first, End: last }[event.key];
        if (!next) return;
        event.preventDefault();
        button.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
        next.scrollIntoView({ block: "nearest", inline: "nearest" });
    }

    /** Turns vertical movement of a wheel into horizontal scrolling. */
    #scroll(event) {
        if (event.ctrlKey || event.deltaX !== 0 || event.shiftKey) return;
        event.preventDefault();
        this.#strip.scrollLeft += event.deltaY;
    }

    // --- The menu.

    #menu() {
        const { palettes, cursor, stores, store } = this.#palettes;
        const board = this.#board;
        return [
            { heading: goTo },
            { label: recent, isChecked: this.#alternative?.label === recent, run: () => this.#showRecents() },
            ...palettes.map(({ name, emojis }, index) => ({
                label: `${emojis[0] ?? ""} ${name}`.trim(),
                isChecked: !this.#alternative && index === cursor, run: () => this.#goTo(index),
            })),
            { heading: paletteHeading },
            ...commands.filter(({ menus }) => menus.includes("palette"))
                .map((command) => board.toolbars.menuItem(command)),
            { heading: showFrom },
            ...stores.map((name) => ({ label: name, isChecked: name === store, run: () => this.#palettes.use(name) })),
        ];
    }

    #goTo(index) {
        this.#close();
        this.#palettes.goTo(index);
    }

    async addPalette() {
        this.#close();
        if (await this.#palettes.add()) this.#board.paletteEditor.open();
    }

    edit() {
        this.#close();
        this.#board.paletteEditor.open();
    }

    async delete() {
        this.#close();
        const { current: { id, name, emojis }, store } = this.#palettes;
        const isConfirmed = await askForConfirmation({
            title: deletePalette, action: deletePaletteAction,
            text: deletePaletteQuestion({ name, count: emojis.length }),
        });
        if (!isConfirmed || !(await this.#palettes.change(id, "delete"))) return;
        const run = () => this.#palettes.restore(id, store);
        this.#board.toasts.show(paletteDeleted({ name }), { label: undoLabel, run });
    }

    // --- Recently used emoji, and the search.

    #showRecents() {
        this.#close();
        this.#showInstead(recent, this.#palettes.recents);
    }

    toggleSearch() {
        if (this.isSearching) {
            this.#close();
            return;
        }
        this.#field.hidden = false;
        this.#field.value = "";
        this.#field.focus();
        this.#search();
    }

    #showInstead(label, found) {
        this.#alternative = { label, found };
        this.#show();
    }

    /** Goes back to the palette. */
    #close() {
        const hadFocus = document.activeElement === this.#field;
        this.#field.hidden = true;
        this.#alternative = null;
        this.#show();
        if (hadFocus) document.querySelector("[data-command=search]").focus();
    }

    get #searchText() {
        return this.#field.value.trim();
    }

    /** Runs one search at a time. If the text changed during a search, runs another one for it. */
    #search() {
        this.#runningSearch ??= this.#showResults().finally(() => (this.#runningSearch = null));
    }

    async #showResults() {
        let text = null;
        while (this.isSearching && text !== this.#searchText) {
            text = this.#searchText;
            const found = text ? await findEmoji(text, this.#board).catch(() => this.#board.toasts.alert(searchFailed)) : null;
            if (!this.isSearching) break;
            this.#showInstead(text ? results : recent, text ? found ?? [] : this.#palettes.recents);
            const count = found?.length;
            if (found) this.#board.announcer.announce(count > 0 ? emojiFound({ count }) : noneFound);
        }
    }

    #handleFieldKey(event) {
        const action = {
            Escape: () => this.#close(),
            // Add the best match, once the results for the text are shown.
            Enter: async () => {
                await this.#runningSearch;
                if (this.isSearching) this.#strip.firstElementChild?.click();
            },
            ArrowDown: () => this.#strip.firstElementChild?.focus(),
        }[event.key];
        if (!action) return;
        event.preventDefault();
        action();
    }
}
