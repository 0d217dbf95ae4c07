// Copies, cuts, pastes and accepts drops.

import { copiedIn, interpret, ownType } from "./transfers.js";

export class Clipboard {
    #board;
    /** The last copy made on this page, for when the page may not read the clipboard: {json, text}. */
    #last = null;

    constructor(board) {
        this.#board = board;
        for (const type of ["copy", "cut"]) document.addEventListener(type, (event) => this.#take(event));
        document.addEventListener("paste", (event) => {
            if (!this.#isForBoard(event)) return;
            event.preventDefault();
            this.#receive(interpret(event.clipboardData, true), this.#middle, true);
        });
        this.#acceptDrops(board.stage);
    }

    /** For menus: makes the browser dispatch the same event as the keys do. */
    copy() {
        this.#do("copy");
    }

    cut() {
        this.#do("cut");
    }

    #do(command) {
        if (document.execCommand(command)) return;
        this.#board.toasts.say(`This browser does not let the page ${command}. Use the keys.`);
    }

    /** For menus: reading the clipboard needs the person's permission. */
    async paste() {
        const place = this.#middle;
        try {
            const transfer = await transferFromClipboard();
            if (this.#last && transfer.getData("text/plain") === this.#last.text) throw new Error("It is our own.");
            this.#receive(interpret(transfer, true), place, true);
        } catch {
            const copied = copiedIn(this.#last?.json);
            if (copied) this.#receive({ copied }, place, true);
            else this.#board.toasts.say("This browser does not let the page paste. Use the keys.");
        }
    }

    #isForBoard(event) {
        const target = event.target instanceof Element ? event.target : null;
        return !this.#board.isGone && !target?.closest("input, textarea, select, [contenteditable], dialog[open]");
    }

    /** The mouse's position on the board; without a mouse, the middle of the view. */
    get #middle() {
        const [x, y] = this.#board.model.mouseOrMiddle();
        return { x, y };
    }

    #take(event) {
        const { selection, model, speech } = this.#board;
        if (!this.#isForBoard(event) || !selection.targets.length || String(getSelection())) return;
        event.preventDefault();
        const emojis = model.copy();
        const json = JSON.stringify({ emojis });
        const text = emojis.map((emoji) => emoji.text).join("");
        event.clipboardData.setData(ownType, json);
        event.clipboardData.setData("text/plain", text);
        this.#last = { json, text };
        if (event.type === "cut") model.run("cut");
        else speech.say(emojis.length === 1 ? `Copied ${text}` : `Copied ${emojis.length} emoji`);
    }

    // --- Dropping.

    #acceptDrops(stage) {
        // Nothing inside the page can be dragged by the browser, so drops come from outside.
        const over = (isOver) => stage.classList.toggle("is-target", isOver);
        stage.addEventListener("dragover", (event) => {
            if (this.#board.isGone) return;
            event.preventDefault();
            event.dataTransfer.dropEffect = "copy";
            over(true);
        });
        stage.addEventListener("dragleave", () => over(false));
        stage.addEventListener("drop", (event) => {
            event.preventDefault();
            over(false);
            if (this.#board.isGone) return;
            const place = this.#board.camera.toBoard(this.#board.gestures.place(event));
            this.#receive(interpret(event.dataTransfer, false), place, false);
        });
        // Outside the board, a drop would make the browser leave the page.
        for (const type of ["dragover", "drop"]) {
            window.addEventListener(type, (event) => {
                if (!(event.target instanceof HTMLInputElement)) event.preventDefault();
            });
        }
    }

    // --- Receiving.

    #receive(what, place, isPasted) {
        const board = this.#board;
        if (what.message) board.toasts.say(what.message);
        else if (what.copied) board.model.paste(what.copied, place.x, place.y);
        else if (what.emoji) board.add(what.emoji, place, { verb: isPasted ? "Paste" : "Add" });
        else if (what.address) board.background.set(what.address);
        else if (what.picture) board.background.keep(what.picture);
        else if (what.board) board.importing.take(what.board);
    }
}

/** The clipboard's content in the form of a paste event's `clipboardData`. */
async function transferFromClipboard() {
    const transfer = new DataTransfer();
    for (const item of await navigator.clipboard.read()) {
        for (const type of item.types) {
            const blob = await item.getType(type);
            if (type.startsWith("text/")) transfer.setData(type, await blob.text());
            else if (type.startsWith("image/")) transfer.items.add(new File([blob], "picture", { type }));
        }
    }
    return transfer;
}
