import BrowserDriver
import Foundation
import Testing

/// Tests every form and button of Coffee Tracker, as a person uses it.
@Suite(.timeLimit(.minutes(20))) struct EveryFormTests {
    @Test(arguments: [true, false])
    func everyCoffeeControlShowsAndStoresItsEffect(runsScripts: Bool) async throws {
        let test = EveryControl(
            CoffeeControls.today + CoffeeControls.otherPages + CoffeeControls.health,
            templates: [ControlTemplates(of: "CoffeeTracker")], origin: { "http://127.0.0.1:\($0.port)" })
        let failures = try await test.failures(
            runsScripts: runsScripts, prepare: { try await $0.runBeforePages(CoffeeControls.lastingUndo) },
            serve: { body in try await CoffeeServer.run { try await body($0) } })
        for failure in failures { Issue.record("\(failure)") }
    }
}

/// The pages of Coffee Tracker, and their controls.
enum CoffeeControls {
    typealias Scene = ControlScene<CoffeeServer>
    typealias Row = ControlRow<CoffeeServer>

    /// A script that prevents the undo toast from ending after eight seconds, which a test may exceed.
    ///
    /// `undoEnds` collects the callbacks that would end the toast.
    static let lastingUndo = """
        window.undoEnds = [];
        const later = window.setTimeout;
        window.setTimeout = (run, wait, ...rest) => wait === 8000 ? (undoEnds.push(run), 0) : later(run, wait, ...rest);
        """

    static func has(_ text: String, in selector: String) -> String {
        "document.querySelector('\(selector)').innerText.includes('\(text)')"
    }

    static func isShown(_ selector: String) -> String {
        "document.querySelector('\(selector)').checkVisibility()"
    }

    static func count(_ selector: String, is count: Int) -> String {
        "document.querySelectorAll(\"\(selector)\").length === \(count)"
    }
}
