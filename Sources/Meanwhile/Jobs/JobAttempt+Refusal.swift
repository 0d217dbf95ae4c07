import Capture
import Egress
import Foundation
import Jobs
import OfflineLibraryModel
import OfflineLibraryStore

extension JobAttempt {
    /// The host of the page or picture that requested an address that isn't public; `nil` if none was refused.
    ///
    /// The result is a job's, which hostile bytes may control: only whether something was refused is read from it.
    func refusedHost(of job: Job) -> String? {
        switch JobKind(rawValue: job.kind) {
        case .capture:
            guard let request = try? JSONDecoder().decode(CaptureParameters.self, from: job.payload).request,
                isRefusedCapture
            else { return nil }
            return request.url.host()
        case .pictureFetch:
            guard case .failed(let error) = self, error.code == JobError.refusedCode,
                let parameters = try? JSONDecoder().decode(PictureFetchParameters.self, from: job.payload)
            else { return nil }
            return URL(string: parameters.address)?.host()
        default: return nil
        }
    }

    private struct Warnings: Decodable {
        var warnings: [PageCapture.Warning]
    }

    private var isRefusedCapture: Bool {
        switch self {
        case .succeeded(let result):
            let warnings = try? JSONDecoder().decode(Warnings.self, from: result).warnings
            return warnings?.contains { $0.kind == .refusedAddresses } == true
        case .failed(let error): return error.code == CaptureError.Code.addressRefused.description
        case .lost, .postponed: return false
        }
    }
}

extension JobError {
    /// The code of a picture whose address isn't public.
    static let refusedCode = "refused"
}
