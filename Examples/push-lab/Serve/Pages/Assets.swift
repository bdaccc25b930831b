/// What pages load beside their HTML.
enum Assets {
    static let style = """
        :root { color-scheme: light dark; --fg: #1a1a1a; --bg: #fff; --soft: #f2f2f4; --line: #767680;
          --link: #0a4fb3; --good: #14632b; --bad: #a11414; --wait: #7a4b00; }
        @media (prefers-color-scheme: dark) { :root { --fg: #f0f0f2; --bg: #161618; --soft: #242428;
          --line: #8e8e96; --link: #8db8ff; --good: #7fdc98; --bad: #ff9d9d; --wait: #f2c36b; } }
        * { box-sizing: border-box; }
        body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--fg); background: var(--bg); }
        header { padding: .75rem 1rem; background: var(--soft); border-bottom: 1px solid var(--line); }
        header a { font-weight: 700; }
        main:focus { outline: none; }
        main { max-width: 64rem; margin: 0 auto; padding: 1rem; }
        a { color: var(--link); }
        h1 { font-size: 1.5rem; margin: .5rem 0; } h2 { font-size: 1.15rem; margin: 1.5rem 0 .5rem; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: left; vertical-align: top; padding: .35rem .5rem; border-bottom: 1px solid var(--line);
          overflow-wrap: anywhere; }
        th, time, .word { white-space: nowrap; }
        form { display: inline-block; margin: 0 .25rem .25rem 0; }
        button, input, select { font: inherit; color: inherit; padding: .45rem .8rem; min-height: 2.75rem;
          border: 1px solid var(--line); border-radius: .4rem; background: var(--soft); }
        button { cursor: pointer; }
        pre { margin: .25rem 0; padding: .35rem .5rem; background: var(--soft); font-size: .85rem;
          white-space: pre-wrap; overflow-wrap: anywhere; }
        summary { cursor: pointer; }
        button:focus-visible, a:focus-visible, summary:focus-visible, input:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        .qr { display: block; width: min(20rem, 100%); } .qr svg { width: 100%; height: auto; display: block; }
        code { overflow-wrap: anywhere; background: var(--soft); padding: .1rem .3rem; border-radius: .25rem; }
        .whole { user-select: all; -webkit-user-select: all; }
        .shown { font-size: 2.5rem; font-weight: 700; letter-spacing: .1em; margin: .25rem 0; }
        .approved { color: var(--good); } .denied, .failed, .expired { color: var(--bad); } .waiting { color: var(--wait); }
        .alert { border: 2px solid var(--bad); padding: .5rem .75rem; border-radius: .4rem; }
        .none { color: var(--fg); opacity: .8; }
        @media (max-width: 40rem) {
          thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          tr { display: block; border-bottom: 1px solid var(--line); padding: .4rem 0; }
          td { display: block; border: 0; padding: .1rem 0; }
          td:empty { display: none; }
          td::before { content: attr(data-label) ": "; font-weight: 600; }
        }

        """

    /// Loads the page's content again when something changed, and copies what a button names; without
    /// it, pages are read as they are, and such a button isn't shown.
    ///
    /// What stayed the same stays the same node, so that the focus, what is being typed, what is
    /// unfolded and what a reader of the screen watches last.
    static let script = """
        'use strict';
        const main = document.getElementById('main');
        let shown = main.dataset.version, busy = false, again = false;
        function same(one, other) {
          return one.nodeName === other.nodeName && (one.id || '') === (other.id || '');
        }
        function change(node, fresh) {
          if (node.nodeType !== Node.ELEMENT_NODE) {
            if (node.data !== fresh.data) node.data = fresh.data;
            return;
          }
          for (const { name } of [...node.attributes]) {
            if (name !== 'open' && !fresh.hasAttribute(name)) node.removeAttribute(name);
          }
          for (const { name, value } of fresh.attributes) {
            if (node.getAttribute(name) !== value) node.setAttribute(name, value);
          }
          let next = node.firstChild;
          for (const child of [...fresh.childNodes]) {
            let found = next;
            if (child.id) while (found && !same(found, child)) found = found.nextSibling;
            if (!found || !same(found, child)) { node.insertBefore(child, next); continue; }
            while (next !== found) { const gone = next; next = gone.nextSibling; gone.remove(); }
            change(found, child);
            next = found.nextSibling;
          }
          while (next) { const gone = next; next = gone.nextSibling; gone.remove(); }
        }
        async function renew() {
          if (busy) { again = true; return; }
          busy = true;
          try {
            const reply = await fetch(location.pathname, { headers: { Accept: 'text/html' } });
            if (reply.ok) {
              const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
              const fresh = page.getElementById('main');
              const focused = document.activeElement;
              if (fresh) {
                change(main, fresh);
                shown = fresh.dataset.version;
                // What was focused is gone: the keyboard goes on from here, not from the top.
                if (!focused.isConnected) main.focus({ preventScroll: true });
              }
            }
          } catch { /* the server is away; the next event tries again */ }
          busy = false;
          if (again) { again = false; renew(); }
        }
        for (const button of document.querySelectorAll('button[data-copies]')) {
          button.hidden = false;
          button.addEventListener('click', async () => {
            const node = document.getElementById(button.dataset.copies);
            let done = true;
            try {
              await navigator.clipboard.writeText(node.textContent);
            } catch {
              getSelection().selectAllChildren(node);
              done = document.execCommand('copy');
            }
            document.getElementById('copied').textContent =
              done ? 'Copied.' : 'It is selected: copy it by hand.';
          });
        }
        if (shown !== undefined) {
          new EventSource('/events').addEventListener('version', (event) => {
            if (shown !== event.data) renew();
          });
        }

        """
}
