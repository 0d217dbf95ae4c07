import Crypto
import Digests
import Foundation

extension CacheRecord.Body {
    /// That of some content.
    init(of data: Data) {
        self.init(digest: SHA256.hash(data: data).hexadecimal, checksum: XXH64.hash(data), bytes: data.count)
    }
}
