import Foundation

/// All resources that a page requested, with their bodies or the reasons why they are missing.
struct CollectedBodies: Sendable {
    struct Item: Sendable {
        var entry: ResourceLog.Entry
        var body: ResourceBody
        /// Whether the body belongs to a partial response (206).
        var isPartial = false
        /// Whether the body is that of a later request.
        var isReloaded = false
    }

    private let items: [Item]
    private let indices: [String: Int]

    /// Keeps complete bodies in the order of their requests, skipping those that would exceed the limit of decoded
    /// bytes.
    init(_ items: [Item], limit: Int) {
        var rest = limit
        self.items = items.map { item in
            guard let count = item.body.data?.count else { return item }
            var item = item
            if count > rest {
                item.body = .overBudget(limit: limit)
            } else {
                rest -= count
            }
            return item
        }
        self.indices = Dictionary(
            self.items.indices.map { (items[$0].entry.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The resource of a request.
    subscript(id: String) -> Item? { indices[id].map { items[$0] } }

    /// The list of all resources.
    var manifest: [PageCapture.Resource] {
        items.map { $0.entry.resource(byteCount: $0.body.data?.count, missing: $0.body.reason) }
    }

    /// The resources of a frame's document, without duplicate URLs.
    func resources(ofFrame frame: String) -> [WebArchive.Resource] {
        var seen: Set<String> = []
        var resources: [WebArchive.Resource] = []
        for item in items where item.entry.frame == frame && item.entry.kind != "Document" {
            guard let resource = item.resource ?? item.emptyResource, seen.insert(item.entry.url).inserted else {
                continue
            }
            guard item.entry.kind == "Stylesheet", item.entry.finalURL != item.entry.url else {
                resources.append(resource)
                continue
            }
            // The relative URLs in a redirected style sheet are relative to its final URL. The entry for the original
            // URL therefore only imports the final one.
            var leading = resource
            let written = item.entry.finalURL.replacing("\\", with: "\\\\")
            leading.data = Data("@import url(\"\(written)\");".utf8)
            resources.append(leading)
            if seen.insert(item.entry.finalURL).inserted {
                var real = resource
                real.url = item.entry.finalURL
                resources.append(real)
            }
        }
        return resources
    }

    /// The response body of a frame's document, for documents that aren't HTML.
    func document(ofFrame frame: String, loader: String) -> WebArchive.Resource? {
        items.last { $0.entry.id == loader || ($0.entry.frame == frame && $0.entry.kind == "Document") }?.resource
    }
}

extension CollectedBodies.Item {
    fileprivate var resource: WebArchive.Resource? {
        switch body {
        case .text(let data):
            WebArchive.Resource(
                data: data, url: entry.url, mediaType: entry.mediaTypeOrUnknown, textEncodingName: "UTF-8")
        case .bytes(let data):
            WebArchive.Resource(
                data: data, url: entry.url, mediaType: entry.mediaTypeOrUnknown, textEncodingName: entry.charset)
        case .missing, .overBudget:
            nil
        }
    }

    /// An empty stand-in for a resource that didn't load.
    ///
    /// If the archive lacks a resource, a viewer loads it from the network. The page was shown without the resource, so
    /// the archive must be too. Resources that loaded but exceed the budget have no stand-in, because a viewer would
    /// take it for the complete resource.
    fileprivate var emptyResource: WebArchive.Resource? {
        guard case .missing = body,
            ["Image", "Stylesheet", "Font", "Script", "Media", "Manifest", "TextTrack"].contains(entry.kind),
            entry.url.hasPrefix("http")
        else { return nil }
        return WebArchive.Resource(data: Data(), url: entry.url, mediaType: entry.mediaTypeOrUnknown)
    }
}

extension ResourceLog.Entry {
    fileprivate func resource(byteCount: Int?, missing: String?) -> PageCapture.Resource {
        PageCapture.Resource(
            url: url, mediaType: mediaType, status: status, byteCount: byteCount, missing: missing ?? refusedStyle)
    }

    /// Whether it's the icon that the browser asks for by itself, which has no response yet.
    ///
    /// The page is complete without it.
    fileprivate var isUnansweredIcon: Bool {
        !isFinished && failure == nil && ResourceLog.isOwnIcon(kind: kind, url: url)
    }

    /// Why the browser doesn't apply a style sheet that it received; `nil` if it does.
    private var refusedStyle: String? {
        kind == "Stylesheet" ? PageCapture.Resource.refusal(status) : nil
    }

    fileprivate var mediaTypeOrUnknown: String {
        guard let mediaType, !mediaType.isEmpty else { return "application/octet-stream" }
        return mediaType
    }
}

/// The body of a resource, or the reason why it's missing.
enum ResourceBody: Sendable {
    /// Text that the browser decoded, as UTF-8.
    case text(Data)
    /// The original bytes, after decompression.
    case bytes(Data)
    /// The resource didn't load, and the page was shown without it.
    case missing(String)
    /// The resource loaded but exceeds the archive's budget.
    case overBudget(limit: Int)

    init(_ reply: DevTools.Network.GetResponseBody.Reply) {
        if !reply.base64Encoded {
            self = .text(Data(reply.body.utf8))
        } else if let bytes = Data(base64Encoded: reply.body) {
            self = .bytes(bytes)
        } else {
            self = .missing("its content couldn't be read")
        }
    }

    var data: Data? {
        switch self {
        case .text(let data), .bytes(let data): data
        case .missing, .overBudget: nil
        }
    }

    var reason: String? {
        switch self {
        case .text, .bytes: nil
        case .missing(let reason): reason
        case .overBudget(let limit): "it exceeds the archive's limit of \(limit.formatted(.byteCount(style: .memory)))"
        }
    }
}

extension PageTab {
    /// The maximum number of concurrent reloads.
    private static let parallelReloads = 6

    /// Waits for the bodies, and reloads those that are missing.
    func collectBodies() async throws(CaptureError) -> CollectedBodies {
        var items: [CollectedBodies.Item] = []
        var byURL: [String: ResourceBody] = [:]
        for entry in log.entries where !entry.isUnansweredIcon {
            let body = await body(of: entry)
            if body.data != nil, entry.status != 206 { byURL[entry.url] = body }
            items.append(CollectedBodies.Item(entry: entry, body: body, isPartial: entry.status == 206))
        }
        var toReload = items.indices.filter { items[$0].isRetriable }
        for index in toReload {
            // The same URL may have loaded in another frame.
            guard let known = byURL[items[index].entry.url] else { continue }
            items[index].body = known
            items[index].isPartial = false
            items[index].isReloaded = true
        }
        toReload.removeAll { !items[$0].isPartial && items[$0].body.data != nil }
        let entries = toReload.map { ($0, items[$0].entry) }
        let reloaded = await withTaskGroup(of: (Int, ResourceBody).self) { group in
            var waiting = entries.makeIterator()
            var bodies: [(Int, ResourceBody)] = []
            for _ in 0..<Self.parallelReloads {
                guard let (index, entry) = waiting.next() else { break }
                group.addTask { (index, await self.reload(entry)) }
            }
            for await body in group {
                bodies.append(body)
                guard let (index, entry) = waiting.next() else { continue }
                group.addTask { (index, await self.reload(entry)) }
            }
            return bodies
        }
        // Also sets missing bodies, because a partial response must not be stored as the complete resource.
        for (index, body) in reloaded {
            items[index].body = body
            items[index].isReloaded = true
        }
        return CollectedBodies(items, limit: options.maximumArchiveBytes)
    }

    /// All resources that the page requested, for a capture without an archive.
    ///
    /// Failed and refused requests count as missing. A request that is still open, such as an event stream, doesn't.
    var requestedResources: [PageCapture.Resource] {
        log.entries.map { $0.resource(byteCount: nil, missing: $0.failure) }
    }

    private func body(of entry: ResourceLog.Entry) async -> ResourceBody {
        if let failure = entry.failure { return .missing(failure) }
        guard entry.isFinished, let body = bodies[entry.id] else { return .missing("no response yet") }
        return await body.value
    }

    /// Reloads a whole resource, because media players request only parts and the browser discards large or old
    /// bodies.
    private func reload(_ entry: ResourceLog.Entry) async -> ResourceBody {
        let budgetID = entry.id + " again"
        do throws(CaptureError) {
            let session = frameSessions[entry.frame] ?? session
            let resource = try await send(
                DevTools.Network.LoadNetworkResource(frameId: entry.frame, url: entry.url), to: session
            ).resource
            guard resource.success, let stream = resource.stream else {
                return .missing(resource.netErrorName ?? "it couldn't be loaded again")
            }
            // The partial body is replaced, so its reservation is released.
            budget.release(entry.id)
            // Otherwise a huge resource would take up the budget of others until its size is known.
            guard resource.contentLength ?? 0 <= budget.limit - budget.total else {
                connection.post(DevTools.IO.Close(handle: stream), session: session)
                return .overBudget(limit: budget.limit)
            }
            return .bytes(
                try await read(stream: stream, limit: budget.limit, budgetID: budgetID, session: session))
        } catch {
            budget.release(budgetID)
            return error.code == .tooLarge ? .overBudget(limit: options.maximumArchiveBytes) : .missing("\(error)")
        }
    }
}

extension CollectedBodies.Item {
    fileprivate var isRetriable: Bool {
        guard entry.url.hasPrefix("http"), entry.kind != "Document", entry.kind != "EventSource",
            entry.kind != "Ping", entry.kind != "Preflight"
        else { return false }
        if case .overBudget = body { return false }
        if isPartial { return true }
        // A failed request isn't repeated: the page was shown without its resource.
        return body.data == nil && entry.failure == nil && entry.status != nil
    }
}

extension PageCapture.Resource {
    /// Says with which error status the server responded; `nil` for another status, or if there was no response.
    static func refusal(_ status: Int?) -> String? {
        guard let status, status >= 400 else { return nil }
        return "the server responded with status \(status)"
    }
}
