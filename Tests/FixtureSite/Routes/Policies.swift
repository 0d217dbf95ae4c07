import HTTPTypes
import Hummingbird

/// Pages with policies that restrict the browser.
extension Routes {
    func addPolicies() {
        self.add("/csp") { visit in
            .html(contentPolicyPage(otherOrigin: visit.otherOrigin))
                .with(.contentSecurityPolicy, "default-src 'self'; script-src 'none'; style-src 'self'")
        }
        self.add("/csp/style.css") { _ in .text("#by-file { color: rgb(0, 120, 0); }\n", type: "text/css") }
        self.add("/trusted-types") { _ in
            .html(trustedTypesPage).with(.contentSecurityPolicy, "require-trusted-types-for 'script'")
        }
    }
}

private func contentPolicyPage(otherOrigin: String) -> String {
    HTML.page(
        "Content policy",
        head: """
            <link rel="stylesheet" href="/csp/style.css">
            <style>#by-element { color: rgb(200, 0, 0); }</style>
            """,
        """
        <p id="by-file">Green by a file, which is allowed.</p>
        <p id="by-element">Black: a style element is not allowed.</p>
        <p id="by-attribute" style="color: rgb(200, 0, 0)">Black: a style attribute is not allowed.</p>
        <p id="by-script">No script ran.</p>
        <script>document.getElementById("by-script").textContent = "A script ran.";</script>
        <img id="own" src="/image/110.png" alt=""><img id="foreign" src="\(otherOrigin)/image/111.png" alt="">
        """)
}

private let trustedTypesPage = HTML.page(
    "Trusted types",
    """
    <p id="result"></p>
    <script>
    const result = document.getElementById("result");
    try {
        result.innerHTML = "<b>A string became markup.</b>";
    } catch (error) {
        result.textContent = `Stopped: ${error.name}`;
    }
    </script>
    """)
