extension PageScripts {
    /// The addresses, without fragments, of drawings that a document takes parts of.
    static let usedDrawings = #"""
        (() => {
          const found = new Set();
          const collect = root => {
            for (const element of root.querySelectorAll('*')) {
              if (element.shadowRoot) collect(element.shadowRoot);
              if (element.localName !== 'use' || !element.href || /^\s*(#|$)/.test(element.href.baseVal)) continue;
              try {
                const url = new URL(element.href.baseVal, document.baseURI);
                url.hash = '';
                found.add(url.href);
              } catch {}
            }
          };
          collect(document);
          return [...found];
        })()
        """#

    /// Puts parts of other drawings where they are used: browsers take none from `data:` addresses.
    static let rewriteDrawings = #"""

        const readDrawings = new Map();
        // A part that is used often is in the document as often; this is how many characters they may be in all.
        let drawingRoom = 4 << 20;
        const drawing = address => {
          if (!Object.hasOwn(drawings, address)) return null;
          if (!readDrawings.has(address)) {
            const read = new DOMParser().parseFromString(drawings[address], 'image/svg+xml');
            readDrawings.set(address, read.querySelector('parsererror') ? null : read);
          }
          return readDrawings.get(address);
        };
        const partOf = (source, place) => {
          try { return place ? source.getElementById(decodeURIComponent(place.slice(1))) : source.documentElement; } catch { return null; }
        };
        // What the part refers to in its own drawing, and what that refers to.
        const referred = (source, part) => {
          const found = new Set(), work = [part];
          while (work.length) {
            const next = work.pop();
            for (const element of [next, ...next.querySelectorAll('*')]) {
              for (const {value} of element.attributes) {
                const match = /^\s*#(\S+)|url\(\s*["']?#([^"')\s]+)/.exec(value);
                const other = match && source.getElementById(match[1] || match[2]);
                if (other && !part.contains(other) && !found.has(other) && !other.contains(part)) { found.add(other); work.push(other); }
              }
            }
          }
          return [...found];
        };
        const used = element => {
          // Drawings do not take parts of others here.
          if (element.ownerDocument !== document) return null;
          const found = resolve(element.href ? element.href.baseVal : '', document.baseURI);
          const source = found && drawing(found.url), part = source && partOf(source, found.place);
          if (!part) return null;
          const others = referred(source, part);
          drawingRoom -= [part, ...others].reduce((sum, each) => sum + each.outerHTML.length, 0);
          if (drawingRoom < 0) return null;
          const make = name => source.createElementNS(namespaces.svg, name);
          const content = source.createDocumentFragment(), shown = make('svg'), defined = make('defs');
          const isFramed = /^(symbol|svg)$/.test(part.localName);
          for (const name of ['viewBox', 'preserveAspectRatio']) {
            if (isFramed && part.hasAttribute(name)) shown.setAttribute(name, part.getAttribute(name));
          }
          for (const name of ['x', 'y', 'width', 'height']) {
            if (element.hasAttribute(name) && (isFramed || name.length === 1)) shown.setAttribute(name, element.getAttribute(name));
          }
          if (!isFramed) shown.setAttribute('overflow', 'visible');
          defined.append(...others.map(other => other.cloneNode(true)));
          const copy = part.cloneNode(true);
          shown.append(...(others.length ? [defined] : []), ...(isFramed ? copy.childNodes : [copy]));
          if (isFramed) {
            // What the part says of its looks holds for what is in it.
            const group = make('g');
            for (const {name, value} of part.attributes) {
              if (!/^(id|viewBox|preserveAspectRatio|x|y|width|height|xmlns.*)$/.test(name)) group.setAttribute(name, value);
            }
            group.append(...[...shown.childNodes].filter(child => child !== defined));
            shown.append(group);
          }
          content.append(shown);
          return content;
        };
        """#
}
