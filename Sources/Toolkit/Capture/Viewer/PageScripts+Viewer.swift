import Foundation

extension PageScripts {
    /// A frame's document for a viewer, with tokens where something is to be put in.
    ///
    /// A token is the document's mark, a letter, the number of a reference and `z`.
    struct ViewerDocument: Decodable, Sendable {
        var html: String
        /// Addresses without fragments, or the numbers of frames.
        var references: [String]
        /// Whether it is laid out as before there were standards.
        var isQuirky: Bool
    }

    /// A style sheet with tokens, as in ``ViewerDocument``.
    struct ViewerStyleSheet: Decodable, Sendable {
        var text: String
        var references: [String]
    }

    /// What can be put in, as the scripts need to know it.
    struct ViewerMaterial: Encodable, Sendable {
        struct Kind: Encodable, Sendable {
            var bytes: Int
            var isPicture: Bool
        }
        /// The beginning of each token.
        var mark: String
        /// By their addresses without fragments; what is empty is not there.
        var resources: [String: Kind]
        /// The text of the drawings that the document takes parts of, by address.
        var drawings: [String: String] = [:]

        var asJSON: String {
            get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
        }
    }

    /// A style sheet to be rewritten.
    struct ViewerStyleSource: Encodable, Sendable {
        var address: String
        var bytes: Data
        var encoding: String
    }

    /// What a repeated thing must weigh, in bytes, to be put into a variable.
    private static let sharedSize = 1024

    /// Makes references to what a page is made of.
    private static func references(_ material: ViewerMaterial) throws -> String {
        """
        const {mark, resources, drawings} = \(try material.asJSON);
        const references = [], numbers = new Map();
        const token = (kind, what) => {
          if (!numbers.has(what)) { numbers.set(what, references.length); references.push(what); }
          return mark + kind + numbers.get(what) + 'z';
        };
        """ + #"""
            // What may stand in attributes and between `url(` and `)` alike.
            const plain = address => address.replace(/[\s"'()\\<>\u0000-\u001f]/g,
              character => '%' + character.charCodeAt(0).toString(16).padStart(2, '0'));
            const resolve = (address, base) => {
              if (!address || /^[ \t\n\f\r]*$/.test(address)) return null;
              try {
                const url = new URL(address, base), place = url.hash;
                url.hash = '';
                return {url: url.href, place, isData: url.protocol === 'data:'};
              } catch { return null; }
            };
            const find = address => Object.hasOwn(resources, address) ? resources[address] : null;
            const reference = (address, base, kind) => {
              const found = resolve(address, base);
              if (found && found.isData) return kind === 's' ? token('s', found.url) : plain(found.url + found.place);
              if (!found || !find(found.url)) return 'data:,';
              return token(kind, found.url) + (kind === 'r' ? plain(found.place) : '');
            };
            """# + """

                const isShareable = (address, base) => {
                  const found = resolve(address, base), what = found && !found.place && find(found.url);
                  return !!what && what.bytes >= \(sharedSize);
                };

                """
    }

    /// Rewrites style sheets.
    static func rewriteStyleSheets(_ sheets: [ViewerStyleSource], material: ViewerMaterial) throws -> String {
        let sources = String(decoding: try JSONEncoder().encode(sheets), as: UTF8.self)
        return "(() => {" + (try references(material)) + rewriteStyle + """

              const decode = sheet => {
                const bytes = Uint8Array.from(atob(sheet.bytes), byte => byte.charCodeAt(0));
                const said = /^@charset "([^"]{1,40})";/.exec(String.fromCharCode(...bytes.slice(0, 60)));
                const marked = bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be'
                  : bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : '';
                for (const name of [marked, sheet.encoding, said ? said[1].replace(/^utf-?16(le|be)?$/i, 'utf-8') : '']) {
                  if (name) try { return new TextDecoder(name).decode(bytes); } catch {}
                }
                return new TextDecoder().decode(bytes);
              };
              return \(sources).map(sheet => {
                references.length = 0;
                numbers.clear();
                return {text: rewriteStyle(decode(sheet), sheet.address, false), references: [...references]};
              });
            })()
            """
    }

    /// Notes which frame an element stands for; called on that element.
    static let noteFrame = """
        function(frame) { (self.framesOfElements ||= new Map()).set(this, frame); return true; }
        """

    /// Writes a document for a viewer.
    static func serializeForViewer(_ material: ViewerMaterial) throws -> String {
        serializer(
            rewriting: "(() => {" + (try references(material)) + rewriteStyle + rewriteElements + rewriteDrawings
                + rewriteDocument
                + "})()")
    }
}
