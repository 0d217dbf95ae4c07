// The row above the board: the board's name, which can be edited in place, and the save status.

import {
    notRenamed, notSavedLabel, notSharedStatus, offlineLabel, savedLabel, savingLabel, viewOnlyLabel,
} from "./words.js";

const labels = { saved: savedLabel, saving: savingLabel, offline: offlineLabel, failed: notSavedLabel };
const badgeClasses = { saved: "good", saving: "", offline: "busy", failed: "bad" };

/** @type {HTMLInputElement} */
const field = document.getElementById("board-name");

/** Moves the focus to the name for editing. */
export function rename() {
    field.focus();
    field.select();
}

/** Shows the board's name and save status, and renames the board after editing. */
export function showHeader(board) {
    const { isShared, stage, sync, toasts } = board;
    sync.addEventListener("status", () => showStatus(board));
    sync.addEventListener("name", () => showName(sync.name, stage));
    showStatus(board);
    showName(sync.name, stage);
    if (!isShared) listen(stage, sync, toasts);
}

/** Renames the board after editing. */
function listen(stage, sync, toasts) {
    field.form.addEventListener("submit", (event) => {
        event.preventDefault();
        stage.focus();
    });
    field.addEventListener("change", async () => {
        const name = field.value.trim();
        try {
            if (name && name !== sync.name) return await sync.rename(name);
        } catch (error) {
            toasts.alert(notRenamed({ reason: error.message }));
        }
        field.value = sync.name;
    });
    field.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        field.value = sync.name;
        stage.focus();
    });
}

function showName(name, stage) {
    if (document.activeElement !== field) field.value = name;
    document.getElementById("board-title").textContent = name;
    stage.setAttribute("aria-label", name);
    // The names of the app, which a guest's page doesn't have, and of the site follow.
    const count = document.getElementById("guest-name") ? 1 : 2;
    document.title = [name, ...document.title.split(" · ").slice(-count)].join(" · ");
}

function showStatus({ isGone, isShared, isViewOnly, sync }) {
    const { status } = sync;
    const statusText = isShared && isGone ? notSharedStatus : sync.statusText;
    const badge = document.getElementById("saving");
    badge.className = `badge saving ${badgeClasses[status]}`;
    badge.textContent = isViewOnly && status === "saved" ? viewOnlyLabel : labels[status];
    badge.title = statusText;
    const detail = document.getElementById("saving-detail");
    // A problem stays visible as text; "Saved" needs none.
    detail.textContent = status === "offline" || status === "failed" ? statusText : "";
    detail.className = `saving-detail ${badgeClasses[status]}`;
}
