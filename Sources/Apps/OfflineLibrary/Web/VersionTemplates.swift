import Capture
import Formats
import Foundation
import Loading
import OfflineLibraryModel
import Site

/// Renders the pages of versions as HTML.
struct VersionTemplates: Sendable {
    /// The name of the event with which both pages are updated.
    static let event = "versions"
    /// The number of changes of a text that are shown.
    static let maximumChanges = 1_000
    /// The number of times of checks that are listed.
    private static let listedChecks = 3
    private let templates: Templates

    /// Throws an error that describes an invalid template.
    init() throws { templates = try Self.parsed.get() }

    private static let parsed = Result {
        try Templates(
            [
                "versions": PackageResources.versions_mustache, "schedule": PackageResources.schedule_mustache,
                "compare": PackageResources.compare_mustache,
            ], words: LibraryWords.versionTemplates)
    }

    /// The page with the versions of an address.
    func versions(_ shown: ShownVersions, _ pages: LibraryTemplates) -> HTML {
        let count = shown.versions.count
        let versions = shown.versions.enumerated().map { index, version in
            let item = pages.view(of: version.item)
            var sizes = version.item.state.value?.sizes ?? [:]
            sizes[.thumbnail] = nil
            let size = PageFormat.allCases.reduce(0) { $0 + (sizes[FileKind($1)] ?? 0) }
            let times = version.checks.prefix(Self.listedChecks).map { ReaderFormats.current.dateAndTime($0) }
            let isFirst = version.previous == nil
            return VersionView(
                page: item, time: item.shownTime,
                size: isFirst || version.newBytes >= size
                    ? LibraryWords.size(size) : LibraryWords.size(size, new: version.newBytes),
                change: isFirst ? LibraryWords.firstVersion : version.comparison?.text ?? LibraryWords.notCompared,
                isCompared: isFirst || version.comparison != nil,
                isUnchanged: version.comparison?.isUnchanged ?? false,
                checked: times.isEmpty
                    ? nil : LibraryWords.checked(Array(times), more: version.checks.count - times.count),
                changes: version.previous.map { Link("/library/compare?old=\($0)&new=\(version.item.id)") },
                // The newest version and the one before it are chosen at first.
                isOld: index == min(1, count - 1), isNew: index == 0)
        }
        return templates.render(
            "versions",
            VersionsView(
                page: pages.view(of: shown.item), versions: versions, hasSeveral: count > 1,
                isComparing: versions.contains { !$0.isCompared }, event: Self.event, version: shown.version,
                schedule: schedule(shown, pages)))
    }

    private func schedule(_ shown: ShownVersions, _ pages: LibraryTemplates) -> ScheduleView {
        let chosen = shown.schedule?.interval
        return ScheduleView(
            path: Link(LibraryTemplates.path(of: shown.item)), intervals: RecaptureSchedule.Interval.choices(chosen),
            next: shown.schedule.flatMap { $0.running == nil ? HTML.time($0.nextAt) : nil },
            isRunning: shown.schedule?.running != nil, last: shown.schedule?.endedAt.map { HTML.time($0) },
            failure: shown.schedule?.failure, problem: chosen == nil ? nil : shown.problem.map { "\($0)" })
    }

