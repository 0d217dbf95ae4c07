extension PageScripts {
    /// Decides what becomes of each element and attribute in a document for a viewer.
    ///
    /// By local names, whatever the namespace: what is no script in XML is one as soon as it is written as HTML.
    static let rewriteElements = #"""
        const namespaces = {html: 'http://www.w3.org/1999/xhtml', svg: 'http://www.w3.org/2000/svg',
          math: 'http://www.w3.org/1998/Math/MathML'};
        const frames = self.framesOfElements || new Map();
        const pageAddress = document.URL.split('#')[0];
        const at = (address, kind = 'r') => reference(address, document.baseURI, kind);
        const has = address => {
          const found = resolve(address, document.baseURI);
          return !!found && (found.isData || !!find(found.url));
        };
        const local = element => element.localName.toLowerCase();

        const dropped = new Set(['script', 'noscript', 'base', 'applet', 'portal', 'fencedframe', 'basefont', 'bgsound']);
        const drops = element => {
          const name = local(element);
          if (dropped.has(name)) return true;
          if (name === 'link') return !/\bstylesheet\b/i.test(element.rel || '') || !element.sheet;
          if (name === 'meta') return element.hasAttribute('charset') || /^\s*referrer\s*$/i.test(element.name || '')
            || (element.hasAttribute('http-equiv') && !/^\s*(default-style|content-language)\s*$/i.test(element.httpEquiv));
          // Animations of addresses and of handlers.
          return /^(set|animate.*)$/.test(name)
            && /^\s*(xlink:)?(href|src|on.*|style)\s*$/i.test(element.getAttribute('attributeName') || '');
        };

        // Attributes that load something, lead somewhere, or say how to.
        const removed = new RegExp('^(on.*|src|srcset|srcdoc|href|data|poster|action|formaction|formtarget|formmethod|method'
          + '|ping|manifest|profile|codebase|archive|classid|code|longdesc|lowsrc|dynsrc|cite|imagesrcset|imagesizes|nonce'
          + '|integrity|crossorigin|referrerpolicy|fetchpriority|loading|target|rel|rev|download|autofocus|autoplay|allow'
          + '|sandbox|csp|credentialless|attributionsrc|http-equiv-.*|background|style|xml:base|charset|icon'
          + '|shadowroot.*)$', 'i');
        const painting = /^(fill|stroke|filter|mask|clip-path|cursor|marker(-start|-mid|-end)?)$/i;

        // Which of its pictures an image shows, and how dense it is.
        const candidates = list => {
          const found = [];
          for (let index = 0;;) {
            while (index < list.length && /[\s,]/.test(list[index])) index++;
            if (index >= list.length) return found;
            let end = index;
            while (end < list.length && !/\s/.test(list[end])) end++;
            let last = end;
            while (list[last - 1] === ',') last--;
            const address = list.slice(index, last);
            let depth = 0;
            index = end;
            while (last === end && index < list.length && (depth > 0 || list[index] !== ',')) {
              depth += list[index] === '(' ? 1 : list[index] === ')' ? -1 : 0;
              index++;
            }
            found.push({address, density: last === end ? list.slice(end, index).trim() : ''});
          }
        };
        const choices = image => {
          const listed = element => candidates(element.getAttribute('srcset') || '')
            .map(choice => ({...choice, sizes: element.getAttribute('sizes')}));
          const picture = image.parentElement;
          const sources = picture && local(picture) === 'picture'
            ? [...picture.children].filter(child => local(child) === 'source').flatMap(listed) : [];
          const own = image.getAttribute('src');
          return [...sources, ...listed(image), ...(own === null ? [] : [{address: own, density: ''}])];
        };
        const chosen = image => {
          const all = choices(image), shown = image.currentSrc;
          const url = choice => { try { return new URL(choice.address, document.baseURI).href; } catch { return ''; } };
          const current = all.find(choice => url(choice) === shown);
          // An archive of another browser's may have another of them.
          return current && has(current.address) ? current : all.find(choice => has(choice.address)) || current || all[0];
        };

        // Pictures that are shown more than once are put into the file once.
        const isPlain = image => {
          const found = image.naturalWidth > 0 && image.currentSrc;
          return found && isShareable(image.currentSrc) && !/w\s*$/.test((chosen(image) || {}).density || '')
            && getComputedStyle(image).content === 'normal';
        };
        const countPictures = (root, counts) => {
          for (const element of root.querySelectorAll('*')) {
            if (element.shadowRoot) countPictures(element.shadowRoot, counts);
            if (element.localName === 'img' && isPlain(element))
              counts.set(element.currentSrc, (counts.get(element.currentSrc) || 0) + 1);
          }
          return counts;
        };
        const counts = countPictures(document, new Map());
        const emptyPicture = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
        const imageAttributes = (image, styles) => {
          const choice = chosen(image);
          if (!choice) return [];
          const density = choice.density && choice.density !== '1x' ? choice.density : '';
          if ((counts.get(image.currentSrc) || 0) > 1 && isPlain(image)) {
            const picture = token('c', resolve(image.currentSrc).url);
            styles.push('content:' + (density ? 'image-set(' + picture + ' ' + density + ')' : picture));
            return [['src', emptyPicture]];
          }
          if (!density) return [['src', at(choice.address)]];
          const listed = [['srcset', at(choice.address) + ' ' + density]];
          if (choice.sizes !== null) listed.push(['sizes', /auto/i.test(choice.sizes) ? image.width + 'px' : choice.sizes]);
          return listed;
        };

        const linkAttributes = element => {
          const written = element.getAttribute('href') ?? element.getAttributeNS('http://www.w3.org/1999/xlink', 'href');
          if (written === null) return [];
          const found = resolve(written, document.baseURI);
          const isHere = found && (found.url === pageAddress || (!/^http/.test(pageAddress) && /^\s*#/.test(written)));
          if (isHere && (found.place || /#\s*$/.test(written))) return [['href', found.place || '#']];
          if (!found || !/^https?:/.test(found.url)) return [];
          return [['href', found.url + found.place], ['target', '_blank'], ['rel', 'noopener noreferrer']];
        };

        // Objects are kept from loading anything; what they show is shown by an element that may.
        const looks = ['display', 'width', 'height', 'margin', 'border', 'padding', 'position', 'float', 'vertical-align', 'inset',
          'object-fit', 'background-color'];
        const objectAttributes = (element, styles) => {
          const frame = frames.get(element), address = element.getAttribute(local(element) === 'embed' ? 'src' : 'data');
          const found = address === null ? null : resolve(address, document.baseURI);
          const isPicture = found && ((find(found.url) || {}).isPicture || /^data:image\//i.test(found.url));
          if (!isPicture && frame === undefined) return null;
          const style = getComputedStyle(element);
          for (const name of looks) styles.push(name + ':' + style.getPropertyValue(name));
          if (isPicture) return {name: 'img', attributes: [['src', at(address)]], isLeaf: true};
          return {name: 'iframe', attributes: [[null, token('f', frame)]], isLeaf: true};
        };

        const own = (element, name, styles) => {
          switch (name) {
            case 'img': return imageAttributes(element, styles);
            case 'a': case 'area': return linkAttributes(element);
            case 'link': return [['rel', element.getAttribute('rel')], ['href', at(element.getAttribute('href') || '', 's')]];
            case 'iframe': case 'frame':
              return frames.has(element) ? [[null, token(name === 'frame' ? 'd' : 'f', frames.get(element))]] : [];
            case 'video': case 'audio': {
              const sources = [element.currentSrc, element.getAttribute('src'),
                ...[...element.children].map(child => local(child) === 'source' ? child.getAttribute('src') : null)];
              const source = sources.find(source => source && has(source));
              const poster = element.getAttribute('poster');
              return [...(source ? [['src', at(source)]] : []), ...(poster ? [['poster', at(poster)]] : [])];
            }
            case 'input':
              return element.type === 'image' && element.hasAttribute('src') ? [['src', at(element.getAttribute('src'))]] : [];
            case 'track': return has(element.getAttribute('src') || '') ? [['src', at(element.getAttribute('src'))]] : [];
            default: return [];
          }
        };
        """#

    /// Puts the decisions together into what the serializer asks for.
    static let rewriteDocument = #"""

        const paint = (name, value) => rewriteStyle(name + ':' + value, document.baseURI, true).slice(name.length + 1);
        const isKnown = element => Object.values(namespaces).includes(element.namespaceURI);
        const isPicture = /^image\/(?!svg)/.test(document.contentType);
        const isRoot = node => node === document.documentElement;
        // Only their text is kept of them: what stands between their tags may be markup once it is written.
        const renamed = {xmp: 'pre', plaintext: 'pre', listing: 'pre'};
        const element = (node, changed) => {
          let name = local(node), isLeaf = /^(iframe|noembed|noframes|template)$/.test(name);
          const isHTML = node.namespaceURI === namespaces.html, styles = [];
          let attributes = isHTML ? own(node, name, styles) : [];
          if (!isKnown(node)) name = 'x-' + name.replace(/[^a-z0-9-]/g, '-');
          else if (!isHTML) name = node.localName;
          else if (Object.hasOwn(renamed, name)) name = renamed[name];
          if (isHTML && (name === 'object' || name === 'embed')) {
            const shown = objectAttributes(node, styles);
            if (shown) ({name, attributes, isLeaf} = shown);
          }
          const content = !isHTML && name === 'use' ? used(node) : null;
          if (content) name = 'g';
          const list = [];
          for (const {name: called, localName, value, namespaceURI} of node.attributes) {
            if (changed.has(called) || removed.test(localName) || removed.test(called)) continue;
            if (content && /^(x|y|width|height)$/.test(called)) continue;
            list.push([called, !isHTML && painting.test(called) ? paint(called, value) : value]);
          }
          for (const [called, value] of changed) {
            if (value !== null && !removed.test(called)) list.push([called, value]);
          }
          if (!isHTML) {
            const address = node.getAttribute('href') ?? node.getAttributeNS('http://www.w3.org/1999/xlink', 'href');
            if (name === 'a') list.push(...linkAttributes(node));
            else if (address !== null && /^\s*#/.test(address)) list.push(['href', address.trim()]);
            else if (address !== null && /^(image|feImage)$/.test(name)) list.push(['href', at(address)]);
          }
          const background = isHTML ? node.getAttribute('background') : null;
          if (background !== null) list.push(['background', at(background)]);
          const style = changed.get('style') || node.getAttribute('style');
          if (style) styles.unshift(rewriteStyle(style, document.baseURI, true));
          // A picture by itself is in the middle of the window by a shadow tree of the browser's.
          if (isPicture && node === document.body) styles.push('display:flex');
          if (styles.length) list.push(['style', styles.join(';')]);
          if (isRoot(node) && name === 'svg') {
            for (const side of ['width', 'height']) if (!node.hasAttribute(side)) list.push([side, '100%']);
          }
          return {name, attributes: [...list, ...attributes], isLeaf, content};
        };

        const transitional = /^-\/\/W3C\/\/DTD (XHTML 1\.0|HTML 4\.01) (Transitional|Frameset)\/\//i;
        const doctype = () => {
          if (document.compatMode === 'BackCompat') return '';
          const type = document.doctype;
          const isAlmost = type && type.systemId && transitional.test(type.publicId) && document.contentType === 'text/html';
          return isAlmost ? '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
            + '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">' : '<!DOCTYPE html>';
        };
        const head = mark + 'h0z';
        const hasHead = !!document.head && document.documentElement.localName === 'html';
        const wrapping = document.documentElement && document.documentElement.localName === 'svg'
          ? '<style>html,body{height:100%;margin:0}svg{display:block}</style>' : '';
        return {
          head, drops, element,
          style: text => rewriteStyle(text, document.baseURI, false),
          // What the browser says of a frame that could not be loaded is not part of the page.
          whole: html => /^chrome-error:/.test(document.URL) ? {html: '', references, isQuirky: false}
            : {html: doctype() + (hasHead ? '' : head + wrapping) + html, references,
              isQuirky: document.compatMode === 'BackCompat'},
        };
        """#
}
