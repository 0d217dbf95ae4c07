import Foundation

// Creates the web archive of a page.

extension PageTab {
    /// A frame of the page, as the archive needs it.
    struct FramePart {
        var frame: DevTools.Page.Frame
        var children: [String] = []
        /// The element in the parent's document that contains the frame.
        var owner: PageScripts.FrameOwner?
        /// The URL by which the parent's document refers to the frame; empty if there is none.
        var address: String { owner?.address ?? "" }
    }

    /// Creates the archive of the page in its current state.
    func archive(of collected: inout CollectedBodies) async throws(CaptureError) -> WebArchive {
        documentLength = 0
        let frames = try await frameParts()
        guard let archive = try await archive(of: mainFrame, in: frames, collected: &collected, isTop: true) else {
            throw CaptureError(.renderingFailed, "The document of \(url.shown) couldn't be read.", url: url)
        }
        return archive
    }

    // MARK: Frames

    func frameParts() async throws(CaptureError) -> [String: FramePart] {
        var parts: [String: FramePart] = [:]
        let main = try await send(DevTools.Page.GetFrameTree()).frameTree
        add(main, to: &parts)
        for tree in await crossSiteTrees() { add(tree, to: &parts) }
        for (id, part) in parts {
            guard let parent = part.frame.parentId, parts[parent] != nil else { continue }
            parts[parent]?.children.append(id)
            parts[id]?.owner = try? await owner(of: id, parent: parent)
        }
        return parts
    }

    /// The trees of the cross-site frames, except of those that no longer exist or don't respond.
    ///
    /// They are requested at the same time, and so delay the archive by at most 30 s, half of the default timeout.
    private func crossSiteTrees() async -> [DevTools.Page.FrameTree] {
        let sessions = frameSessions.sorted { $0.key < $1.key }.map(\.value)
        return await withTaskGroup(of: (Int, DevTools.Page.FrameTree?).self) { group in
            for (index, session) in sessions.enumerated() {
                group.addTask { (index, try? await self.send(DevTools.Page.GetFrameTree(), to: session).frameTree) }
            }
            var trees: [Int: DevTools.Page.FrameTree] = [:]
            for await (index, tree) in group { trees[index] = tree }
            return sessions.indices.compactMap { trees[$0] }
        }
    }

    private func add(_ tree: DevTools.Page.FrameTree, to parts: inout [String: FramePart]) {
        guard parts[tree.frame.id] != nil || parts.count < max(options.limits.frames, 1) else {
            omit("The page has more than \(options.limits.frames) frames; the others were left out.")
            return
        }
        parts[tree.frame.id] = FramePart(frame: tree.frame)
        for child in tree.childFrames ?? [] { add(child, to: &parts) }
    }

    /// The DevTools session of a frame: that of the nearest ancestor with a session, including the frame itself.
    func session(of frame: String, in parts: [String: FramePart]) -> String {
        var current: String? = frame
        while let id = current {
            if let session = frameSessions[id] { return session }
            current = parts[id]?.frame.parentId
        }
        return session
    }

    private func owner(of frame: String, parent: String) async throws(CaptureError) -> PageScripts.FrameOwner? {
        let session = frameSessions[parent] ?? session
        let node = try await send(DevTools.DOM.GetFrameOwner(frameId: frame), to: session).backendNodeId
        let object = try await send(DevTools.DOM.ResolveNode(backendNodeId: node), to: session).object.objectId
        return try await send(
            DevTools.Runtime.CallFunctionOn<PageScripts.FrameOwner>(
                functionDeclaration: PageScripts.frameOwner, objectId: object), to: session
        ).result.value
    }

    private func archive(
        of frame: String, in frames: [String: FramePart], collected: inout CollectedBodies, isTop: Bool = false
    ) async throws(CaptureError) -> WebArchive? {
        guard let part = frames[frame] else { return nil }
        let rest = options.limits.documentLength - documentLength
        let script = try script { try PageScripts.serializeDocument(limit: rest, address: part.address) }
        let document: PageScripts.Document
        do {
            document = try await evaluate(
                script, as: PageScripts.Document.self, frame: frame, session: session(of: frame, in: frames),
                deadline: options.timeout)
        } catch  where !isTop && error.code == .renderingFailed {
            // The frame no longer exists or shows an error page, so it's left out.
            return nil
        }
        if document.isTooLong == true {
            let limit = options.limits.documentLength
            guard !isTop else {
                throw CaptureError(
                    .tooLarge,
                    "The document of \(url.shown) is too large for a web archive: it has more than \(limit) "
                        + "characters. Save the page as a picture or PDF instead.", url: url)
            }
            omit("A frame was left out of the archive: the page's documents have more than \(limit) characters.")
            return nil
        }
        documentLength += document.html.utf16.count
        var subframes: [WebArchive] = []
        var written: [WebArchive.Resource] = []
        for child in part.children {
            guard let archive = try await archive(of: child, in: frames, collected: &collected) else { continue }
            subframes.append(archive)
            // A frame without a URL of its own, whose document was written by a script, can't be found by URL. Its
            // resources may be looked up in its parent.
            if !archive.mainResource.url.hasPrefix("http") { written += archive.subresources }
        }
        var subresources = collected.resources(ofFrame: frame)
        let known = Set(subresources.map(\.url))
        var added: Set<String> = []
        subresources += written.filter { !known.contains($0.url) && added.insert($0.url).inserted }
        return WebArchive(
            mainResource: mainResource(document, part: part, isTop: isTop, collected: collected),
            subresources: subresources, subframes: subframes)
    }

    private func mainResource(
        _ document: PageScripts.Document, part: FramePart, isTop: Bool, collected: CollectedBodies
    ) -> WebArchive.Resource {
        let address = part.address.isEmpty ? String(document.url.prefix { $0 != "#" }) : part.address
        let name = isTop ? "" : part.owner.map(\.name).flatMap { $0.isEmpty ? nil : $0 }
        let isMarkup = ["text/html", "application/xhtml+xml"].contains(document.contentType)
        if !isMarkup, let original = collected.document(ofFrame: part.frame.id, loader: part.frame.loaderId) {
            return WebArchive.Resource(
                data: original.data, url: address, mediaType: original.mediaType,
                textEncodingName: original.textEncodingName, frameName: name)
        }
        // A frame that failed to load shows an error page of the browser or the proxy, which isn't part of the page.
        let isLoaded = !document.url.hasPrefix("chrome-error:") && !requestsNotLoaded.contains(part.frame.loaderId)
        return WebArchive.Resource(
            data: Data((isLoaded ? document.html : "").utf8), url: address,
            mediaType: isMarkup ? document.contentType : "text/html", textEncodingName: "UTF-8", frameName: name)
    }
}
