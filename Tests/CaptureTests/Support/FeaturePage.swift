import Foundation

/// A page that uses every Chromium feature by which a page opens connections, all to one set of servers.
///
/// Each attempt is a path of the plain or secure server; see ``attempts(_:of:)``.
struct FeaturePage {
    /// The origin for attempts over HTTP.
    var plain: String
    var secure: String
    /// The secure server under the page's own name: through a proxy, Chromium prefetches only from the same site.
    var sameSite: String
    /// A server for a connection without a request.
    var preconnected: String
    /// A server whose certificate names an issuer at ``plain``.
    var unknownIssuer: String
    /// The address and port for datagrams.
    var datagrams: String

    /// The features that Chromium 156 didn't use in headless mode, over HTTP/1.1, through a proxy, or on a port other
    /// than 443 (`identity`), and those that it skips when busy.
    ///
    /// The page tries them all the same, but the tests don't require their requests to arrive.
    static let unseen: Set<String> = [
        "attribution", "attribution-link", "audio-worklet", "early-hints", "fenced", "filesystem", "icon", "identity",
        "interest-group", "manifest", "network-error", "open", "ping", "portal", "prerender-link", "report-to",
        "search",
        "shared-storage", "speculation-prefetch", "speculation-prerender", "touch-icon", "track", "view-source",
    ]

    /// The names of the attempts at `place`, such as `PLAIN`, in one of the texts below, except the ``unseen`` ones.
    static func attempts(_ text: String, of place: String) -> Set<String> {
        let expression = try? Regex("\(place)/x/([a-z0-9-]+)", as: (Substring, Substring).self)
        guard let expression else { return [] }
        return Set(text.matches(of: expression).map { String($0.output.1) }).subtracting(unseen)
    }

    /// A text with its placeholders replaced.
    func filled(_ text: String) -> String {
        text.replacing("PRECONNECTED", with: preconnected).replacing("PLAIN", with: plain)
            .replacing("SECURE", with: secure).replacing("SAME", with: sameSite)
            .replacing("UNKNOWN", with: unknownIssuer).replacing("DATAGRAMS", with: datagrams)
    }

