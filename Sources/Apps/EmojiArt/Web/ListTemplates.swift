import EmojiArtModel
import Foundation
import Site

extension ArtTemplates {
    /// The templates of the list, and what stands above all pages but a board's.
    static let listSources: [String: [UInt8]] = [
        "list": PackageResources.list_mustache,
        "listboard": PackageResources.listboard_mustache,
        "listdeleted": PackageResources.listdeleted_mustache,
        "listempty": PackageResources.listempty_mustache,
        "listhead": PackageResources.listhead_mustache,
    ]

    /// What stands above the list and the palettes: the way from one to the other.
    ///
    /// - Parameters:
    ///   - tab: Which of them it is.
    ///   - notice: What everybody who comes should be told.
    /// - Returns: What the template `listhead` refers to.
    static func head(_ tab: ArtTab, notice: String?) -> [String: Any] {
        var values: [String: Any] = [:]
        values["tabs"] = ArtTab.allCases.map {
            ["path": Link($0.path), "label": $0.label, "isCurrent": $0 == tab] as [String: Any]
        }
        values["notice"] = notice
        return values
    }

    /// The page of the boards.
    ///
    /// - Parameters:
    ///   - list: What is shown of them.
    ///   - thumbnails: What makes the small pictures.
    ///   - notice: What everybody who comes should be told.
    /// - Returns: The HTML.
    func boards(_ list: BoardList, thumbnails: ListThumbnails, notice: String?) async -> HTML {
        var values = Self.head(.boards, notice: notice)
        var boards: [[String: Any]] = []
        for board in list.boards {
            boards.append(Self.values(of: board, page: list.page, thumbnail: await thumbnails.html(of: board)))
        }
        values["boards"] = boards
        values["isEmpty"] = list.count == 0
        values["version"] = list.version
        values["page"] = "\(list.page)"
        values["deleted"] = Self.values(ofDeleted: list)
        if list.pages > 1 {
            var pages: [String: Any] = ["text": "Page \(list.page) of \(list.pages)"]
            if list.page > 1 { pages["newer"] = Link(BoardList.path(page: list.page - 1)) }
            if list.page < list.pages { pages["older"] = Link(BoardList.path(page: list.page + 1)) }
            values["pages"] = pages
        }
        return render("list", values)
    }

    private static func values(of board: BoardSummary, page: Int, thumbnail: HTML) -> [String: Any] {
        [
            "id": board.id.rawValue, "path": Link("/art/boards/\(board.id)"), "name": board.name, "page": "\(page)",
            "thumbnail": thumbnail, "time": board.changed.formatted(.iso8601),
            "shownTime": board.changed.formatted(shownTime),
            "count": board.emojiCount == 0 ? "Empty" : "\(board.emojiCount.formatted(number)) emoji",
        ]
    }

    /// The one that was deleted last, and those before it; `nil` where there are none.
    private static func values(ofDeleted list: BoardList) -> [String: Any]? {
        guard let last = list.deleted.first else { return nil }
        func values(_ board: BoardSummary) -> [String: Any] {
            [
                "id": board.id.rawValue, "path": Link("/art/boards/\(board.id)"), "name": board.name,
                "page": "\(list.page)",
            ]
        }
        let earlier = list.deleted.dropFirst().map(values)
        return [
            "last": values(last), "earlier": earlier, "hasEarlier": !earlier.isEmpty,
            "count": earlier.count == 1 ? "One more can come back" : "\(earlier.count) more can come back",
        ]
    }

    private static let number = IntegerFormatStyle<Int>(locale: Locale(identifier: "en_GB"))

    private static let shownTime = Date.FormatStyle(locale: Locale(identifier: "en_GB"), timeZone: .current)
        .day().month(.abbreviated).year().hour(.twoDigits(amPM: .omitted)).minute(.twoDigits)
}

/// The app's pages that have a place in its navigation.
enum ArtTab: CaseIterable {
    case boards, palettes

    var path: String {
        switch self {
        case .boards: "/art/"
        case .palettes: "/art/palettes"
        }
    }

    var label: String {
        switch self {
        case .boards: "Boards"
        case .palettes: "Palettes"
        }
    }
}
