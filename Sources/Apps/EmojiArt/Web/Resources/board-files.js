// Imports files as new boards, and downloads boards as files. Errors are shown on the board, without leaving the page.

import { fileBytes, inMegabytes } from "./data-transfer.js";
import { request, send } from "./requests.js";
import { fileTooLarge, imported, notDownloaded, notImported, openImported, quoted, unsavedChanges } from "./words.js";

/** Imports a file, and shows a link to the new board. */
export async function importFile({ toasts }, file) {
    const name = quoted({ text: file.name });
    if (file.size > fileBytes) {
        toasts.alert(fileTooLarge({ name, size: inMegabytes(file.size), limit: inMegabytes(fileBytes) }));
        return;
    }
    try {
        const { path, notes = [] } = await request(`/art/import?name=${encodeURIComponent(file.name)}`, {
            method: "POST", body: file, headers: { "Content-Type": "application/octet-stream" },
        });
        toasts.show([imported({ name }), ...notes].join(" "), { label: openImported, href: path });
    } catch (error) {
        toasts.alert(notImported({ name, reason: error.message }));
    }
}

/**
 * Fetches an export of a board. Pending changes are sent first, so that it contains them. Throws an Error with a
 * message for the person.
 */
export async function fetchExport({ model, sync }, href) {
    model.settle();
    await sync.flush();
    if (sync.hasUnsavedChanges) throw new Error(unsavedChanges);
    return await send(href, { cache: "no-store", headers: { Accept: "application/problem+json, */*" } });
}

/** Opens the page with the choices for an export. Pending changes are sent first, so that it contains them. */
export async function openExportPage({ address, sync }) {
    await sync.flush();
    location.assign(`${address}/export`);
}

/** Downloads the file at an address. */
export async function download(board, href) {
    const { toasts } = board;
    try {
        const response = await fetchExport(board, href);
        const notes = JSON.parse(decodeURIComponent(response.headers.get("Meanwhile-Notes") ?? "[]"));
        // The name in `Content-Disposition` (RFC 6266).
        const encoded = /filename\*=UTF-8''([^;]+)/i.exec(response.headers.get("Content-Disposition") ?? "");
        save(await response.blob(), encoded ? decodeURIComponent(encoded[1]) : "board");
        for (const note of notes) toasts.alert(note);
    } catch (error) {
        toasts.alert(notDownloaded({ reason: error.message }));
    }
}

function save(blob, name) {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
    link.click();
    // After a minute the browser has certainly started to read the blob.
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
