import Crypto
import Foundation
import Persistence

extension CacheRecord.Body {
    /// That of some content.
    init(of data: Data) {
        self.init(digest: SHA256.hash(data: data).hexadecimal, checksum: Checksum64.of(data), bytes: data.count)
    }
}
