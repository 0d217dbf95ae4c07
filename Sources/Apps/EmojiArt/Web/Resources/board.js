// A board's page: creates its parts and runs commands.

import { Announcer } from "./announcer.js";
import { Backdrop } from "./backdrop.js";
import { BoardBackground } from "./background.js";
import { importFile } from "./board-files.js";
import { showHeader } from "./board-header.js";
import { BoardSync } from "./board-sync.js";
import { Camera } from "./camera.js";
import { Clipboard } from "./clipboard.js";
import { canRun, commands } from "./commands.js";
import { onFile } from "./data-transfer.js";
import { showHelp } from "./dialogs.js";
import { Drawing } from "./drawing.js";
import { Gestures } from "./gestures.js";
import { Glyphs } from "./glyphs.js";
import { handleKeys } from "./keyboard.js";
import { PaletteBar } from "./palette-bar.js";
import { PaletteEditor } from "./palette-editor.js";
import { PaletteList } from "./palette-list.js";
import { Presence } from "./presence.js";
import { storeHistory } from "./stored-history.js";
import { Toasts } from "./toasts.js";
import { showGone, Toolbars } from "./toolbars.js";
import { handleWheel, restoreView } from "./viewing.js";
import { unlockLabel } from "./words.js";
import { worded } from "./worded.js";
import { instantiate } from "../site/bridge.js";

class Board {
    /** Whether the board was deleted. */
    isGone = false;
    /** The action of pointers: "select", "hand" (move the view), or "area" (fingers draw selection rectangles, too). */
    tool = "select";
    /**
     * The IDs of the selected emoji, and of the one at the keyboard's cursor or null, as the model has them. Each tab
     * has its own selection, which isn't stored with the board.
     */
    selection = {
        ids: new Set(),
        cursor: null,
        get size() {
            return this.ids.size;
        },
    };
    showHelp = showHelp;
    #refreshRequest = null;
    /** The model's timers, by name. */
    #timers = {};

    /** - model: The functions of the board's WebAssembly module. */
    constructor(model) {
        const read = (id) => JSON.parse(document.getElementById(id).textContent);
        const { access, address, storage } = document.getElementById("board").dataset;
        /** What the board's data in the browser's storage is named after: its ID, or that of the share. */
        this.id = storage;
        /** The path of the board, which the paths of its requests begin with. */
        this.address = address;
        /** Whether the board belongs to another person, and whether it may only be looked at. */
        this.isShared = access !== "own";
        this.isViewOnly = access === "view";
        this.stage = document.getElementById("stage");
        this.toasts = new Toasts();
        this.announcer = new Announcer(this);
        this.sync = new BoardSync({ id: this.id, address, state: read("state"), model });
        /** The model's functions; the page carries out the effects of each call. */
        this.model = this.sync.model;
        this.glyphs = new Glyphs();
        this.camera = new Camera(this.model);
        this.backdrop = new Backdrop(() => this.#pictureDidChange());
        this.drawing = new Drawing(this);
        this.palettes = this.isViewOnly
            ? null
            : new PaletteList(read("palettes"), (message) => this.paletteEditor.alert(message), this);
        this.gestures = new Gestures(this);
        handleKeys(this);
        this.clipboard = this.isViewOnly ? null : new Clipboard(this);
        this.toolbars = new Toolbars(this);
        showHeader(this);
        this.background = new BoardBackground(this);
        this.paletteBar = this.isViewOnly ? null : new PaletteBar(this);
        this.paletteEditor = this.isShared ? null : new PaletteEditor(this);
        this.presence = new Presence(this);
        onFile("import-file", (file) => importFile(this, file));
        handleWheel(this);
        const handlers = {
            effects: (effects) => this.#carryOut(effects),
            change: () => this.#emojiDidChange(),
            history: () => this.refresh(),
            palettes: () => this.palettes?.handleVersion(this.sync.palettes),
            refused: ({ messages }) => messages.forEach((message) => this.toasts.alert(message)),
            gone: () => this.#setGone(),
        };
        for (const [type, handle] of Object.entries(handlers)) {
            this.sync.addEventListener(type, (/** @type {CustomEvent} */ { detail }) => handle(detail));
        }
        storeHistory(this);
        this.#measure(Array.from(this.sync.art.emojis.values(), ({ text }) => text));
        window.addEventListener("pagehide", () => this.model.endNudge());
        document.addEventListener("visibilitychange", () => document.hidden && this.model.endNudge());
        restoreView(this);
        if (this.isViewOnly) this.model.run("hand");
        // On a new board, the keys apply to the board at once, and Tab continues from it.
        if (this.sync.art.emojis.size === 0 && document.activeElement === document.body) {
            this.stage.focus({ preventScroll: true });
        }
        this.stage.dataset.ready = "";
    }

    /** Carries out the model's effects on this page. */
    #carryOut(effects) {
        const { announcer, camera, drawing, gestures, selection, stage } = this;
        const hadOtherTool = this.tool !== effects.tool;
        this.tool = effects.tool;
        gestures.isActive = effects.isGestureActive;
        camera.update(effects);
        Object.assign(drawing, effects.drag);
        if (effects.view) {
            drawing.invalidate();
            this.presence?.place(true);
        }
        if (effects.selection) {
            Object.assign(selection, { ids: new Set(effects.selection), cursor: effects.keyboard[0] });
        }
        if (effects.selection || effects.drag) this.#emojiDidChange();
        if (effects.view || hadOtherTool) this.refresh();
        if (effects.cursor !== undefined) stage.dataset.cursor = effects.cursor;
        this.#setTimer("longPress", effects.longPress, () => this.model.longPress(), gestures.longPress);
        this.#setTimer("nudge", effects.nudge, () => this.model.endNudge());
        if (effects.vibrates) navigator.vibrate?.(12);
        if (effects.announced) announcer.announce(worded(effects.announced));
        if (effects.described) void announcer.describe(effects.described);
        // Last, because measuring causes effects that are newer than these.
        this.#measure(effects.unmeasured);
    }

