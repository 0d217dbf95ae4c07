/// The pages of different kinds that captures are measured with.
enum SamplePages {
    /// The documentation of Debian's packages, besides python3-doc: names below which it is served, and folders.
    static let debian = [
        "postgresql": "/usr/share/doc/postgresql-doc-15/html",
        "rust": "/usr/share/doc/rust-doc/html",
        "sqlite": "/usr/share/doc/sqlite3",
        "node": "/usr/share/doc/nodejs/api",
    ]

    /// The name below which the pages of `sample_pages.py` are served.
    static let generated = "samples"

    /// The pages' paths on the server, besides the page of the Python manual.
    static let paths = [
        "postgresql/sql-select.html", "rust/std/option/enum.Option.html", "sqlite/lang_select.html",
        "node/child_process.html", "samples/dashboard.html", "samples/pictures.html", "samples/frames.html",
        "samples/scripts.html", "samples/empty.html",
    ]

    /// The path of a page that fits in a window.
    static let shortPath = "samples/short.html"
}
