import Foundation
import FuturesFoundation

// Creates the viewer copy of an archive.

extension PageTab {
    /// Navigates to the archive's page, and converts it to a self-contained HTML file.
    func viewerCopy(of resources: [String: WebArchive.Resource]) async throws(CaptureError) -> Data {
        report(.loading(finished: 0, started: 0, bytes: 0))
        try await navigate()
        // No script of the archive runs, so nothing can change later.
        _ = try await settle(early: true)
        let mark = "\u{1}" + UUID().uuidString
        let material = PageScripts.ViewerMaterial(mark: mark, resources: resources)
        let frames = try await frameParts()
        var documents: [String: ViewerCopyWriter.Document] = [:]
        for (frame, part) in frames.sorted(by: { $0.key < $1.key }) {
            for child in part.children { try? await note(child, in: frame, session: session(of: frame, in: frames)) }
            do throws(CaptureError) {
                documents[frame] = try await document(
                    of: frame, session: session(of: frame, in: frames), resources: resources, material: material)
            } catch  where frame != mainFrame && error.code == .renderingFailed {
                // The frame no longer exists or shows an error page, so it's left out.
            }
        }
        let styleSheets = try await styleSheets(for: documents, resources: resources, material: material)
        let (limit, linkPath) = (options.maximumArchiveBytes, options.viewerLinkPath)
        let copy = await WorkerThreads.computing.runUncancellable { [documents, mainFrame] token in
            var writer = ViewerCopyWriter(
                resources: resources, documents: documents, styleSheets: styleSheets, limit: limit, linkPath: linkPath,
                isCancelled: { token.isEnded })
            return Result { () throws(ViewerCopyWriter.Failure) in try writer.copy(of: mainFrame) }
        }
        switch copy {
        case .success(let copy):
            return copy
        case .failure(.tooLarge):
            throw CaptureError(
                .tooLarge, "\(url.shown) is too large to show: its text alone has more than \(limit) bytes.",
                url: url)
        case .failure(.cancelled):
            throw CaptureError(.cancelled, "Preparing \(url.shown) for viewing was cancelled.", url: url)
        }
    }

    /// Tells the scripts in a document which element contains a frame.
    private func note(_ child: String, in frame: String, session: String) async throws(CaptureError) {
        let node = try await send(DevTools.DOM.GetFrameOwner(frameId: child), to: session).backendNodeId
        let world = try await send(DevTools.Page.CreateIsolatedWorld(frameId: frame), to: session).executionContextId
        let object = try await send(
            DevTools.DOM.ResolveNode(backendNodeId: node, executionContextId: world), to: session
        ).object.objectId
        _ = try await send(
            DevTools.Runtime.CallFunctionOn<Bool>(
                functionDeclaration: PageScripts.noteFrame, objectId: object, arguments: [.init(value: child)]),
            to: session)
    }

    private func document(
        of frame: String, session: String, resources: [String: WebArchive.Resource],
        material: PageScripts.ViewerMaterial
    ) async throws(CaptureError) -> ViewerCopyWriter.Document {
        var material = material
        if resources.values.contains(where: \.isDrawing) {
            let used = try await evaluate(
                PageScripts.usedDrawings, as: [String].self, frame: frame, session: session, deadline: options.timeout)
            for address in used {
                guard let resource = resources[address], resource.isDrawing else { continue }
                material.drawings[address] = String(decoding: resource.data, as: UTF8.self)
            }
        }
        let script = try script { [material] in try PageScripts.serializeForViewer(material) }
        let document = try await evaluate(
            script, as: PageScripts.ViewerDocument.self, frame: frame, session: session, deadline: options.timeout)
        return ViewerCopyWriter.Document(
            template: ViewerTemplate(document.html, references: document.references, mark: material.mark),
            isQuirky: document.isQuirky)
    }

    /// Makes a script whose arguments are encoded as JSON.
    func script(_ make: () throws -> String) throws(CaptureError) -> String {
        do {
            return try make()
        } catch {
            throw CaptureError(
                .renderingFailed, "The resources of \(url.shown) couldn't be encoded: \(error)", url: url, cause: error)
        }
    }

    /// The style sheets that the documents use and import, each once.
    private func styleSheets(
        for documents: [String: ViewerCopyWriter.Document], resources: [String: WebArchive.Resource],
        material: PageScripts.ViewerMaterial
    ) async throws(CaptureError) -> [String: ViewerTemplate] {
        // Documents in quirks mode accept any content type for style sheets.
        let acceptsAnyType = documents.values.contains(where: \.isQuirky)
        var sheets: [String: ViewerTemplate] = [:]
        var seen: Set<String> = []
        var waiting = Set(documents.values.flatMap { $0.template.references(.styleSheet) })
        // Limited to the depth at which the writer embeds imports.
        for _ in 0..<ViewerCopyWriter.importDepth where !waiting.isEmpty {
            seen.formUnion(waiting)
            let sources = waiting.sorted().compactMap {
                PageScripts.ViewerStyleSource($0, in: resources, acceptsAnyType: acceptsAnyType)
            }
            guard !sources.isEmpty else { break }
            let script = try script { try PageScripts.rewriteStyleSheets(sources, material: material) }
            let rewritten = try await evaluate(
                script, as: [PageScripts.ViewerStyleSheet].self, deadline: options.timeout)
            waiting = []
            for (source, sheet) in zip(sources, rewritten) {
                let template = ViewerTemplate(sheet.text, references: sheet.references, mark: material.mark)
                sheets[source.address] = template
                waiting.formUnion(template.references(.styleSheet))
            }
            waiting.subtract(seen)
        }
        return sheets
    }
}

extension PageScripts.ViewerMaterial {
    fileprivate init(mark: String, resources: [String: WebArchive.Resource]) {
        self.mark = mark
        self.resources = resources.filter { !$0.value.data.isEmpty }.mapValues { resource in
            Kind(bytes: resource.data.count, isPicture: resource.mediaType.lowercased().hasPrefix("image/"))
        }
    }
}

extension PageScripts.ViewerStyleSource {
    fileprivate init?(_ address: String, in resources: [String: WebArchive.Resource], acceptsAnyType: Bool) {
        let type: String
        if let resource = resources[address] {
            (self.bytes, type) = (resource.data, resource.mediaType)
            self.encoding = resource.textEncodingName ?? ""
        } else if let content = DataAddress.content(of: address) {
            (self.bytes, type) = content
            self.encoding = type.firstMatch(of: /charset=([A-Za-z0-9._-]+)/).map { String($0.output.1) } ?? ""
        } else {
            return nil
        }
        guard acceptsAnyType || type.lowercased().hasPrefix("text/css") else { return nil }
        self.address = address
    }
}

extension WebArchive.Resource {
    fileprivate var isDrawing: Bool { mediaType.lowercased().hasPrefix("image/svg") }
}
