import Capture
import Foundation
import UnixSignals

/// One run of `meanwhile capture`: captures the addresses, writes the files, and reports the outcome of each page.
struct CaptureRun: Sendable {
    /// The destination of the files.
    enum Destination: Sendable {
        case folder(OutputFolder)
        case standardOutput
    }

    let addresses: [String]
    let formats: [PageFormat]
    let options: CaptureOptions
    let jobs: Int
    let destination: Destination
    let reporter: Reporter
    let capturer: PageCapturer

    private enum Event: Sendable {
        case finished(Int32)
        case interrupted(UnixSignal)
        case signalsEnded
    }

    /// Runs until all pages are captured or a signal interrupts the run.
    ///
    /// Leaves no Chromium process and no partial file behind.
    ///
    /// - Returns: The exit code.
    func runUntilInterrupted() async -> Int32 {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        let code = await withTaskGroup(of: Event.self) { group -> Int32 in
            group.addTask { .finished(await run()) }
            group.addTask {
                for await signal in signals { return .interrupted(signal) }
                return .signalsEnded
            }
            var interruption: Int32?
            while let event = await group.next() {
                switch event {
                case .finished(let code):
                    group.cancelAll()
                    return interruption ?? code
                case .interrupted(let signal):
                    // Shells report 128 plus the signal's number: https://tldp.org/LDP/abs/html/exitcodes.html
                    interruption = 128 + signal.number
                    group.cancelAll()
                    // The process may be blocked writing to a pipe that isn't read.
                    ForcedExit.schedule(after: Self.exitTimeout, status: interruption ?? 1)
                    // Close the browser now, instead of waiting for each page.
                    await capturer.close()
                case .signalsEnded:
                    break
                }
            }
            return interruption ?? 1
        }
        await capturer.close()
        reporter.end(interrupted: code >= 128)
        return code
    }

    /// How long an interrupted run may take to end, in seconds.
    private static let exitTimeout = 15.0

    private func run() async -> Int32 {
        var madeFolders: [String] = []
        if case .folder(let folder) = destination {
            do {
                madeFolders = try folder.prepare()
            } catch {
                reporter.failedBeforeStart("\(error)")
                return 1
            }
        }
        var savedCount = 0
        await withTaskGroup(of: Bool.self) { group in
            var waiting = addresses.enumerated().makeIterator()
            for _ in 0..<jobs {
                guard let (index, address) = waiting.next() else { break }
                group.addTask { await save(address, index: index) }
            }
            for await isSaved in group {
                if isSaved { savedCount += 1 }
                guard !Task.isCancelled, let (index, address) = waiting.next() else { continue }
                group.addTask { await save(address, index: index) }
            }
        }
        if savedCount == 0 { OutputFolder.removeIfEmpty(madeFolders) }
        return savedCount == addresses.count ? 0 : savedCount == 0 ? 1 : 2
    }

    /// Captures a page and writes its files.
    ///
    /// - Returns: Whether all files of the page were written.
    private func save(_ address: String, index: Int) async -> Bool {
        let page = Reporter.Page(index: index, address: address)
        do {
            let url = try WebAddress.parse(address)
            let capture = try await capturer.capture(url, formats: Set(formats), options: options) { progress in
                reporter.progressed(page, progress)
            }
            if Task.isCancelled { throw CaptureError(.cancelled, CaptureWords.cancelled, url: url) }
            let files = formats.compactMap { format in capture.data[format].map { (format, $0) } }
            switch destination {
            case .folder(let folder):
                let paths = try folder.write(files, stem: OutputFolder.stem(for: url))
                reporter.saved(page, capture, files: paths.map { ($0, $1, capture.data[$0]?.count ?? 0) })
            case .standardOutput:
                for (_, data) in files {
                    do {
                        try FileHandle.standardOutput.write(contentsOf: data)
                    } catch {
                        throw OutputError(description: CaptureWords.notWritten(toStandardOutput: "\(error)"))
                    }
                }
                reporter.saved(page, capture, files: [])
            }
            return true
        } catch let error as CaptureError {
            if error.code != .cancelled, error.code != .closed {
                let message = error.exceededTimeout.map { timeout in
                    CaptureWords.tookTooLong(
                        because: error.message, suggestedTimeout: CaptureOptions.suggestedTimeout(after: timeout))
                }
                reporter.failed(page, code: "\(error.code)", message ?? error.message)
            }
            return false
        } catch {
            reporter.failed(page, code: "outputFailed", "\(error)")
            return false
        }
    }
}

extension UnixSignal {
    /// The signal's number.
    var number: Int32 {
        switch self {
        case .sighup: 1
        case .sigint: 2
        default: 15
        }
    }
}
