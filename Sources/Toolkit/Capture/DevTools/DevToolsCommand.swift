import Foundation

/// A command of the Chrome DevTools protocol, whose stored properties are encoded as its parameters.
///
/// The names are the protocol's: https://chromedevtools.github.io/devtools-protocol/tot/
package protocol DevToolsCommand: Encodable, Sendable {
    /// The browser's reply.
    associatedtype Reply: Decodable & Sendable = DevTools.Nothing
    /// The command's name, made of the domain's and the type's: `Page.Navigate` is `Page.navigate`.
    static var method: String { get }
}

extension DevToolsCommand {
    package static var method: String {
        let path = String(reflecting: Self.self).prefix { $0 != "<" }.split(separator: ".").suffix(2)
        guard path.count == 2, let domain = path.first, let name = path.last else { return "\(Self.self)" }
        return "\(domain).\(name.prefix(1).lowercased())\(name.dropFirst())"
    }
}

/// The commands that this library uses, by protocol domain.
package enum DevTools {
    /// A reply whose content isn't needed.
    package struct Nothing: Decodable, Sendable {}
}

extension DevTools {
    /// The browser as a whole.
    package enum Browser {
        package struct GetVersion: DevToolsCommand {
            package struct Reply: Decodable, Sendable {
                package var product: String
            }
            package init() {}
        }

        struct SetDownloadBehavior: DevToolsCommand {
            var behavior = "deny"
            var browserContextId: String
        }
    }

    /// Pages, cross-site frames, and the browser contexts that isolate captures.
    package enum Target {
        package struct CreateBrowserContext: DevToolsCommand {
            package struct Reply: Decodable, Sendable {
                package var browserContextId: String
            }
            /// The context is disposed of when the connection closes.
            var disposeOnDetach = true
            package init() {}
        }

        package struct DisposeBrowserContext: DevToolsCommand {
            var browserContextId: String
            package init(browserContextId: String) {
                self.browserContextId = browserContextId
            }
        }

        package struct CreateTarget: DevToolsCommand {
            package struct Reply: Decodable, Sendable {
                package var targetId: String
            }
            var url: String
            var browserContextId: String
            /// The size of the window in CSS pixels.
            ///
            /// Overriding it later doesn't suffice: if a page moves to another process, the override arrives late. The
            /// page is first laid out in the default window, and requests resources for that.
            var width: Int
            var height: Int
            /// Without its own window, the size is ignored.
            var newWindow = true
            package init(url: String, browserContextId: String, width: Int = 1280, height: Int = 800) {
                self.url = url
                self.browserContextId = browserContextId
                self.width = width
                self.height = height
            }
        }

        package struct AttachToTarget: DevToolsCommand {
            package struct Reply: Decodable, Sendable {
                package var sessionId: String
            }
            var targetId: String
            var flatten = true
            package init(targetId: String) {
                self.targetId = targetId
            }
        }

        /// Attaches to new cross-site frames, and to workers.
        ///
        /// Workers are attached only to let them run: Chromium 156 also pauses workers that the filter excludes,
        /// forever.
        struct SetAutoAttach: DevToolsCommand {
            struct Filter: Encodable {
                var type: String?
                var exclude: Bool
            }
            var autoAttach = true
            var waitForDebuggerOnStart = true
            var flatten = true
            var filter = [
                Filter(type: "iframe", exclude: false), Filter(type: "worker", exclude: false),
                Filter(type: nil, exclude: true),
            ]
        }
    }

    /// A page and its frames.
    package enum Page {
        package struct Enable: DevToolsCommand {
            package init() {}
        }

        struct SetLifecycleEventsEnabled: DevToolsCommand {
            var enabled = true
        }

        package struct Navigate: DevToolsCommand {
            package struct Reply: Decodable, Sendable {
                package var frameId: String
                package var loaderId: String?
                package var errorText: String?
                package var isDownload: Bool?
            }
            var url: String
            package init(url: String) {
                self.url = url
            }
        }

        struct StopLoading: DevToolsCommand {}

        /// Runs a script in the page's own world, before the scripts of each new document.
        struct AddScriptToEvaluateOnNewDocument: DevToolsCommand {
            var source: String
        }

        struct HandleJavaScriptDialog: DevToolsCommand {
            var accept: Bool
        }

        struct CreateIsolatedWorld: DevToolsCommand {
            struct Reply: Decodable, Sendable {
                var executionContextId: Int
            }
            var frameId: String
            var worldName = "meanwhile"
        }

        struct GetFrameTree: DevToolsCommand {
            struct Reply: Decodable, Sendable {
                var frameTree: FrameTree
            }
        }

        struct FrameTree: Decodable, Sendable {
            var frame: Frame
            var childFrames: [FrameTree]?
        }

        struct Frame: Decodable, Sendable {
            var id: String
            var parentId: String?
            var loaderId: String
            var name: String?
            var url: String
            var urlFragment: String?
        }

        struct GetLayoutMetrics: DevToolsCommand {
            struct Size: Decodable, Sendable {
                var width: Double
                var height: Double
            }
            struct Reply: Decodable, Sendable {
                var cssContentSize: Size
            }
        }

        struct CaptureScreenshot: DevToolsCommand {
            struct Clip: Encodable {
                var x = 0.0
                var y = 0.0
                var width: Double
                var height: Double
                var scale = 1.0
            }
            struct Reply: Decodable, Sendable {
                var data: Data
            }
            var format = "png"
            var captureBeyondViewport = false
            var optimizeForSpeed: Bool
            /// A part of the page; `nil` for the window, which is 20% faster.
            var clip: Clip?
        }

        struct PrintToPDF: DevToolsCommand {
            struct Reply: Decodable, Sendable {
                var stream: String
            }
            var printBackground = true
            /// In inches, like all lengths of this command.
            var paperWidth: Double
            var paperHeight: Double
            var marginTop: Double
            var marginBottom: Double
            var marginLeft: Double
            var marginRight: Double
            var generateTaggedPDF = true
            var generateDocumentOutline = true
            var transferMode = "ReturnAsStream"
        }
    }

