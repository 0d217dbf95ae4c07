/// What the home page shows of an app: its current state, and the first step of a new user.
public struct AppOverview: Sendable {
    /// A page of the app that the home page links to.
    public struct Entry: Sendable {
        /// The name, from the user.
        public var name: String
        /// The page's path.
        public var path: String
        /// A short text beside the name, such as “12 emoji”; `nil` for none.
        public var detail: String?

        /// Creates an entry.
        public init(name: String, path: String, detail: String? = nil) {
            self.name = name
            self.path = path
            self.detail = detail
        }
    }

    /// The first thing to do in the app.
    public struct Step: Sendable {
        /// What to do, as an imperative: “Save a web page”.
        public var text: String
        /// The path of the page where the user can do it; it may end with a fragment.
        public var path: String
        /// Whether the user has done it.
        public var isDone: Bool

        /// Creates a step.
        public init(_ text: String, at path: String, isDone: Bool) {
            self.text = text
            self.path = path
            self.isDone = isDone
        }
    }

    /// The app's state in a few words, such as “3 boards”; `nil` if it has nothing yet.
    public var status: String?
    /// The pages used last, the latest first; the home page shows three.
    public var entries: [Entry]
    /// The first thing to do in the app.
    public var step: Step

    /// Creates an overview.
    ///
    /// - Parameters:
    ///   - status: The app's state in a few words; `nil` if it has nothing yet.
    ///   - entries: The pages used last, the latest first.
    ///   - step: The first thing to do in the app.
    public init(status: String?, entries: [Entry] = [], step: Step) {
        self.status = status
        self.entries = entries
        self.step = step
    }
}

/// Data that shows what an app does.
///
/// One click on the home page adds the sample data of all apps, and another one removes it.
public protocol SampleData: Sendable {
    /// A description of the data, for use within a sentence: “three drinks”.
    var summary: String { get }

    /// Whether the sample data was added and not removed since.
    ///
    /// - Throws: An error if that can't be read.
    var isPresent: Bool { get async throws }

    /// Adds the sample data, unless it is present.
    ///
    /// - Throws: An error; nothing was added then.
    func add() async throws

    /// Removes what ``add()`` added, and nothing else; some of it may be gone already.
    ///
    /// - Throws: An error; another call removes the rest.
    func remove() async throws
}
