import Capture
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
let saving: Task<Bool, Never>
if arguments.isEmpty {
    saving = Task { await Demonstration.run() }
} else if arguments.count == 2, let url = URL(string: arguments[0]) {
    let file = URL(fileURLWithPath: arguments[1])
    saving = Task {
        let saver = PageSaver()
        var isSaved = false
        do {
            for (type, target, data) in try await saver.save(url, to: file) {
                print("\(type.rawValue): \(target.path), \(data)")
            }
            isSaved = true
        } catch {
            print(error)
        }
        await saver.close()
        return isSaved
    }
} else if arguments.count == 3, arguments[0] == "--once", let url = URL(string: arguments[1]) {
    let file = URL(fileURLWithPath: arguments[2])
    saving = Task {
        do {
            let page = try await saveOnce(url, to: file, progress: { print(line(for: $0)) })
            print("“\(page.title)” took \(page.duration)")
            for shortcoming in shortcomings(of: page) { print(shortcoming) }
            return true
        } catch let error as CaptureError {
            print(error, advice(for: error))
        } catch {
            print(error)
        }
        return false
    }
} else {
    print(
        """
        usage: SavePage URL FILE          loads the page for each of FILE.png, FILE.pdf and FILE.webarchive
               SavePage --once URL FILE   loads it once, shows the progress, and lists what is missing
               SavePage                   saves a page that it serves itself
        """)
    exit(64)
}
exit(await saving.value ? EXIT_SUCCESS : EXIT_FAILURE)
