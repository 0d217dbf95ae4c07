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
        board.post("/operations") { request, context in try await apply(request, context) }
        board.post("/pictures") { request, context in try await addPicture(request, context) }
        board.get("/picture/:hash") { request, context in try await picture(request, context) }
        board.post("/background/retry") { _, context in try await retryBackground(context) }
        board.post("/presence") { request, context in try await reportPresence(request, context) }
    }

    func retryBackground(_ context: SiteContext) async throws -> Response {
        try await documents.use(try boardID(in: context)) { try await $0.current().retryBackground() }
        return Response(status: .noContent)
    }

    /// The id of the board in the request's path, or of the only one that the visitor may see.
    func boardID(in context: SiteContext) throws -> BoardID {
        if let access { return access.board }
        guard let id = context.parameters.get("id").flatMap({ BoardID($0) }) else { throw Problem.noSuchBoard }
        return id
    }
}

// MARK: - The board

extension ArtPages {
    func boardPage(_ request: Request, _ context: SiteContext, layout: Layout) async throws -> Response {
        let person = person(request, context)
        let state = try await state(of: try boardID(in: context), for: person)
        let palettes = access == nil ? try await palettesJSON(store: nil) : PaletteDocument.builtIn
        let isLarge = state.art.emojis.count + palettes.palettes.reduce(0) { $0 + $1.emojis.count } > Self.manyEmojis
        let model = Link(layout.files.path(of: "art/board.wasm"))
        let content = try await compute(ArtWords.showingBoard, isLarge: isLarge) {
            [templates, notice, access] () throws(ArtJSONError) in
            let view = BoardPageView(
                id: state.id.rawValue, name: state.name,
                address: Link(access?.path ?? "/art/boards/\(state.id)"), storage: access?.share ?? state.id.rawValue,
                isOwn: access == nil, isGuest: access?.isLink == true, allowsEditing: access?.allowsEditing ?? true,
                state: ScriptData(json: try ArtJSON.data(state)),
                palettes: ScriptData(json: try ArtJSON.data(palettes)), model: model,
                notice: access == nil ? notice : nil)
            return templates.render("board", view)
        }
        let (styles, scripts) = (["art/art.css", "art/presence.css"], ["art/board.js"])
        let response =
            access?.isLink == true
            ? layout.guestPage(title: state.name, heading: nil, content: content, styles: styles, scripts: scripts)
            : page(layout, title: state.name, content, styles: styles, scripts: scripts)
        return person.addingCookie(to: response)
    }

    /// The user of a request.
    func person(_ request: Request, _ context: SiteContext) -> ArtPerson {
        ArtPerson(request, context, path: access?.isLink == true ? "/shared/" : "/art/")
    }

    /// The values of the template `board`.
    private struct BoardPageView: Sendable {
        let id, name: String
        /// The path of the board, which the paths of its requests begin with.
        let address: Link
        /// What the keys of the board's data in the browser contain.
        let storage: String
        let isOwn, isGuest, allowsEditing: Bool
        let state, palettes: ScriptData
        /// The board's model, which the page fetches while its scripts load.
        let model: Link
        let notice: String?
    }

    func state(_ request: Request, _ context: SiteContext) async throws -> Response {
        let person = person(request, context)
        let state = try await state(of: try boardID(in: context), for: person)
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
        let id = try boardID(in: context)
        guard let since = try Self.revision(in: request) else {
            throw Problem(
                .badRequest, title: ArtWords.revisionMissing, detail: ArtWords.revisionMissingDetail)
        }
        // No board reaches this revision, so a page of another epoch receives the whole board. So does a visitor, who
        // must not see what was on the board before.
        let known = isFromEarlierEpoch(request) || access != nil ? .max : since
        let changes = try await documents.use(id) { board in
            _ = try await board.current()
            return try await board.changes(since: known)
        }
        return try await json(
            ArtWords.readingBoard, ChangesJSON(changes: changes, since: since, epoch: documents.epoch),
            isLarge: changes.areMany)
    }

    func follow(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try boardID(in: context)
        let since = try Self.revision(in: request)
        // The entries of this epoch could have revision numbers that follow the page's, although they apply to other
        // contents.
        if isFromEarlierEpoch(request) { throw Problem.earlierEpoch }
        // Opens the board first, so that a failure becomes the response; the stream opens it again when it is read.
        let revision = try await documents.use(id) { try await $0.current().revision }
        let seat = seat(request, context)
        var maker = BoardEvents(since: since ?? revision, isShared: access != nil, seat: seat)
        // A visitor gets the board, and not its history.
        if access != nil, let since, since != revision { maker.reload(at: revision) }
        return events.response(
            to: request,
            sending: PresentEvents(base: DocumentEvents(of: documents.documents, key: id, maker: maker), seat: seat))
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

    /// Applies a batch of operations in the name of the visitor.
    func apply(_ request: Request, _ context: SiteContext) async throws -> Response {
        let person = person(request, context)
        return person.addingCookie(to: try await apply(request, context, author: person.author))
    }

    /// Applies a batch of operations in the name of an author; the name of a script is empty.
    func apply(_ request: Request, _ context: SiteContext, author: String) async throws -> Response {
        let id = try boardID(in: context)
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
        if access?.isLink == true, batch.operations.contains(where: \.fetchesBackground) {
            // Otherwise a visitor could make the server connect to addresses.
            throw Problem.backgroundByAddress
        }
        let (outcome, first) = try await documents.use(id) { board in
            let document = try await board.current()
            let outcome = try await document.apply(batch, author: author)
            let mayNeedName = outcome.entry != nil && BoardName.mayBeAutomatic(document.name)
            return (outcome, mayNeedName ? document.art.emojis.first?.text : nil)
        }
        // The change is stored: if the board can't be named now, the next change tries again. A visitor doesn't name it,
        // because the name depends on those of the owner's other boards.
        if access == nil, let first { try? await nameBoard(id, after: first) }
        return try .json(outcome)
    }
}

extension ArtOperation {
    /// Whether it makes the server fetch a picture.
    fileprivate var fetchesBackground: Bool {
        if case .setBackground(.address) = self { true } else { false }
    }
}
