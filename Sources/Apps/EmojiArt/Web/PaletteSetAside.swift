import EmojiArtModel
import HTTPTypes
import Hummingbird
import NIOCore
import Site

// The actions on palettes that were set aside.

extension ArtPages {
    /// Adds the download, `restore` and `delete` of set-aside palettes.
    ///
    /// The site's check of hosts and origins protects the forms, as it does all forms.
    func addSetAsideRoutes(to art: RouterGroup<SiteContext>) {
        let setAside = art.group("/palettes/:store/set-aside/:record")
        setAside.get { _, context in
            let name = context.parameters.get("store") ?? ""
            let store = try await palettes.store(named: name)
            let bytes = try await store.setAsideBytes(context.parameters.get("record") ?? "")
            let download = DownloadName(ArtWords.setAside(name), ending: "bin")
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
