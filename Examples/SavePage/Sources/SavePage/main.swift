import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(string: arguments[1]) else {
    print("usage: SavePage URL FILE      writes FILE.png, FILE.pdf and FILE.webarchive")
    exit(64)
}
let file = URL(fileURLWithPath: arguments[2])

let saver = PageSaver()
let saving = Task {
    do {
        try await saver.save(url, to: file)
        return EXIT_SUCCESS
    } catch {
        print(error)
        return EXIT_FAILURE
    }
}
let status = await saving.value
await saver.close()
exit(status)
