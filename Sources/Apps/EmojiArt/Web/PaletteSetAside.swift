import EmojiArtModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Site

// Palettes that were set aside: the messages of the palettes' page, and what can be done with each.

extension PalettePages {
    /// Adds the download, `restore` and `delete` of palettes that were set aside.
    ///
    /// The forms are guarded by the site's check of hosts and origins, as all forms are.
    func addSetAsideRoutes(to art: RouterGroup<SiteContext>) {
        let setAside = art.group("/palettes/:store/set-aside/:record")
        setAside.get { _, context in
            let name = context.parameters.get("store") ?? ""
            let store = try await palettes.store(named: name)
            let bytes = try await store.setAsideBytes(context.parameters.get("record") ?? "")
            let download = DownloadName("Palettes \(name), set aside", ending: "bin")
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/octet-stream", .cacheControl: "no-store",
                    .contentDisposition: download.disposition,
                ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
        setAside.post("/restore") { request, context in
            let id = context.parameters.get("record") ?? ""
            return try await change(request, context) { store, _ in
                try await store.restore(setAside: id)
                return nil
            }
        }
        setAside.post("/delete") { request, context in
            let id = context.parameters.get("record") ?? ""
            return try await change(request, context) { store, _ in
                try await store.deleteSetAside(id)
                return nil
            }
        }
    }
}

extension ArtTemplates {
    /// How many messages the page shows of a store.
    ///
    /// Of more it shows the newest. The page “Your data” lists all of them.
    private static let setAsideLength = 5

    /// The messages about the palettes of a store that were set aside, the newest first.
    static func setAside(in store: PaletteSnapshot.Store, _ query: PaletteQuery) -> [[String: Any]] {
        store.setAside.suffix(setAsideLength).reversed().map { palettes in
            var values: [String: Any] = [
                "id": palettes.id, "store": store.name, "open": query.text,
                "action": Link("/art/palettes/\(store.name)/set-aside/\(palettes.id)"),
            ]
            let time = palettes.time.formatted(setAsideTime)
            switch palettes.cause {
            case .replaced:
                values["isReplaced"] = true
                values["heading"] = "Earlier palettes of “\(store.name)” are set aside"
                values["happened"] = "You restored other palettes on \(time). These were stored until then."
            case .unreadable(let reason):
                values["heading"] = "The palettes of “\(store.name)” couldn’t be read"
                values["happened"] =
                    "On \(time) they were set aside unchanged. Reason: \(sentence(reason)) "
                    + (store.isBuiltIn
                        ? "The built-in palettes replaced them."
                        : "The last copy that could be read replaced them, or the built-in palettes where there was none.")
            }
            if let problem = palettes.problem {
                values["problem"] = palettes.cause == .unreadable(problem) ? "The data still can’t be read." : problem
            } else {
                values["restorable"] = [
                    "label": "Restore \(palettes.count == 1 ? "1 palette" : "\(palettes.count) palettes")"
                ]
            }
            return values
        }
    }

    private static let setAsideTime = Date.FormatStyle(locale: Locale(identifier: "en_GB"), timeZone: .current)
        .day().month(.wide).year().hour().minute()

    private static func sentence(_ text: String) -> String {
        text.hasSuffix(".") ? text : "\(text)."
    }
}
