/// What pages load beside their HTML.
enum Assets {
    /// A phone that is asked.
    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="8" y="2" width="16" height="28" rx="4" \
        fill="#0a4fb3"/><circle cx="16" cy="14" r="4.5" fill="#ffd166"/><rect x="13" y="24" width="6" height="2" \
        rx="1" fill="#fff"/></svg>

        """

    static let style = """
        :root { color-scheme: light dark; --fg: #1a1a1a; --dim: #55555c; --bg: #fff; --soft: #f4f4f6; --line: #767680;
          --rule: #dcdce2; --link: #0a4fb3; --on-link: #fff; --good: #14632b; --bad: #a11414; --wait: #7a4b00; }
        @media (prefers-color-scheme: dark) { :root { --fg: #f0f0f2; --dim: #b4b4bc; --bg: #161618; --soft: #222226;
          --line: #8e8e96; --rule: #3a3a40; --link: #8db8ff; --on-link: #10131a; --good: #7fdc98; --bad: #ff9d9d;
          --wait: #f2c36b; } }
        * { box-sizing: border-box; }
        body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--fg); background: var(--bg); }
        header { padding: .6rem max(1rem, 50% - 37rem); border-bottom: 1px solid var(--rule); color: var(--dim); font-size: .9rem; }
        header a { font-weight: 700; font-size: 1rem; }
        main:focus, section:focus, div:focus, li:focus, details:focus { outline: none; }
        main, #alert { max-width: 76rem; margin: 0 auto; padding: .5rem 1rem 2rem; }
        #alert { padding-bottom: 0; } #alert:empty { display: none; }
        #alert p { margin: .5rem 0 0; padding: .6rem .9rem; border: 2px solid var(--bad); border-radius: .5rem; }
        a { color: var(--link); }
        h1 { font-size: 1.5rem; line-height: 1.25; margin: .25rem 0 1rem; overflow-wrap: anywhere; }
        h2 { font-size: 1.05rem; margin: 1.75rem 0 .4rem; } h3 { font-size: .95rem; margin: .75rem 0 .25rem; }
        .way { margin: .5rem 0 0; }
        .columns { display: grid; gap: 1.75rem 3rem; grid-template-columns: minmax(0, 1fr); }
        .columns > * > :first-child > h2, .columns > * > h2:first-child { margin-top: 0; }
        .card { padding: 1.25rem; border: 1px solid var(--rule); border-left: .4rem solid var(--link);
          border-radius: .75rem; background: var(--soft); }
        .card h1, .card h2 { font-size: 1.25rem; margin: 0; }
        .card p { margin: .35rem 0; }
        .card.waiting { border-left-color: var(--wait); } .card.approved { border-left-color: var(--good); }
        .card.denied, .card.failed, .card.expired { border-left-color: var(--bad); }
        .shown { font-size: 4.5rem; line-height: 1.1; font-weight: 700; letter-spacing: .06em;
          font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
        .state { font-size: 1.1rem; } .state > span { font-weight: 600; } .state time { font-size: .9rem; }
        .hint { padding: .6rem .9rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--bg); }
        #planned { margin: 1.75rem 0 0; } #planned form { display: inline-block; margin-left: .5rem; }
        .actions { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; margin-top: .75rem; }
        .actions .none { flex-basis: 100%; font-size: .9rem; margin: 0; }
        form { margin: 0; }
        .adding, #codes form { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; margin: 1rem 0; }
        .adding input, #codes input { flex: 1 1 8rem; min-width: 0; max-width: 16rem; }
        label { flex-basis: 100%; font-size: .9rem; color: var(--dim); }
        button, .button, input { font: inherit; color: inherit; padding: .45rem .9rem; min-height: 2.75rem;
          border: 1px solid var(--line); border-radius: .5rem; background: var(--bg); }
        button, .button { cursor: pointer; display: inline-flex; align-items: center; text-decoration: none; }
        button[hidden] { display: none; }
        .primary { background: var(--link); border-color: var(--link); color: var(--on-link); font-weight: 600; }
        .lines { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--rule); }
        .lines li { display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: baseline; padding: .3rem 0;
          border-bottom: 1px solid var(--rule); font-size: .9rem; }
        .lines .what { flex: 1 1 0; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .lines .what[open] { overflow: visible; white-space: normal; flex-basis: 100%; }
        .lines .who { white-space: nowrap; color: var(--dim); overflow: hidden; text-overflow: ellipsis; flex: 0 1 auto;
          max-width: 45%; }
        .lines .more { flex-basis: 100%; } .lines li form { align-self: center; }
        .whole-lines .what { white-space: normal; overflow-wrap: anywhere; }
        time { white-space: nowrap; color: var(--dim); font-variant-numeric: tabular-nums; }
        .vendor { align-items: center; } .vendor .name { flex: 1 1 11rem; font-size: 1rem; }
        .person { display: inline-flex; gap: .4rem; align-items: center; min-height: 2.5rem; padding: 0 .25rem; }
        .person { text-decoration: none; } .person span { text-decoration: underline; }
        .person b, .person small { font-size: .8rem; } .person small { color: var(--dim); }
        summary { cursor: pointer; overflow: hidden; text-overflow: ellipsis; }
        #spoil, #codes, #text { margin-top: 1.75rem; } #codes > summary, #spoil > summary, #text > summary {
          font-weight: 600; padding: .5rem 0; }
        pre { margin: .75rem 0 0; padding: .6rem .75rem; max-height: 22rem; overflow: auto; font-size: .82rem;
          white-space: pre-wrap; overflow-wrap: anywhere; background: var(--bg); border: 1px solid var(--rule);
          border-radius: .5rem; }
        button:focus-visible, a:focus-visible, summary:focus-visible, input:focus-visible, pre:focus-visible {
          outline: 3px solid var(--link); outline-offset: 2px; }
        .qr { width: min(20rem, 100%); } .qr svg { width: 100%; height: auto; display: block; border-radius: .5rem; }
        code { overflow-wrap: anywhere; background: var(--soft); padding: .1rem .3rem; border-radius: .25rem; }
        dd { margin: 0 0 .5rem; }
        .whole { user-select: all; -webkit-user-select: all; }
        .approved { color: var(--good); } .denied, .failed, .expired { color: var(--bad); } .waiting { color: var(--wait); }
        .none { color: var(--dim); }
        .card { color: var(--fg); }
        main > .card { max-width: 40rem; margin-top: 1rem; }
        @media (max-width: 30rem) { header span { display: none; } }
        @media (max-width: 40rem) { .whole-lines .what { flex-basis: 100%; } .whole-lines .who { max-width: none; } }
        @media (min-width: 60rem) { .columns { grid-template-columns: minmax(0, 6fr) minmax(0, 5fr); } }

