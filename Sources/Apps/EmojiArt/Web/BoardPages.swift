import EmojiArtModel
import Foundation
import HTTPTypes
import Hummingbird
import Site

// A board's page, and the endpoints for its script.

extension ArtPages {
    func addBoardRoutes(to art: RouterGroup<SiteContext>, layout: Layout) {
        let board = art.group("/boards/:id")
        board.get { request, context in try await boardPage(request, context, layout: layout) }
        board.get("/state") { request, context in try await state(request, context) }
        board.get("/entries") { request, context in try await entries(request, context) }
        board.get("/events") { request, context in try await follow(request, context) }
        board.post("/operations") { request, context in
            let person = ArtPerson(request, context)
            return person.addingCookie(to: try await apply(request, context, author: person.author))
        }
        board.post("/pictures") { request, context in try await addPicture(request, context) }
        board.get("/picture/:hash") { request, context in try await picture(request, context) }
        board.post("/background/retry") { _, context in
            try await documents.use(try Self.board(in: context)) { try await $0.current().retryBackground() }
            return Response(status: .noContent)
        }
    }

    /// The id of the board in the request's path.
    static func board(in context: SiteContext) throws -> BoardID {
        guard let id = context.parameters.get("id").flatMap({ BoardID($0) }) else { throw Problem.noSuchBoard }
        return id
    }
}

// MARK: - The board

extension ArtPages {
    private func boardPage(_ request: Request, _ context: SiteContext, layout: Layout) async throws -> Response {
        let person = ArtPerson(request, context)
        let state = try await state(of: try Self.board(in: context), for: person)
        let palettes = try await palettesJSON(store: nil)
        let isLarge = state.art.emojis.count + palettes.palettes.reduce(0) { $0 + $1.emojis.count } > Self.manyEmojis
        let model = Link(layout.files.path(of: "art/board.wasm"))
        let content = try await compute(ArtWords.showingBoard, isLarge: isLarge) {
            [templates, notice] () throws(ArtJSONError) in
            let view = BoardPageView(
                id: state.id.rawValue, name: state.name, state: ScriptData(json: try ArtJSON.data(state)),
                palettes: ScriptData(json: try ArtJSON.data(palettes)), model: model, notice: notice)
            return templates.render("board", view)
        }
        return person.addingCookie(
            to: page(layout, title: state.name, content, styles: ["art/art.css"], scripts: ["art/board.js"]))
    }

    /// The values of the template `board`.
    private struct BoardPageView: Sendable {
        let id, name: String
        let state, palettes: ScriptData
        /// The board's model, which the page fetches while its scripts load.
        let model: Link
        let notice: String?
    }

    private func state(_ request: Request, _ context: SiteContext) async throws -> Response {
        let person = ArtPerson(request, context)
        let state = try await state(of: try Self.board(in: context), for: person)
        return person.addingCookie(
            to: try await json(
                ArtWords.readingBoard, state, isLarge: state.art.emojis.count > Self.manyEmojis))
    }

    private func state(of id: BoardID, for person: ArtPerson) async throws -> BoardState {
        try await documents.use(id) { board in
            let document = try await board.current()
            return BoardState(
                id: id, name: document.name, revision: document.revision, art: document.art,
                picture: PictureJSON(document), me: person.author, epoch: documents.epoch)
        }
    }
}

// MARK: - Changes

extension ArtPages {
    func entries(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try Self.board(in: context)
        guard let since = try Self.revision(in: request) else {
            throw Problem(
                .badRequest, title: ArtWords.revisionMissing, detail: ArtWords.revisionMissingDetail)
        }
        // No board reaches this revision, so a page of another epoch receives the whole board.
        let known = isFromEarlierEpoch(request) ? .max : since
        let changes = try await documents.use(id) { board in
            _ = try await board.current()
            return try await board.changes(since: known)
        }
        return try await json(
            ArtWords.readingBoard, ChangesJSON(changes: changes, since: since, epoch: documents.epoch),
            isLarge: changes.areMany)
    }

    private func follow(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try Self.board(in: context)
        let since = try Self.revision(in: request)
        // The entries of this epoch could have revision numbers that follow the page's, although they apply to other
        // contents.
        if isFromEarlierEpoch(request) { throw Problem.earlierEpoch }
        // Opens the board first, so that a failure becomes the response; the stream opens it again when it is read.
        let revision = try await documents.use(id) { try await $0.current().revision }
        return events.response(
            to: request,
            sending: DocumentEvents(
                of: documents.documents, key: id, maker: BoardEvents(since: since ?? revision)))
    }

    /// Whether the page's revision comes from an earlier server process.
    private func isFromEarlierEpoch(_ request: Request) -> Bool {
        request.uri.queryParameters["epoch"].map { $0 != documents.epoch } ?? false
    }

    private static func revision(in request: Request) throws -> Int? {
        guard let text = request.uri.queryParameters["since"] else { return nil }
        guard let revision = Int(text), revision >= 0 else {
            throw Problem(
                .badRequest, title: ArtWords.invalidRevision,
                detail: ArtWords.invalidRevisionDetail(text.prefix(40)))
        }
        return revision
    }

    /// Applies a batch of operations in the name of an author; the name of a script is empty.
    func apply(_ request: Request, _ context: SiteContext, author: String) async throws -> Response {
        let id = try Self.board(in: context)
        let data = try await ArtUpload.data(of: request, upTo: BoardLimits.batchBytes, orElse: .batchTooLarge)
        let batch: OperationBatch
        do {
            batch = try await compute(ArtWords.readingChanges, isLarge: data.count > Self.manyBytes) {
                () throws(ArtJSONError) in
                try ArtJSON.batch(from: data)
            }
        } catch let error as ArtJSONError {
            throw Problem.noBatch("\(error)")
        }
        let (outcome, first) = try await documents.use(id) { board in
            let document = try await board.current()
            let outcome = try await document.apply(batch, author: author)
            let mayNeedName = outcome.entry != nil && BoardName.mayBeAutomatic(document.name)
            return (outcome, mayNeedName ? document.art.emojis.first?.text : nil)
        }
        // The change is stored: if the board can't be named now, the next change tries again.
        if let first { try? await nameBoard(id, after: first) }
        return try .json(outcome)
    }
}