    /// Streams that the browser provides.
    enum IO {
        struct Read: DevToolsCommand {
            struct Reply: Decodable, Sendable {
                var base64Encoded: Bool?
                var data: String
                var eof: Bool
            }
            var handle: String
            var size: Int
        }

        struct Close: DevToolsCommand {
            var handle: String
        }
    }

    /// A page's requests and responses.
    enum Network {
        struct Enable: DevToolsCommand {
            var maxTotalBufferSize: Int
            var maxResourceBufferSize: Int
            /// The maximum size of a request's body in the event of the request.
            var maxPostDataSize: Int
            /// Whether the browser stores bodies as they arrived; otherwise it decodes texts.
            ///
            /// Bodies that aren't UTF-8 then arrive as bytes.
            var enableDurableMessages: Bool
        }

        struct SetBypassServiceWorker: DevToolsCommand {
            var bypass = true
        }

        struct SetBlockedURLs: DevToolsCommand {
            /// Patterns in which `*` matches any text.
            var urls: [String]
        }

        struct GetResponseBody: DevToolsCommand {
            struct Reply: Decodable, Sendable {
                var body: String
                var base64Encoded: Bool
            }
            var requestId: String
        }

        struct LoadNetworkResource: DevToolsCommand {
            struct Options: Encodable {
                var disableCache = false
                var includeCredentials = true
            }
            struct Resource: Decodable, Sendable {
                var success: Bool
                var netErrorName: String?
                var httpStatusCode: Double?
                var stream: String?
                var headers: [String: String]?

                /// The body's length that the server announces.
                var contentLength: Int? {
                    headers?.first { $0.key.lowercased() == "content-length" }.flatMap { Int($0.value) }
                }
            }
            struct Reply: Decodable, Sendable {
                var resource: Resource
            }
            var frameId: String?
            var url: String
            var options = Options()
        }
    }

    /// Requests that are paused until this library responds.
    enum Fetch {
        struct Enable: DevToolsCommand {
            struct Pattern: Encodable {
                var urlPattern = "*"
                var resourceType: String?
            }
            var patterns = [Pattern()]
            /// Whether the browser sends `Fetch.authRequired` when a request that matches a pattern needs credentials.
            var handleAuthRequests = false
        }

        struct Disable: DevToolsCommand {}

        struct ContinueRequest: DevToolsCommand {
            var requestId: String
        }

        struct ContinueWithAuth: DevToolsCommand {
            struct Response: Encodable {
                var response: String
                var username: String?
                var password: String?
            }
            var requestId: String
            var authChallengeResponse: Response
        }

        struct Header: Codable, Sendable {
            var name: String
            var value: String
        }

        struct FulfillRequest: DevToolsCommand {
            var requestId: String
            var responseCode = 200
            var responseHeaders: [Header]
            /// Encoded as Base64, like all `Data`.
            var body: Data
        }

        struct FailRequest: DevToolsCommand {
            var requestId: String
            var errorReason = "BlockedByClient"
        }
    }

    /// This library's scripts in a page.
    package enum Runtime {
        struct RunIfWaitingForDebugger: DevToolsCommand {}

        /// The result of a script, as JSON.
        struct Evaluated<Value: Decodable & Sendable>: Decodable, Sendable {
            struct RemoteObject: Decodable, Sendable {
                var value: Value?
            }
            struct ExceptionDetails: Decodable, Sendable {
                struct Exception: Decodable, Sendable {
                    var description: String?
                }
                var text: String
                var exception: Exception?
            }
            var result: RemoteObject
            var exceptionDetails: ExceptionDetails?
        }

        struct Evaluate<Value: Decodable & Sendable>: DevToolsCommand {
            typealias Reply = Evaluated<Value>
            var expression: String
            var contextId: Int?
            var awaitPromise = true
            var returnByValue = true
        }

        struct CallFunctionOn<Value: Decodable & Sendable>: DevToolsCommand {
            typealias Reply = Evaluated<Value>
            struct Argument: Encodable {
                var value: String
            }
            var functionDeclaration: String
            var objectId: String
            var arguments: [Argument] = []
            var returnByValue = true
        }
    }

    /// Elements.
    enum DOM {
        struct GetFrameOwner: DevToolsCommand {
            struct Reply: Decodable, Sendable {
                var backendNodeId: Int
            }
            var frameId: String
        }

        struct ResolveNode: DevToolsCommand {
            struct RemoteObject: Decodable, Sendable {
                var objectId: String
            }
            struct Reply: Decodable, Sendable {
                var object: RemoteObject
            }
            var backendNodeId: Int
            /// The context of the scripts that use the object; `nil` for the page's own scripts.
            var executionContextId: Int?
        }
    }

    /// The emulated size and medium of a page.
    enum Emulation {
        struct SetDeviceMetricsOverride: DevToolsCommand {
            var width: Int
            var height: Int
            var deviceScaleFactor: Double
            var mobile = false
        }

        struct SetEmulatedMedia: DevToolsCommand {
            var media: String
        }

        struct SetDefaultBackgroundColorOverride: DevToolsCommand {
            struct Color: Encodable, Sendable {
                var r: Int
                var g: Int
                var b: Int
                /// From 0, transparent, to 1.
                var a: Double
            }

            var color: Color
        }
    }
}
