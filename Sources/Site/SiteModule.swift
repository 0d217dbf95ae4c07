public import Persistence

/// A part of the site, with its pages, its background work and its shutdown.
public protocol SiteModule: Sendable {
    /// The app's entry on the home page and in the navigation; `nil` if the module isn't an app.
    var app: SiteApp? { get }

    /// The kinds of things that people can share.
    var shareableKinds: [ShareableKind] { get }

    /// The app's sample data of an owner; `nil` if there is none.
    func samples(of owner: OwnerID) -> (any SampleData)?

    /// What the home page shows of the app.
    ///
    /// - Parameter owner: The owner whose home page it is.
    /// - Returns: The overview; `nil` to show only the app's summary.
    /// - Throws: An error, which is logged; the home page then shows only the app's summary.
    func overview(of owner: OwnerID) async throws -> AppOverview?

    /// Adds the routes of the module's pages.
    ///
    /// - Parameters:
    ///   - router: The router to add them to.
    ///   - layout: The layout of the pages.
    func addRoutes(to router: SiteRouter, layout: Layout)

    /// Runs background work from when the server listens until the task is cancelled or no work is left.
    func run() async

    /// Releases resources that are no longer needed; called once a minute.
    ///
    /// - Throws: An error, which is logged and doesn't stop later calls.
    func tidy() async throws

    /// Starts no more work, and ends work that requests wait for, so that these end too; may be called repeatedly.
    func beginShutdown() async

    /// Ends all work, and returns when it has ended.
    func shutDown() async
}

extension SiteModule {
    /// No app.
    public var app: SiteApp? { nil }
    /// Nothing that can be shared.
    public var shareableKinds: [ShareableKind] { [] }
    /// No sample data.
    public func samples(of owner: OwnerID) -> (any SampleData)? { nil }
    /// Only the app's summary.
    public func overview(of owner: OwnerID) async throws -> AppOverview? { nil }
    /// Adds no pages.
    public func addRoutes(to router: SiteRouter, layout: Layout) {}
    /// Does nothing.
    public func run() async {}
    /// Does nothing.
    public func tidy() async throws {}
    /// Does nothing.
    public func beginShutdown() async {}
    /// Does nothing.
    public func shutDown() async {}
}
