/// A part of the site: its pages, its work in the background, and its end.
public protocol SiteModule: Sendable {
    /// The app as the home page and the navigation name it; `nil` for pages that aren't an app.
    var app: SiteApp? { get }

    /// Adds the routes of its pages.
    ///
    /// - Parameters:
    ///   - router: What to add them to.
    ///   - layout: What pages are made with.
    func addRoutes(to router: SiteRouter, layout: Layout)

    /// Works in the background, from when the server listens until the task is cancelled or nothing is left to do.
    func run() async

    /// Called once a minute: forgets and closes what isn't needed any more.
    ///
    /// - Throws: What is logged; the next call comes all the same.
    func tidy() async throws

    /// Starts nothing new, and ends what requests wait for, so that they can be answered; may be called several times.
    func beginShutdown() async

    /// Ends everything, and returns when it has ended.
    func shutDown() async
}

extension SiteModule {
    /// No app.
    public var app: SiteApp? { nil }
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
