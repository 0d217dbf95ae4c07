import HTTPTypes
import Hummingbird

/// Documents that aren't HTML.
extension Routes {
    func addDocuments() {
        self.add("/download") { _ in
            .text("A file to keep.\n", type: "text/plain; charset=utf-8")
                .with(.contentDisposition, "attachment; filename=\"kept.txt\"")
        }
        self.add("/binary") { _ in .bytes(Array(0...255), type: "application/octet-stream") }
        self.add("/document.pdf") { _ in .bytes(TinyPDF.document(text: "A tiny document"), type: "application/pdf") }
        self.add("/picture.png") { _ in .bytes(PNG.picture(Colour(name: "picture")), type: "image/png") }
        self.add("/text") { _ in .text("Plain <b>text</b> & more: Юникод, 中文, 😀\n", type: "text/plain; charset=utf-8") }
        self.add("/data.json") { _ in .text("{\"name\": \"данные\", \"count\": 3}\n", type: "application/json") }
    }
}

/// HTML in older encodings and modes.
extension Routes {
    func addEncodings() {
        self.add("/latin1") { _ in .bytes(latin1(declared: ""), type: "text/html; charset=iso-8859-1") }
        self.add("/latin1-meta") { _ in .bytes(latin1(declared: "<meta charset=\"iso-8859-1\">"), type: "text/html") }
        self.add("/utf16") { _ in
            var bytes: [UInt8] = [0xFF, 0xFE]
            for unit in "<!DOCTYPE html>\n<title>UTF-16</title>\n<p>Юникод, 中文, 😀</p>\n".utf16 {
                bytes.append(littleEndian: unit)
            }
            return .bytes(bytes, type: "text/html")
        }
        self.add("/xhtml") { _ in .text(xhtml, type: "application/xhtml+xml") }
        // Only in quirks mode is a length without a unit valid.
        self.page(
            "/quirks",
            """
            <html><head><title>Quirks</title></head>
            <body><p>No doctype.</p>
            <div style="width: 200; height: 50; background: rgb(90, 60, 120)"></div></body></html>

            """)
    }
}

/// A page in ISO-8859-1.
private func latin1(declared: String) -> [UInt8] {
    let text =
        "<!DOCTYPE html>\n<html lang=\"fr\"><head>\(declared)<title>Latin 1</title></head>\n"
        + "<body><p>Déjà vu, garçon, ÿ, ½, £</p></body></html>\n"
    // The first 256 Unicode scalars are those of ISO-8859-1.
    return text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
}

private let xhtml = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
    <html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en" lang="en">
    <head><title>XHTML</title><style><![CDATA[ p > b { color: rgb(0, 120, 0); } ]]></style></head>
    <body><p>XML &amp; <b>well formed</b><br/><img src="/image/101.png" alt=""/></p></body>
    </html>

    """
