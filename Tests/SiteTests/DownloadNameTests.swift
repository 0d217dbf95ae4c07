import Testing

@testable import Site

@Suite struct DownloadNameTests {
    @Test(arguments: [
        ("Beach", #"attachment; filename="Beach.png"; filename*=UTF-8''Beach.png"#),
        ("Rock \"n\" Roll", #"attachment; filename="Rock _n_ Roll.png"; filename*=UTF-8''Rock%20%22n%22%20Roll.png"#),
        ("🐶", #"attachment; filename="_.png"; filename*=UTF-8''%F0%9F%90%B6.png"#),
        (
            "../../etc/passwd\r\nX: y",
            #"attachment; filename="....etcpasswdX_ y.png"; filename*=UTF-8''....etcpasswdX%3A%20y.png"#
        ),
        ("a/\u{301}b", #"attachment; filename="_b.png"; filename*=UTF-8''a%CC%81b.png"#),
        ("a\u{D4E}/b", #"attachment; filename="a_.png"; filename*=UTF-8''a%E0%B5%8Eb.png"#),
        ("", #"attachment; filename="page.png"; filename*=UTF-8''page.png"#),
        ("..", #"attachment; filename="page.png"; filename*=UTF-8''page.png"#),
    ])
    func titleBecomesAPortableFileName(title: String, disposition: String) {
        #expect(DownloadName(title, ending: "png").disposition == disposition)
    }
}
