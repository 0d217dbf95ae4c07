// The bar below the board: the emoji of a palette, the name and menu for choosing another one, and the search.

import { commands } from "./commands.js";
import { askForConfirmation } from "./dialogs.js";
import { openBelow } from "./menu.js";
import { PaletteDrag } from "./palette-drag.js";
import {
    backToPalette, deletePalette, deletePaletteAction, deletePaletteQuestion, emojiFound, emojiOf, emptyPalette, goTo,
    nextPaletteTitle, noEmojiFound, noneFound, noRecent, paletteDeleted, paletteHeading, paletteIs, palettesMenu,
    recent, results, searchFailed, showFrom, undoLabel, untitled,
} from "./words.js";

export class PaletteBar {
    /** Whether the search field is open. */
    isSearching = false;
    #board;
    #palettes;
    /** @type {HTMLElementOf<HTMLButtonElement>} */
    #strip = document.getElementById("palette-emoji");
    #name = document.getElementById("palette-name");
    /** @type {HTMLInputElement} */
    #field = document.getElementById("palette-search");
    #hint = document.getElementById("palette-hint");
    /** Drags emoji from the bar onto the board. */
    drag;
    /** What is shown instead of the palette: {label, emojis: [{emoji, name}]}; null for the palette. */
    #alternative = null;
    /** The text to search for, and the running search, which ends when the results for the text are shown. */
    #searchText = "";
    #runningSearch = null;

    constructor(board) {
        this.#board = board;
        this.#palettes = board.palettes;
        this.drag = new PaletteDrag(board, this.#strip);
        this.#palettes.addEventListener("change", () => this.#show());
        this.#name.addEventListener("click", () => this.#alternative ? this.#close() : this.turn(1));
        const menu = document.getElementById("palette-menu");
        menu.addEventListener("click", () => openBelow(menu, this.#menu(), palettesMenu));
        this.#strip.addEventListener("click", (event) => {
            const target = /** @type {HTMLElement} */ (event.target);
            const emoji = target.closest("[data-emoji]")?.dataset.emoji;
            // A click from the keyboard has no `detail` and never ends a drag.
            const isDrag = this.drag.hasDropped() && event.detail > 0;
            if (emoji && !isDrag) this.#board.add([emoji], null);
        });
        this.#strip.addEventListener("keydown", (event) => this.#handleKey(event));
        this.#strip.addEventListener("wheel", (event) => this.#scroll(event), { passive: false });
        this.#field.addEventListener("input", () => this.#search());
        this.#field.addEventListener("keydown", (event) => this.#handleFieldKey(event));
        this.#show();
    }

    // --- The palette.

    #show() {
        const { current } = this.#palettes;
        const emojis = (current?.emojis ?? []).map((emoji) => ({ emoji }));
        const shown = this.#alternative ?? { label: current?.name || untitled, emojis };
        const what = this.#alternative ? backToPalette : nextPaletteTitle;
        this.#name.querySelector("span").textContent = shown.label;
        this.#name.title = what;
        this.#name.setAttribute("aria-label", `${shown.label}. ${what}`);
        this.#strip.setAttribute("aria-label", emojiOf({ palette: shown.label }));
        this.#fill(shown);
        this.#board.refresh();
    }

    /** Shows another palette instead of the current one or of the search's results, and announces its name. */
    turn(step) {
        if (this.#alternative) this.#close();
        this.#palettes.turn(step);
        const { current } = this.#palettes;
        if (current) this.#board.announcer.announce(paletteIs({ name: current.name || untitled }));
    }

    #fill({ emojis, label }) {
        const key = JSON.stringify([label, emojis]);
        if (key === this.#strip.dataset.key) return;
        const isOtherPalette = JSON.parse(this.#strip.dataset.key ?? "[]")[0] !== label;
        this.#strip.dataset.key = key;
        const active = /** @type {HTMLElement} */ (document.activeElement);
        const focused = this.#strip.contains(active) ? active.dataset.emoji : null;
        this.#strip.replaceChildren(...emojis.map(({ emoji, name }, index) => {
            const button = document.createElement("button");
            button.type = "button";
            button.className = "palette-emoji";
            button.dataset.emoji = emoji;
            button.textContent = emoji;
            button.tabIndex = index === 0 ? 0 : -1;
            if (name) button.title = name;
            button.setAttribute("aria-label", name ? `${emoji} ${name}` : emoji);
            return button;
        }));
        this.#hint.hidden = emojis.length > 0;
        this.#hint.textContent = this.#emptyHint;
        if (isOtherPalette) this.#strip.scrollLeft = 0;
        if (focused !== null) (this.#button(focused) ?? this.#strip.firstElementChild)?.focus();
    }