    /** Starts or stops a timer of the model: `effect` is [time], or [null] to stop it. `other` replaces the time. */
    #setTimer(name, effect, action, other = null) {
        if (!effect) return;
        clearTimeout(this.#timers[name]);
        const [time] = effect;
        if (time !== null) this.#timers[name] = setTimeout(action, other ?? time);
    }

    /** Measures texts for the model, which has no fonts. */
    #measure(texts = []) {
        const distinct = Array.from(new Set(texts));
        if (distinct.length) this.model.measure(distinct.map((text) => [text, this.glyphs.reach(text)]));
    }

    /** Shows emoji, or a selection, that have changed. */
    #emojiDidChange() {
        this.drawing.invalidateFront();
        this.refresh();
    }

    #pictureDidChange() {
        const { failed, shown } = this.backdrop;
        if (!failed) this.model.setPicture(shown ? [shown.width, shown.height] : null);
        this.background.update();
    }

    #setGone() {
        this.cancel();
        this.isGone = true;
        for (const dialog of document.querySelectorAll("dialog")) dialog.close();
        showGone(this);
        this.refresh();
    }

    /** Updates buttons and hints, at most once per frame. */
    refresh() {
        if (this.#refreshRequest !== null) return;
        this.#refreshRequest = requestAnimationFrame(() => {
            this.#refreshRequest = null;
            this.toolbars.refresh();
        });
    }

    // --- Commands.

    /** Runs a command. Returns whether it could run. */
    run(id) {
        const command = commands.find((command) => command.id === id);
        if (this.isGone) return false;
        // End a step of the arrow keys before checking `canRun`: Undo can run only once the step has ended.
        if (!command.direction) this.model.settle();
        if (!canRun(command, this)) {
            // The model's explanation: the selected emoji are locked.
            const explanation = this.sync.availability.unavailable[id];
            if (explanation) this.toasts.show(worded(explanation), { label: unlockLabel, run: () => this.run("lock") });
            return false;
        }
        return command.run(this) ?? true;
    }

    /** Adds emoji around a position of the board, [x, y], and selects them; near the middle of the view for null. */
    add(texts, position, isPasted = false) {
        this.model.add(isPasted, texts, position);
        this.palettes.addRecent(texts[0]);
    }

    /** Cancels the current drag, gesture or nudge. Returns whether there was one. */
    cancel() {
        const wasNudging = this.model.cancelNudge();
        return this.paletteBar?.cancelDrag() || this.gestures.cancel() || wasNudging;
    }
}

/** The address of a drawing of the board. */
function pictureAddress() {
    const { access, address } = document.getElementById("board").dataset;
    return `${address}/${access === "own" ? "export" : "drawing"}.svg`;
}

/** A promise of the page's board; of null without WebAssembly, when only a picture of the board is shown. */
export const board = instantiate(new URL("board.wasm", import.meta.url)).then((model) => new Board(model), (error) => {
    console.error(error);
    const notice = document.getElementById("picture-only");
    notice.querySelector("img").src = pictureAddress();
    notice.hidden = false;
    return null;
});
