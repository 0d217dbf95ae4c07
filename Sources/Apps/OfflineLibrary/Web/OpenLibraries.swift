import Foundation
public import OfflineLibraryModel

/// The libraries that are in use: one for each owner, made at its first use, and shared by all of the owner's tabs.
///
/// It is dropped after the last tab, when no capture runs in it: what it knows is in the store.
@MainActor
public final class OpenLibraries {
    /// A library with what shows it.
    struct OpenLibrary {
        let library: Library
        let feed: LibraryFeed
    }

    private struct Place {
        let library: Library
        let opening: Task<Result<OpenLibrary, LibraryError>, Never>
        var leases = 0
    }

    private let make: @MainActor (_ owner: String) -> Library
    private let pages: LibraryTemplates
    private var places: [String: Place] = [:]
    private var isEnding = false

    /// Creates a house without libraries.
    ///
    /// - Parameter make: Makes the library of an owner.
    /// - Throws: What is wrong with a template.
    public init(make: @escaping @MainActor (_ owner: String) -> Library) throws {
        self.make = make
        self.pages = try LibraryTemplates()
    }
}

extension OpenLibraries {
    /// The owners whose libraries are open, for the tests.
    var owners: Set<String> { Set(places.keys) }

    /// Uses an owner's library.
    func use<Value: Sendable>(
        _ owner: String, _ body: @MainActor (OpenLibrary) async throws -> Value
    ) async throws -> Value {
        let open = try await lease(owner)
        defer { giveBack(owner) }
        return try await body(open)
    }

    /// The library of an owner, which stays open until it is given back.
    func lease(_ owner: String) async throws(LibraryError) -> OpenLibrary {
        if isEnding, places[owner] == nil { throw .ending }
        var place = places[owner] ?? place(for: owner)
        place.leases += 1
        places[owner] = place
        let result = await place.opening.value
        if case .failure(let error) = result {
            giveBack(owner)
            // The next one tries anew.
            if places[owner]?.opening == place.opening { places[owner] = nil }
            throw error
        }
        return try result.get()
    }

    func giveBack(_ owner: String) {
        places[owner]?.leases -= 1
    }

    private func place(for owner: String) -> Place {
        let library = make(owner)
        let feed = LibraryFeed(library, pages: pages)
        // Shared by all who wait for it; ends by itself.
        let opening = Task { () -> Result<OpenLibrary, LibraryError> in
            do throws(LibraryError) {
                try await library.open()
                feed.start()
                return .success(OpenLibrary(library: library, feed: feed))
            } catch {
                return .failure(error)
            }
        }
        return Place(library: library, opening: opening)
    }
}

// MARK: - For the program

extension OpenLibraries {
    /// Goes on with what was interrupted.
    public func resume(owners: [String]) async throws(LibraryError) {
        for owner in owners {
            _ = try await lease(owner)
            giveBack(owner)
        }
    }

    /// Forgets for good what was deleted long ago, and drops the libraries that nobody uses.
    public func tidy() async throws(LibraryError) {
        for (owner, place) in places {
            guard case .success(let open) = await place.opening.value else { continue }
            try await open.library.purge()
            if let leases = places[owner]?.leases, leases <= 0, !open.library.isBusy {
                open.feed.stop()
                places[owner] = nil
            }
        }
    }

    /// Begins nothing any more, and asks all captures that run to end; they go on after the next start.
    public func beginEnd() {
        isEnding = true
        for place in places.values { place.library.beginEnd() }
    }

    /// Ends all that runs, and waits until it is gone.
    public func end() async {
        beginEnd()
        for place in places.values {
            guard case .success(let open) = await place.opening.value else { continue }
            open.feed.stop()
            await open.library.end()
        }
        places = [:]
    }
}