        """

    /// Loads the page's content again when something changed, posts forms without leaving the page, and
    /// copies what a button names; without it, pages are read as they are, and such a button isn't shown.
    ///
    /// What stayed the same stays the same node, so that the focus, what is being typed, what is
    /// unfolded and what a reader of the screen watches last.
    static let script = """
        'use strict';
        const main = document.getElementById('main'), alerts = document.getElementById('alert');
        let shown = main.dataset.version, work = Promise.resolve(), isAsked = false;
        function same(one, other) {
          return one.nodeName === other.nodeName && (one.id || '') === (other.id || '');
        }
        function change(node, fresh) {
          if (node.nodeType !== Node.ELEMENT_NODE) {
            if (node.data !== fresh.data) node.data = fresh.data;
            return;
          }
          for (const { name } of [...node.attributes]) {
            if (!['open', 'tabindex'].includes(name) && !fresh.hasAttribute(name)) node.removeAttribute(name);
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
        // Where the focus is: itself, and what it is in, from within.
        function places() {
          const ids = [];
          for (let node = document.activeElement; node; node = node.parentElement) if (node.id) ids.push(node.id);
          return ids;
        }
        function take(text) {
          const page = new DOMParser().parseFromString(text, 'text/html');
          const fresh = page.getElementById('main');
          if (!fresh) return;
          const focused = document.activeElement, ids = places();
          change(main, fresh);
          shown = fresh.dataset.version;
          if (!focused.isConnected) {
            // What was focused is gone: the keyboard goes on from where it was, not from the top.
            const place = ids.map((id) => document.getElementById(id)).find((node) => node) || main;
            if (place.tabIndex < 0) place.tabIndex = -1;
            place.focus({ preventScroll: true });
          }
          return page;
        }
        function queue(task) { work = work.then(task).catch(() => { /* the server is away; the next event tries again */ }); }
        function renew() {
          if (isAsked) return;
          isAsked = true;
          queue(async () => {
            isAsked = false;
            const reply = await fetch(location.pathname, { headers: { Accept: 'text/html' } });
            if (reply.ok) take(await reply.text());
          });
        }
        if (shown !== undefined) main.addEventListener('submit', (event) => {
          const form = event.target;
          event.preventDefault();
          queue(async () => {
            const body = new URLSearchParams(new FormData(form));
            const reply = await fetch(form.action, { method: 'POST', body });
            const page = take(await reply.text());
            if (page) alerts.replaceChildren(...page.getElementById('alert').childNodes);
            if (reply.ok) form.reset();
          });
        });
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
