import Foundation

/// The web app manifest (https://www.w3.org/TR/appmanifest/) with which a browser installs an app of the site.
package struct WebAppManifest: Encodable, Sendable {
    private struct Icon: Encodable {
        var src: String
        var sizes = "any"
        var type = "image/svg+xml"
    }

    /// How other apps share an address with this one (https://w3c.github.io/web-share-target/): by a GET request of the
    /// app's path.
    private struct ShareTarget: Encodable {
        struct Parameters: Encodable {
            var title = "title"
            var text = "text"
            var url = "url"
        }
        var action: String
        var method = "GET"
        var params = Parameters()
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, description, scope, display, icons
        case shortName = "short_name"
        case start = "start_url"
        case share = "share_target"
    }

    private let id, start, scope, name, shortName, description: String
    private let display = "standalone"
    private let icons: [Icon]
    private var share: ShareTarget?

    /// Creates a manifest.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - shortName: The name below the icon.
    ///   - layout: The layout, which knows the path of the icon.
    ///   - isShareTarget: Whether other apps can share a title, a text and a URL with the app.
    package init(_ app: SiteApp, shortName: String, layout: Layout, isShareTarget: Bool = false) {
        (id, start, scope, name, description) = (app.path, app.path, app.path, app.name, app.summary)
        self.shortName = shortName
        icons = [Icon(src: layout.files.path(of: "site/icon.svg"))]
        if isShareTarget { share = ShareTarget(action: app.path) }
    }

    /// The file that the page's `<link rel="manifest">` names.
    package var file: UnversionedFile {
        // Encoding texts can't fail.
        UnversionedFile([UInt8]((try? JSONEncoder().encode(self)) ?? Data()), type: "application/manifest+json")
    }
}
