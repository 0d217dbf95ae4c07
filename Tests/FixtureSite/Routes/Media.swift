import Foundation
import Hummingbird

/// Resources that the browser doesn't load as one file from one address.
extension Routes {
    func addMedia() {
        self.page(
            "/partial-media",
            HTML.page(
                "Partial media",
                """
                <video id="film" src="/media/clip.webm" width="160" height="120" preload="auto" muted></video>
                <audio id="tone" src="/media/tone.wav" preload="auto" controls></audio>
                """))
        self.add("/media/clip.webm") { .ranged(Clip.file, type: "video/webm", for: $0.request) }
        self.add("/media/tone.wav") { .ranged(Tone.file, type: "audio/wav", for: $0.request) }
        self.page("/blob", blobPage)
    }
}

private let blobPage = HTML.page(
    "Blob",
    """
    <img id="data" src="data:image/png;base64,\(Data(PNG.picture(Colour(number: 122))).base64EncodedString())" alt="">
    <img id="blob" alt=""><img id="revoked" alt="">
    <script>
    (async () => {
        for (const [id, number] of [["blob", 120], ["revoked", 121]]) {
            const image = document.getElementById(id);
            image.src = URL.createObjectURL(await (await fetch(`/image/${number}.png`)).blob());
            await image.decode();
        }
        URL.revokeObjectURL(document.getElementById("revoked").src);
        document.documentElement.dataset.ready = "yes";
    })();
    </script>
    """)