    /// The page that compares two versions.
    ///
    /// - Parameters:
    ///   - shown: The versions.
    ///   - changes: What changed between their texts; `nil` if a version has none.
    ///   - tiles: The tiles of tall pictures.
    ///   - pages: Render what is known of the pages.
    /// - Returns: The content of the page.
    func comparison(
        _ shown: ShownComparison, _ changes: TextChanges?, tiles: (old: PictureTiles?, new: PictureTiles?),
        _ pages: LibraryTemplates
    ) -> HTML {
        let picture = shown.comparison?.picture
        var sections = changes.map { self.sections(of: $0) } ?? []
        let count = sections.count { $0.isChange }
        sections = Self.shortened(sections)
        let limit = PageCapture.maximumTextLength
        let isCut = [shown.texts.old, shown.texts.new].contains { ($0?.utf16.count ?? 0) >= limit }
        let hasPictures = [shown.old, shown.new].allSatisfy { $0.state.value?.sizes[.png] != nil }
        return templates.render(
            "compare",
            CompareView(
                page: pages.view(of: shown.new),
                old: side(shown.old, tiles.old, picture?.oldSize, picture?.old, pages),
                new: side(shown.new, tiles.new, picture?.newSize, picture?.new, pages),
                summary: shown.comparison?.text, hasTexts: changes != nil,
                isSameText: changes?.count.isUnchanged ?? false, isCoarse: changes?.count.isCoarse ?? false,
                isCut: isCut, sections: sections, changeCount: LibraryWords.changes(count), hasChanges: count > 0,
                more: count > Self.maximumChanges ? LibraryWords.moreChanges(count - Self.maximumChanges) : nil,
                hasPictures: hasPictures, hasDamagedPictures: shown.comparison != nil && picture == nil,
                isComparing: shown.comparison == nil && shown.problem == nil, problem: shown.problem,
                isCoarsePicture: picture?.isCoarse ?? false, hasMarks: picture?.isUnchanged == false,
                event: Self.event, version: shown.version))
    }

    private func side(
        _ item: LibraryItem, _ tiles: PictureTiles?, _ size: PictureChanges.Region?,
        _ regions: [PictureChanges.Region]?, _ pages: LibraryTemplates
    ) -> SideView {
        let path = LibraryTemplates.path(of: item)
        return SideView(
            time: HTML.time(item.versionTime), opens: pages.viewerPath(of: item).map { Link($0) },
            picture: Link("\(path)/page.png"), hasTiles: tiles != nil,
            tiles: (tiles?.heights ?? []).enumerated().map { index, height in
                TileView(
                    content: Link("\(path)/tiles/\(index)"), width: tiles?.width ?? 0, height: height,
                    isFirst: index == 0)
            }, size: size.flatMap { (regions?.isEmpty ?? true) ? nil : $0 }, regions: regions ?? [])
    }

    /// The sections of a text; unchanged paragraphs are folded, except for the neighbours of a change.
    private func sections(of changes: TextChanges) -> [SectionView] {
        var sections: [SectionView] = []
        var number = 0
        for (index, section) in changes.sections.enumerated() {
            switch section {
            case .changed(let paragraphs):
                number += 1
                sections.append(
                    SectionView(
                        paragraphs: paragraphs.map { ParagraphView(parts: $0.map(PartView.init)) },
                        change: ChangeNumber(number: number)))
            case .same(let paragraphs):
                let isLast = index == changes.sections.count - 1
                // Without any change, the whole text is folded.
                let before = index > 0 ? 1 : 0
                let after = isLast ? 0 : 1
                guard paragraphs.count > before + after + 1 else {
                    sections.append(SectionView(same: paragraphs[...]))
                    continue
                }
                if before > 0 { sections.append(SectionView(same: paragraphs.prefix(before))) }
                let folded = paragraphs[before..<paragraphs.count - after]
                sections.append(
                    SectionView(same: folded, folded: LibraryWords.unchangedParagraphs(folded.count)))
                if after > 0 { sections.append(SectionView(same: paragraphs.suffix(after))) }
            }
        }
        return sections
    }

    /// The sections up to the last change that is shown.
    private static func shortened(_ sections: [SectionView]) -> [SectionView] {
        let cut = sections.firstIndex { $0.change.map { $0.number > maximumChanges } ?? false }
        return Array(sections[..<(cut ?? sections.endIndex)])
    }
}

