package import EmojiArtModel
import Foundation

/// The checks that every board store makes of its arguments, in addition to the rules of operations.
package enum BoardChecks {
    /// Throws if a board can't have the name.
    package static func check(name: String) throws(BoardStoreError) {
        guard !name.isEmpty else { throw .invalid(ArtWords.enterName) }
        let bytes = name.utf8.count
        guard bytes <= BoardLimits.nameBytes else {
            throw .invalid(ArtWords.boardNameTooLong(bytes, limit: BoardLimits.nameBytes))
        }
        guard !hasControls(name) else {
            throw .invalid(ArtWords.nameHasControls)
        }
    }

    /// Throws if the batch or its author is invalid; the batch's operations may still be refused.
    package static func check(_ batch: OperationBatch, author: String) throws(BoardStoreError) {
        // The same rule applies to the ids of batches and of boards.
        guard BoardID(batch.id) != nil else {
            throw .invalid(ArtWords.invalidBatchID)
        }
        let bytes = batch.name.utf8.count
        guard bytes <= BoardLimits.nameBytes else {
            throw .invalid(ArtWords.stepNameTooLong(bytes, limit: BoardLimits.nameBytes))
        }
        let count = batch.operations.count
        guard count <= BoardLimits.batchOperations else {
            throw .invalid(ArtWords.tooManyOperations(count, limit: BoardLimits.batchOperations))
        }
        guard author.utf8.count <= 64, !hasControls(author) else {
            throw .invalid(ArtWords.invalidAuthor)
        }
    }

    /// Throws if the picture can't be stored; its contents are validated by the caller.
    package static func check(_ picture: PictureContent) throws(BoardStoreError) {
        let bytes = picture.data.count
        guard bytes > 0 else { throw .invalid(ArtWords.emptyPicture) }
        guard bytes <= BoardLimits.pictureBytes else {
            throw .invalid(ArtWords.pictureHasTooManyBytes(bytes, limit: BoardLimits.pictureBytes))
        }
        guard (1...100).contains(picture.type.utf8.count), !hasControls(picture.type) else {
            throw .invalid(ArtWords.invalidPictureType)
        }
    }

    /// Throws if the address can't be stored.
    package static func check(address: String) throws(BoardStoreError) {
        guard (1...BoardLimits.addressBytes).contains(address.utf8.count) else {
            throw .invalid(ArtWords.invalidPictureAddress(limit: BoardLimits.addressBytes))
        }
    }

    private static func hasControls(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension OperationBatch {
    /// The pictures that the batch sets as backgrounds.
    var pictures: Set<PictureID> {
        var pictures: Set<PictureID> = []
        for case .setBackground(.picture(let picture)) in operations { pictures.insert(picture) }
        return pictures
    }
}