    /// The page's header fields.
    static let headers = [
        ("Link", "<PLAIN/x/link-preload>; rel=preload; as=image"), ("Link", "<PLAIN/x/link-prefetch>; rel=prefetch"),
        ("Speculation-Rules", "\"PLAIN/x/speculation-rules\""),
        ("Reporting-Endpoints", "named=\"SECURE/x/reporting-endpoint\", default=\"SECURE/x/default-endpoint\""),
        ("Report-To", #"{"group":"all","max_age":1000,"endpoints":[{"url":"SECURE/x/report-to"}]}"#),
        ("NEL", #"{"report_to":"all","max_age":1000,"success_fraction":1.0}"#), ("Alt-Svc", "h3=\":443\"; ma=1000"),
        ("Content-Security-Policy-Report-Only", "connect-src 'none'; report-uri PLAIN/x/policy-report"),
        ("Content-Security-Policy-Report-Only", "connect-src 'none'; report-to named"),
        ("Document-Policy-Report-Only", "document-write=?0; report-to=default"),
        ("Attribution-Reporting-Register-Source", #"{"destination":"SECURE"}"#), ("SourceMap", "PLAIN/source-map"),
    ]

    static let html = """
        <!doctype html><html lang=en><title>Features</title>
        <link rel=prefetch href='PLAIN/x/prefetch'><link rel=preconnect href='PRECONNECTED/'>
        <link rel=dns-prefetch href='PRECONNECTED/'><link rel=modulepreload href='PLAIN/x/module-preload'>
        <link rel=preload as=image href='PLAIN/x/preload'><link rel=prerender href='PLAIN/x/prerender-link'>
        <link rel=icon href='PLAIN/x/icon'><link rel=apple-touch-icon href='PLAIN/x/touch-icon'>
        <link rel=manifest href='PLAIN/x/manifest'><link rel=compression-dictionary href='PLAIN/x/dictionary'>
        <link rel=search type='application/opensearchdescription+xml' href='PLAIN/x/search'>
        <link rel=stylesheet href='PLAIN/x/style'><link rel='alternate stylesheet' title=a href='PLAIN/x/alternate-style'>
        <script type=speculationrules>{
            "prefetch": [{"urls": ["SAME/x/speculation-prefetch"], "eagerness": "immediate"}],
            "prerender": [{"urls": ["SAME/x/speculation-prerender"], "eagerness": "immediate"}]}</script>
        <script type=importmap>{"imports": {"mapped": "PLAIN/x/import-map"}}</script>
        <style>
        @import 'PLAIN/x/import'; @font-face { font-family: a; src: url(PLAIN/x/font) }
        p { font-family: a; background: url(PLAIN/x/background); cursor: url(PLAIN/x/cursor), auto; mask: url(PLAIN/x/mask);
            border-image: url(PLAIN/x/border); list-style-image: url(PLAIN/x/list) }
        p::before { content: url(PLAIN/x/content) } p::after { content: image-set('PLAIN/x/image-set' 1x) }
        </style>
        <body background='PLAIN/x/body'><p>Features</p><img src='PLAIN/x/image'><img src='UNKNOWN/image'>
        <picture><source srcset='PLAIN/x/source'><img></picture><input type=image src='PLAIN/x/input'>
        <video src='PLAIN/x/video' poster='PLAIN/x/poster'></video><audio src='PLAIN/x/audio' preload=auto></audio>
        <video crossorigin><track default src='PLAIN/x/track'></video>
        <object data='PLAIN/x/object'></object><embed src='PLAIN/x/embed'><script src='PLAIN/x/script'></script>
        <svg><image href='PLAIN/x/svg-image'/><script href='PLAIN/x/svg-script'></script>
        <filter id=filter><feImage href='PLAIN/x/svg-filter'/></filter><rect filter='url(#filter)' width=9 height=9 /></svg>
        <iframe src='PLAIN/x/frame'></iframe><iframe credentialless src='PLAIN/x/credentialless'></iframe>
        <iframe srcdoc="<meta http-equiv=refresh content='0;url=PLAIN/x/meta-refresh'>"></iframe>
        <iframe src='/refresh?ROLE'></iframe><iframe src='/exchange?ROLE'></iframe><iframe src='/hints?ROLE'></iframe>
        <iframe src="javascript:fetch('PLAIN/x/javascript')"></iframe><iframe src='view-source:PLAIN/x/view-source'></iframe>
        <iframe src='file:///etc/passwd'></iframe><iframe src='chrome://version'></iframe>
        <iframe src='filesystem:PLAIN/x/filesystem'></iframe><iframe src='ftp://127.0.0.1/x/ftp'></iframe>
        <iframe name=target></iframe><form target=target method=post action='PLAIN/x/form'><input name=a></form>
        <fencedframe></fencedframe><portal src='PLAIN/x/portal'></portal><img attributionsrc='PLAIN/x/attribution' src=''>
        <a ping='PLAIN/x/ping' attributionsrc='PLAIN/x/attribution-link' href='#a'>a</a>
        <script>
        const code = text => URL.createObjectURL(new Blob([text], {type: 'text/javascript'}));
        const price = {total: {label: 'a', amount: {currency: 'EUR', value: '1'}}};
        const attempts = [
            () => fetch('PLAIN/x/fetch'), () => fetch('PLAIN/x/private-network', {targetAddressSpace: 'local'}),
            () => fetch('PLAIN/x/keepalive', {keepalive: true, method: 'POST', body: 'a', mode: 'no-cors'}),
            () => fetchLater('SECURE/x/fetch-later', {activateAfter: 0}), () => navigator.sendBeacon('PLAIN/x/beacon', 'a'),
            () => { const request = new XMLHttpRequest(); request.open('PUT', 'PLAIN/x/request'); request.send('a') },
            () => {
                const source = new EventSource('PLAIN/x/events');
                source.onerror = () => source.close();
            },
            () => new WebSocket('ws:PLAIN/x/socket'.replace('ws:http:', 'ws:')),
            () => new WebSocket('ws:SECURE/x/secure-socket'.replace('ws:https:', 'wss:')),
            () => new WebSocketStream('ws:PLAIN/x/socket-stream'.replace('ws:http:', 'ws:')).opened,
            () => new WebTransport('https://DATAGRAMS/').ready,
            () => new Worker(code("fetch('PLAIN/x/worker')")),
            () => new Worker(code("importScripts('PLAIN/x/import-scripts')")),
            () => new Worker(code("import 'PLAIN/x/module-worker'"), {type: 'module'}),
            () => new SharedWorker(code("fetch('PLAIN/x/shared-worker')")),
            () => CSS.paintWorklet.addModule('PLAIN/x/paint-worklet'),
            () => new AudioContext().audioWorklet.addModule('PLAIN/x/audio-worklet'),
            () => sharedStorage.worklet.addModule('PLAIN/x/shared-storage'),
            () => import('mapped'), () => import('PLAIN/x/dynamic-import'),
            () => WebAssembly.compileStreaming(fetch('PLAIN/x/assembly')),
            () => {
                const sheet = new CSSStyleSheet();
                sheet.replaceSync('body { background: url(PLAIN/x/adopted-style) }');
                document.adoptedStyleSheets = [sheet];
            },
            () => { document.querySelector('track').track.mode = 'showing' },
            () => document.forms[0].submit(), () => window.open('PLAIN/x/open'), () => document.links[0].click(),
            () => new PaymentRequest([{supportedMethods: 'SECURE/x/payment'}], price).canMakePayment(),
            () => new PaymentRequest([{supportedMethods: 'PLAIN/x/plain-payment'}], price).canMakePayment(),
            () => navigator.credentials.get({identity: {providers: [{configURL: 'SECURE/x/identity', clientId: 'a'}]}}),
            () => navigator.credentials.create({publicKey: {
                rp: {id: 'related.example', name: 'a'}, user: {id: new Uint8Array(8), name: 'a', displayName: 'a'},
                challenge: new Uint8Array(16), pubKeyCredParams: [{type: 'public-key', alg: -7}]}}),
            () => navigator.joinAdInterestGroup(
                {owner: 'SECURE', name: 'a', biddingLogicURL: 'SECURE/x/interest-group'}, 1000),
            () => { document.querySelector('fencedframe').config = new FencedFrameConfig('PLAIN/x/fenced') },
            () => document.browsingTopics(),
            async () => {
                await navigator.serviceWorker.register('/worker.js?ROLE');
                const registration = await navigator.serviceWorker.ready;
                registration.pushManager.subscribe({userVisibleOnly: true, applicationServerKey: new Uint8Array(65)});
                await registration.backgroundFetch.fetch('a', ['PLAIN/x/background-fetch'], {title: 'a'});
            },
            async () => {
                const servers = [{urls: 'stun:DATAGRAMS'}, {urls: 'turn:DATAGRAMS', username: 'a', credential: 'b'}].concat(
                    ['turn:HOST?transport=tcp', 'turns:HOST'].map(
                        at => ({urls: at.replace('HOST', new URL('PRECONNECTED').host), username: 'a', credential: 'b'})));
                const connection = new RTCPeerConnection({iceServers: servers});
                connection.createDataChannel('a');
                await connection.setLocalDescription(await connection.createOffer());
            },
        ];
        for (const attempt of attempts) { try { Promise.resolve(attempt()).catch(() => 0) } catch (error) {} }
        fetch('/attempted?ROLE');
        // The load event doesn't wait for this request: icons and prefetches are requested after it.
        fetch('/hold');
        </script>
        """

    /// The script of the page's service worker.
    static let worker = """
        addEventListener('install', event => {
            skipWaiting();
            event.waitUntil(fetch('PLAIN/x/service-worker').catch(() => 0));
        });
        try { importScripts('PLAIN/x/service-worker-import') } catch (error) {}
        """

    /// A signed exchange that is readable only up to its fallback address.
    ///
    /// https://wicg.github.io/webpackage/draft-yasskin-http-origin-signed-responses.html#name-application-signed-exchange
    func exchange() -> Data {
        let address = Data(filled("SECURE/x/exchange").utf8)
        return Data("sxg1-b3\u{0}".utf8) + [UInt8(address.count >> 8), UInt8(address.count & 0xFF)] + address
            + Data(count: 6)
    }
}
