/// The scripts that run in a page, in a world of their own: the page cannot see or change them.
enum PageScripts {
    /// What a frame's document is, and what it looks like as HTML after its scripts ran.
    struct Document: Decodable, Sendable {
        var html: String
        var url: String
        var baseURL: String
        var contentType: String
        var hasBase: Bool
        /// Whether it exceeds the limit, and `html` is empty therefore.
        var isTooLong: Bool?
    }

    /// What is told about a page.
    struct Summary: Decodable, Sendable {
        var title: String
        var url: String
        var isBlank: Bool
        /// The addresses of images that the browser couldn't decode, or got no body of.
        var undecodable: [String]
    }

    /// The element that a frame stands in.
    struct FrameOwner: Decodable, Sendable {
        /// The address that the element asks for; empty if it has none.
        var address: String
        var name: String
    }

    /// Waits for fonts, and for pictures to be there and decoded, for so long at the most.
    static func settle(limit: Duration) -> String {
        """
        (() => {
          const loaded = image => image.complete ? image.decode().catch(() => {}) : new Promise(done => {
            image.addEventListener('load', () => image.decode().catch(() => {}).then(done), {once: true});
            image.addEventListener('error', done, {once: true});
          });
          const all = [document.fonts ? document.fonts.ready : null, ...[...document.images].map(loaded)];
          const limit = new Promise(done => setTimeout(done, \(limit.milliseconds)));
          return Promise.race([Promise.all(all), limit]).then(() => true);
        })()
        """
    }

    /// Scrolls to a place, and waits until what is there is laid out and seen by intersection observers.
    static func show(from top: Int) -> String {
        """
        new Promise(done => {
          if (Math.round(scrollY) !== \(top)) scrollTo({left: 0, top: \(top), behavior: 'instant'});
          const timer = setTimeout(done, 500);
          requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => { clearTimeout(timer); done(true); })));
        }).then(() => true)
        """
    }

    /// Title, address, whether anything is to be seen, and images that can't be.
    ///
    /// Images in HTML are damaged if they have no size. Those in SVG don't say: a bitmap is made of one after the other, for
    /// two seconds in all: a page may have any number of them. (`decode()` doesn't return for these.)
    ///
    /// - Parameters:
    ///   - titleLength: How long the title may be, in Unicode scalars.
    ///   - images: How many addresses of images are told.
    /// - Returns: The script.
    static func summary(titleLength: Int, images: Int) -> String {
        """
        (async () => {
          const body = document.body, root = document.documentElement;
          const drawn = 'img,svg,canvas,video,audio,object,embed,iframe,frame,input,button,select,textarea,hr,table,math';
          const painted = element => {
            if (!element) return false;
            const style = getComputedStyle(element);
            return style.backgroundImage !== 'none' || !/^(rgba\\(0, 0, 0, 0\\)|rgb\\(255, 255, 255\\))$/.test(style.backgroundColor);
          };
          const text = (body ? body.innerText : root ? root.textContent : '') || '';
          const isHTML = !!body;
          const shadows = isHTML && [...body.querySelectorAll('*')].some(element => element.shadowRoot);
          const isBlank = text.trim() === '' && !(root && root.matches('svg'))
            && !(isHTML && (body.querySelector(drawn) || body.matches('frameset') || shadows))
            && !painted(body) && !painted(root);
          const damaged = [...document.images]
            .filter(image => image.complete && image.currentSrc && image.naturalWidth === 0).map(image => image.currentSrc);
          const addressIn = image => URL.parse(image.href?.baseVal || '', document.baseURI)?.href;
          const limit = new Promise(done => setTimeout(done, 2000, true));
          const canBeDrawn = image => createImageBitmap(image, {resizeWidth: 1, resizeHeight: 1})
            .then(bitmap => { bitmap.close(); return true; }, () => false);
          const end = performance.now() + 2000;
          for (const image of document.querySelectorAll('image')) {
            if (performance.now() >= end) break;
            const address = addressIn(image);
            if (address && !await Promise.race([limit, canBeDrawn(image)])) damaged.push(address);
          }
          const undecodable = [...new Set(damaged)].filter(address => address.startsWith('http'));
          // Of twice as many units the first half may be all of a scalar.
          const title = [...(document.title || '').slice(0, 2 * \(titleLength))].slice(0, \(titleLength)).join('');
          return {title, url: location.href, isBlank, undecodable: undecodable.slice(0, \(images))};
        })()
        """
    }

    /// Colours are printed as they are shown.
    ///
    /// A constructed sheet, because a page's policy may forbid styles in elements.
    static let exactColours = """
        (() => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync('*{-webkit-print-color-adjust:exact !important;print-color-adjust:exact !important}');
          document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
          return true;
        })()
        """

    /// The heights of all elements, to find those that follow the height of the window.
    static let measureHeights = """
        (() => { self.heights = [...document.querySelectorAll('body, body *')]
          .map(element => [element, element.getBoundingClientRect().height]); return self.heights.length; })()
        """

    /// Gives each element whose height has changed since it was measured the height that it had, and goes to the top.
    static let freezeHeightsAndShow = """
        (() => {
          for (const [element, height] of self.heights || []) {
            if (!element.style || Math.abs(element.getBoundingClientRect().height - height) < 1) continue;
            for (const [name, value] of [['box-sizing', 'border-box'], ['height', height + 'px'],
              ['min-height', '0'], ['max-height', 'none']]) element.style.setProperty(name, value, 'important');
          }
          return \(show(from: 0));
        })()
        """

    /// The element that a frame stands in; called on that element.
    static let frameOwner = """
        function() {
          const address = this.src || this.data || '';
          return {address: address.startsWith('http') ? address : '', name: (this.name || '').slice(0, 1000)};
        }
        """
}

extension Duration {
    /// In whole milliseconds, rounded down; the greatest number for what is longer.
    var milliseconds: Int64 {
        let (whole, overflows) = components.seconds.multipliedReportingOverflow(by: 1000)
        return overflows ? .max : whole + components.attoseconds / 1_000_000_000_000_000
    }

    /// In seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
