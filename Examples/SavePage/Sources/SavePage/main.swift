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
} else {
    print(
        """
        usage: SavePage URL FILE      writes FILE.png, FILE.pdf and FILE.webarchive
               SavePage               saves a page that it serves itself
        """)
    exit(64)
}
exit(await saving.value ? EXIT_SUCCESS : EXIT_FAILURE)
