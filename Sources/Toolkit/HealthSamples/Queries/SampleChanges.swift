public import Foundation

/// What has changed since an ``Anchor``: a page of it.
///
/// It is everything since, and possibly some of what was before; applied once more it changes nothing. The deleted come
/// first, then the added: a sample that was replaced by another version of it is among both.
public struct SampleChanges: Hashable, Sendable {
    /// What is new, or another version, in the order that it was saved in.
    public var added: [Sample]
    /// What is no longer there; some of it may never have been told.
    public var deleted: [DeletedSample]
    /// Where the next page begins: keep it together with what was made of this page.
    public var anchor: Anchor
    /// Whether there is more at once.
    public var hasMore: Bool

    /// Creates a page.
    public init(added: [Sample], deleted: [DeletedSample], anchor: Anchor, hasMore: Bool) {
        self.added = added
        self.deleted = deleted
        self.anchor = anchor
        self.hasMore = hasMore
    }
}

/// What a sample is told by through all its versions: the source's name for it, or else its number.
public enum SampleKey: Hashable, Sendable {
    /// What the source with that identifier calls it.
    case sync(source: String, identifier: String)
    /// A sample that has no versions.
    case id(UUID)
}

extension Sample {
    /// What it is told by through all its versions.
    public var key: SampleKey {
        sync.map { .sync(source: source.identifier, identifier: $0.identifier) } ?? .id(id)
    }
}

extension DeletedSample {
    /// What it was told by through all its versions.
    public var key: SampleKey {
        sync.map { .sync(source: source, identifier: $0.identifier) } ?? .id(id)
    }

    /// Whether it is this sample that is gone, and not a later version of it.
    ///
    /// - Parameter sample: A sample that is known.
    /// - Returns: Whether to drop it.
    public func removes(_ sample: Sample) -> Bool {
        guard sample.key == key else { return false }
        guard let sync, let known = sample.sync else { return true }
        return known.version <= sync.version
    }
}

extension SampleChanges {
    /// Applies the page: the deleted first; a greater version wins; once more changes nothing.
    ///
    /// - Parameter samples: What is known, by its key.
    /// - Complexity: O(*n*) in the page.
    public func apply(to samples: inout [SampleKey: Sample]) {
        for gone in deleted {
            if let known = samples[gone.key], gone.removes(known) { samples[gone.key] = nil }
        }
        for sample in added {
            if let known = samples[sample.key]?.sync, let new = sample.sync, known.version > new.version { continue }
            samples[sample.key] = sample
        }
    }
}