extension VersionComparison {
    /// What changed, as text.
    var text: String {
        if isUnchanged { return LibraryWords.noChange }
        var texts: [String] = []
        switch words {
        case nil: texts.append(LibraryWords.noTextToCompare)
        case let words? where words.isUnchanged: texts.append(LibraryWords.sameText)
        case let words?:
            if words.added > 0 { texts.append(LibraryWords.wordsAdded(words.added)) }
            if words.removed > 0 {
                texts.append(
                    words.added > 0
                        ? LibraryWords.wordsRemoved(words.removed) : LibraryWords.onlyWordsRemoved(words.removed))
            }
        }
        switch picture {
        case nil: texts.append(LibraryWords.noPictureToCompare)
        case let picture? where picture.isUnchanged: texts.append(LibraryWords.samePicture)
        case let picture?: texts.append(LibraryWords.pictureChanged(picture.share))
        }
        return texts.joined(separator: ", ")
    }
}

extension RecaptureSchedule.Interval {
    /// How often an address may be captured, for a field.
    static func choices(_ chosen: RecaptureSchedule.Interval?) -> [ChoiceView] {
        [ChoiceView(value: "never", label: LibraryWords.never, isChosen: chosen == nil)]
            + allCases.map { ChoiceView(value: $0.rawValue, label: $0.label, isChosen: $0 == chosen) }
    }

    /// The display name.
    var label: String {
        switch self {
        case .daily: LibraryWords.daily
        case .weekly: LibraryWords.weekly
        case .monthly: LibraryWords.monthly
        }
    }
}

// MARK: - Values of the templates

private struct VersionsView {
    let page: ItemView
    let versions: [VersionView]
    let hasSeveral: Bool
    let isComparing: Bool
    let event: String
    let version: String
    let schedule: ScheduleView
}

private struct VersionView {
    let page: ItemView
    let time: String
    let size: String
    let change: String
    let isCompared: Bool
    let isUnchanged: Bool
    let checked: String?
    let changes: Link?
    let isOld: Bool
    let isNew: Bool
}

private struct ScheduleView {
    let path: Link
    let intervals: [ChoiceView]
    let next: HTML?
    let isRunning: Bool
    let last: HTML?
    let failure: String?
    let problem: String?
}

private struct CompareView {
    let page: ItemView
    let old: SideView
    let new: SideView
    let summary: String?
    let hasTexts: Bool
    let isSameText: Bool
    let isCoarse: Bool
    let isCut: Bool
    let sections: [SectionView]
    let changeCount: String
    let hasChanges: Bool
    let more: String?
    let hasPictures: Bool
    let hasDamagedPictures: Bool
    let isComparing: Bool
    let problem: String?
    let isCoarsePicture: Bool
    let hasMarks: Bool
    let event: String
    let version: String
}

private struct SideView {
    let time: HTML
    let opens: Link?
    let picture: Link
    let hasTiles: Bool
    let tiles: [TileView]
    /// The size of the picture, if it has marks.
    let size: PictureChanges.Region?
    let regions: [PictureChanges.Region]
}

private struct SectionView {
    let paragraphs: [ParagraphView]
    /// The number of the change; `nil` for unchanged paragraphs.
    var change: ChangeNumber?
    /// The label of folded paragraphs.
    var folded: String?
    let isChange: Bool

    init(paragraphs: [ParagraphView], change: ChangeNumber) {
        (self.paragraphs, self.change, isChange) = (paragraphs, change, true)
    }

    init(same: ArraySlice<String>, folded: String? = nil) {
        paragraphs = same.map { ParagraphView(parts: [PartView(TextChanges.Part(.same, $0))]) }
        (self.folded, isChange) = (folded, false)
    }
}

private struct ChangeNumber {
    let number: Int
}

private struct ParagraphView {
    let parts: [PartView]
}

private struct PartView {
    let text: String
    let isAdded: Bool
    let isRemoved: Bool

    init(_ part: TextChanges.Part) {
        (text, isAdded, isRemoved) = (part.text, part.kind == .added, part.kind == .removed)
    }
}
