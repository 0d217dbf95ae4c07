/// The documented output of `--json` for one page.
///
/// It is declared independently of the program's own type, so that renaming a field there fails a test.
struct Report: Decodable {
    struct File: Decodable {
        var format: String
        var path: String
        var bytes: Int
    }

    struct Warning: Decodable {
        var kind: String
        var message: String
    }

    struct Resource: Decodable {
        var url: String
        var status: Int?
        var bytes: Int?
        var missing: String?
    }

    struct Failure: Decodable {
        var code: String
        var message: String
    }

    var version: Int
    var complete: Bool?
    var outcome: String
    var address: String
    var url: String?
    var title: String?
    var httpStatus: Int?
    var width: Int?
    var height: Int?
    var readiness: String?
    var seconds: Double?
    var files: [File]
    var resources: [Resource]
    var warnings: [Warning]
    var error: Failure?
}
