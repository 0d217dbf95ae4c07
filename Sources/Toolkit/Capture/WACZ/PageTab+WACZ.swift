import Egress
import Foundation
import FuturesFoundation

// Records a page's requests and responses, and creates the formats that contain its resources.

extension PageTab {
    /// Records an event of the network, if a format needs that.
    func record(_ event: DevToolsEvent) {
        guard recorder != nil else { return }
        switch event.method {
        case "Network.requestWillBeSent":
            guard let sent = event.decode(PageEvents.RequestWillBeSent.self), sent.request.url.hasPrefix("http"),
                log[sent.requestId] != nil || !isBlocked
            else { return }
            recorder?.sent(sent)
        case "Network.responseReceived":
            if let received = event.decode(PageEvents.ResponseReceived.self) { recorder?.received(received) }
        case "Network.requestWillBeSentExtraInfo":
            if let fields = event.decode(PageEvents.RequestExtraInfo.self) { recorder?.sentFields(fields) }
        case "Network.responseReceivedExtraInfo":
            if let fields = event.decode(PageEvents.ResponseExtraInfo.self) { recorder?.receivedFields(fields) }
        case "Network.requestServedFromCache":
            if let served = event.decode(PageEvents.ServedFromCache.self) {
                recorder?.servedFromCache(served.requestId)
            }
        default:
            break
        }
    }

    /// Creates the requested formats that contain the page's resources, which are collected once.
    func addArchives(to capture: inout PageCapture, isOnly: Bool) async throws(CaptureError) {
        report(.rendering(archives.contains(.webArchive) ? .webArchive : .wacz))
        var collected = try await collectBodies()
        if archives.contains(.webArchive) {
            let page = try await unlessTooLarge(isOnly: isOnly) { () throws(CaptureError) -> WebArchive in
                try await self.archive(of: &collected)
            }
            do {
                capture.data[.webArchive] = try page?.propertyList()
            } catch {
                throw CaptureError(
                    .renderingFailed, "The archive of \(url.shown) couldn't be written: \(error)", url: url,
                    cause: error)
            }
        }
        if archives.contains(.wacz) {
            report(.rendering(.wacz))
            capture.data[.wacz] = try await wacz(of: collected, title: capture.title, text: capture.text ?? "")
        }
        capture.resources = capture.data.keys.contains(where: \.isArchive) ? collected.manifest : requestedResources
    }

    private func wacz(
        of collected: CollectedBodies, title: String, text: String
    ) async throws(CaptureError) -> Data {
        if recorder?.isCut == true {
            omit("Some requests were left out of the WACZ file: their headers and contents are too large.")
        }
        let recorded = (recorder?.exchanges ?? []).compactMap { exchange -> RecordedExchange? in
            guard !requestsNotLoaded.contains(exchange.id),
                let content = content(of: exchange, in: collected)
            else { return nil }
            var exchange = exchange
            exchange.address = URL(string: exchange.url)?.host(percentEncoded: false)
                .flatMap { egress?.address(of: $0) }.map { "\($0)" }
            return RecordedExchange(exchange: exchange, content: content)
        }
        let main = recorded.last { $0.exchange.id == load.document && !$0.exchange.isRedirect }?.exchange
        let page = WACZWriter.Page(
            url: main?.url ?? HTTPExchange.recordedURL(url.absoluteString), title: title, text: text,
            date: main?.date ?? Date())
        let file = await WorkerThreads.computing.runUncancellable { token in
            Result { () throws(WACZError) in
                try WACZWriter.file(of: page, exchanges: recorded, isCancelled: { token.isEnded })
            }
        }
        switch file {
        case .success(let file): return file
        case .failure(.cancelled): throw CaptureError(.cancelled, "The capture was cancelled.", url: url)
        case .failure(.failed(let reason)):
            throw CaptureError(
                .renderingFailed, "The WACZ file of \(url.shown) couldn't be written: \(reason)", url: url)
        }
    }

    /// The content of an exchange; `nil` if it didn't load completely, or exceeds a limit.
    private func content(of exchange: HTTPExchange, in collected: CollectedBodies) -> RecordedExchange.Content? {
        if exchange.isRedirect { return RecordedExchange.Content.none }
        guard let item = collected[exchange.id], item.entry.failure == nil else { return nil }
        if exchange.method == "HEAD" || [204, 205, 304].contains(exchange.response.status) {
            return RecordedExchange.Content.none
        }
        guard let data = item.body.data else { return nil }
        return item.isReloaded ? .reloaded(data) : .body(data)
    }
}
