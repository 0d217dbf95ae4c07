import Digests
import EmojiArtModel
import Foundation

/// The tabs that show a board, with their people and cursors: in memory only.
struct Presence: Sendable {
    /// The largest number of tabs; further ones see the board, but aren't shown to others.
    static let maximumCount = 50
    /// How many reports a tab may send at once, and how many each second in the long run.
    static let burst = 20.0
    static let rate = 20.0

    /// The name of a person.
    enum Name: Hashable, Sendable {
        /// The name of an account, or the owner's where there are no accounts.
        case known(String)
        /// A visitor by a link, who may choose a name.
        case guest
    }

    /// What became of a report.
    enum Outcome: Hashable, Sendable {
        case shown, unchanged, tooMany, unknownTab
    }

    struct Cursor: Hashable, Sendable {
        var x, y: Double
    }

    private struct Seat: Sendable {
        /// The number of the event stream that holds the seat.
        let stream: Int
        let person: String
        let name: Name
        var cursor: Cursor?
        /// How many reports are allowed now, as of a time.
        var allowance = Presence.burst
        var time: ContinuousClock.Instant?
    }

    /// The seats by the tabs' secrets.
    private var seats: [String: Seat] = [:]
    /// A number for each person who is present: it chooses the colour, and a guest's name.
    private var numbers: [String: Int] = [:]
    /// The names that guests have chosen.
    private var chosen: [String: String] = [:]
    private var streams = 0

    var count: Int { seats.count }
}

extension Presence {
    /// Seats a tab, whose event stream begins.
    ///
    /// - Returns: The number of the stream; `nil` if there are too many tabs.
    mutating func join(tab: String, person: String, name: Name) -> Int? {
        guard seats[tab] != nil || seats.count < Self.maximumCount else { return nil }
        streams += 1
        let old = seats[tab]
        // A tab can't take over the seat of another person.
        guard old == nil || old?.person == person else { return nil }
        seats[tab] = Seat(stream: streams, person: person, name: name, cursor: old?.cursor)
        if numbers[person] == nil {
            let taken = Set(numbers.values)
            numbers[person] = (1...).first { !taken.contains($0) }
        }
        return streams
    }

    /// Removes the tab of an event stream that has ended, unless the tab has another one already.
    mutating func leave(tab: String, stream: Int) {
        guard let seat = seats[tab], seat.stream == stream else { return }
        seats[tab] = nil
        guard !seats.values.contains(where: { $0.person == seat.person }) else { return }
        numbers[seat.person] = nil
        chosen[seat.person] = nil
    }

    /// Takes a report of a tab.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - person: The person who sent it.
    ///   - time: The current time.
    /// - Returns: What became of it.
    mutating func receive(_ report: PresenceReport, from person: String, at time: ContinuousClock.Instant) -> Outcome {
        guard var seat = seats[report.tab], seat.person == person else { return .unknownTab }
        let passed = seat.time.map { max(.zero, time - $0) / .seconds(1) } ?? 0
        seat.allowance = min(Self.burst, seat.allowance + passed * Self.rate)
        seat.time = time
        guard seat.allowance >= 1 else {
            seats[report.tab] = seat
            return .tooMany
        }
        seat.allowance -= 1
        var hasChanged = seat.cursor != report.cursor
        seat.cursor = report.cursor
        seats[report.tab] = seat
        if seat.name == .guest, let name = report.name, chosen[person] != name {
            chosen[person] = name
            hasChanged = true
        }
        return hasChanged ? .shown : .unchanged
    }

    /// The people as JSON, for all tabs.
    var json: String? { try? ArtJSON.text(entries) }

    /// The tabs in the order in which they came.
    var entries: [Entry] {
        seats.values.sorted { $0.stream < $1.stream }.map { seat in
            let number = numbers[seat.person] ?? 1
            let (name, isGuest) =
                switch seat.name {
                case .known(let name): (name, false)
                case .guest: (chosen[seat.person] ?? ArtWords.guest(number), true)
                }
            return Entry(
                tab: seat.stream, person: number, name: name, isGuest: isGuest, x: seat.cursor?.x, y: seat.cursor?.y)
        }
    }

    struct Entry: Encodable, Hashable, Sendable {
        let tab, person: Int
        let name: String
        let isGuest: Bool
        let x, y: Double?
    }
}

/// What a tab reports: its cursor, and the name that a guest chooses.
struct PresenceReport: Sendable, Hashable {
    /// The largest size of a report, in bytes.
    static let maximumBytes = 1_000
    /// The longest name, in characters, and in bytes.
    static let maximumName = 30
    static let maximumNameBytes = 200
    /// The farthest a cursor can be from the origin, in points.
    static let reach = 1e7

    let tab: String
    let cursor: Presence.Cursor?
    let name: String?
}

extension PresenceReport {
    private struct Contents: Decodable {
        var tab: String
        var x, y: Double?
        var name: String?
    }

    /// Reads a report.
    ///
    /// - Returns: `nil` if the bytes aren't a report.
    init?(json: Data) {
        guard let contents = try? JSONDecoder().decode(Contents.self, from: json),
            contents.tab.isHexadecimal(bytes: 16)
        else { return nil }
        tab = contents.tab
        name = contents.name.flatMap { Self.name($0) }
        if let x = contents.x, let y = contents.y, abs(x) <= Self.reach, abs(y) <= Self.reach {
            cursor = Presence.Cursor(x: x, y: y)
        } else {
            cursor = nil
        }
    }

    /// A name as plain text on one line, without characters that are invisible or change the direction of others.
    ///
    /// - Returns: `nil` if nothing is left.
    static func name(_ text: String) -> String? {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(10 * maximumName) {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: scalars.append(" ")
            case .format, .privateUse, .surrogate, .unassigned: continue
            default: scalars.append(scalar)
            }
        }
        var name = ""
        for character in String(scalars).split(separator: " ").joined(separator: " ") {
            guard name.count < maximumName, name.utf8.count + character.utf8.count <= maximumNameBytes else { break }
            name.append(character)
        }
        return name.isEmpty ? nil : name
    }
}