    /** The hint that is shown when there are no emoji. */
    get #emptyHint() {
        if (this.isSearching && this.#field.value.trim() !== "") return noEmojiFound;
        return this.#alternative ? noRecent : emptyPalette;
    }

    #button(emoji) {
        return Array.from(this.#strip.children).find((button) => button.dataset.emoji === emoji);
    }

    #handleKey(event) {
        const buttons = Array.from(this.#strip.children);
        const index = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
        const last = buttons.length - 1;
        const [after, before] = [Math.min(index + 1, last), Math.max(index - 1, 0)];
        const next = { ArrowRight: after, ArrowLeft: before, Home: 0, End: last }[event.key];
        if (next === undefined || index < 0 || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        buttons[index].tabIndex = -1;
        buttons[next].tabIndex = 0;
        buttons[next].focus();
        buttons[next].scrollIntoView({ block: "nearest", inline: "nearest" });
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
                label: `${emojis[0] ?? ""} ${name || untitled}`.trim(),
                isChecked: !this.#alternative && index === cursor,
                run: () => {
                    this.#close();
                    this.#palettes.goTo(index);
                },
            })),
            { heading: paletteHeading },
            ...commands.filter(({ menus }) => menus.includes("palette"))
                .map((command) => board.toolbars.menuItem(command)),
            { heading: showFrom },
            ...stores.map((name) => ({ label: name, isChecked: name === store, run: () => this.#palettes.use(name) })),
        ];
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
        const { current, store } = this.#palettes;
        const name = current.name || untitled;
        const isConfirmed = await askForConfirmation({
            title: deletePalette, action: deletePaletteAction,
            text: deletePaletteQuestion({ name, count: current.emojis.length }),
        });
        if (!isConfirmed || !(await this.#palettes.delete(current.id))) return;
        const run = () => this.#palettes.restore(current.id, store);
        this.#board.toasts.show(paletteDeleted({ name }), { label: undoLabel, run });
    }

    // --- Recently used emoji, and the search.

    #showRecents() {
        this.#alternative = { label: recent, emojis: this.#palettes.recents.map((emoji) => ({ emoji })) };
        this.isSearching = false;
        this.#field.hidden = true;
        this.#show();
    }

    toggleSearch() {
        if (this.isSearching) {
            this.#close();
            return;
        }
        this.isSearching = true;
        this.#field.hidden = false;
        this.#field.value = "";
        this.#field.focus();
        this.#search();
    }

    /** Goes back to the palette. */
    #close() {
        const hadFocus = document.activeElement === this.#field;
        this.isSearching = false;
        this.#field.hidden = true;
        this.#alternative = null;
        this.#show();
        if (hadFocus) document.querySelector("[data-command=search]").focus();
    }

    /** Runs one search at a time. If the text changed during a search, runs another one for it. */
    #search() {
        this.#searchText = this.#field.value.trim();
        this.#runningSearch ??= this.#showResults().finally(() => (this.#runningSearch = null));
    }

    async #showResults() {
        let searchedText = null;
        while (this.isSearching && searchedText !== this.#searchText) {
            searchedText = this.#searchText;
            const recents = this.#palettes.recents.map((emoji) => ({ emoji }));
            const found = searchedText ? await this.#palettes.search(searchedText) : recents;
            if (!found) this.#board.toasts.alert(searchFailed);
            if (!this.isSearching) break;
            this.#alternative = { label: searchedText ? results : recent, emojis: found ?? [] };
            this.#show();
            if (!searchedText || !found) continue;
            this.#board.announcer.announce(found.length > 0 ? emojiFound({ count: found.length }) : noneFound);
        }
    }

    /** Adds the best match, once the results for the text are shown. */
    async #addFirst() {
        await this.#runningSearch;
        if (this.isSearching) this.#strip.firstElementChild?.click();
    }

    #handleFieldKey(event) {
        if (event.key === "Escape") {
            event.preventDefault();
            this.#close();
        } else if (event.key === "Enter") {
            event.preventDefault();
            void this.#addFirst();
        } else if (event.key === "ArrowDown") {
            event.preventDefault();
            this.#strip.firstElementChild?.focus();
        }
    }
}
