/**
 * The script of live pages. It listens to the events of its page, fetches the page again when an event arrives, and
 * swaps in the parts that differ. It makes no markup of its own, so nothing that was stored can run as a script;
 * without it the page does not change.
 */
'use strict';

(() => {
  const RETRY_MS = 2000;
  const PAUSE_MS = 500;
  const main = document.getElementById('main');
  const note = document.createElement('p');
  note.className = 'live';
  note.setAttribute('role', 'status');
  document.querySelector('.top > div').append(note);

  let source;
  let isOver = false;
  let isAsking = false;
  let hasNews = false;
  let nextAt = 0;

  const say = (state, text) => {
    if (note.textContent === text) return;
    note.dataset.state = state;
    note.textContent = text;
  };
  const sayLost = () => say('lost', 'The server is out of reach. This page goes on when it is back.');

  const listen = () => {
    if (isOver) return;
    source = new EventSource(main.dataset.events);
    source.addEventListener('open', () => {
      say('live', 'Live: this page grows as it happens.');
      refresh();
    });
    source.addEventListener('message', refresh);
    source.addEventListener('error', () => {
      if (isOver) return;
      if (source.readyState !== EventSource.CLOSED) return sayLost();
      // Either the stream has ended, which the page says, or the server refuses for now.
      refresh();
      setTimeout(listen, RETRY_MS);
    });
  };

  const refresh = () => {
    hasNews = true;
    if (isAsking || isOver) return;
    isAsking = true;
    setTimeout(ask, Math.max(0, nextAt - performance.now()));
  };

  const ask = async () => {
    hasNews = false;
    const began = performance.now();
    try {
      const answer = await fetch(location.href, { headers: { accept: 'text/html' }, cache: 'no-store' });
      if (answer.ok) swap(new DOMParser().parseFromString(await answer.text(), 'text/html'));
      else if (answer.status === 401) stop('lost', 'Your session has ended. Load this page again to sign in.');
      else sayLost();
    } catch {
      sayLost();
    }
    // A page that is slow to make is fetched less often.
    const now = performance.now();
    nextAt = now + Math.max(PAUSE_MS, 5 * (now - began));
    isAsking = false;
    if (hasNews) refresh();
  };

  const swap = (fresh) => {
    const other = fresh.getElementById('main');
    const opened = new Map([...main.querySelectorAll('details')].map((one) => [one.textContent, one.open]));
    const focused = main.contains(document.activeElement) ? keyOf(document.activeElement) : undefined;
    const present = new Map([...main.children].map((child) => [placeOf(child), child]));
    const wanted = [...other.children].map((child) => {
      for (const one of child.querySelectorAll('details')) one.open = opened.get(one.textContent) ?? one.open;
      const old = present.get(placeOf(child));
      return old !== undefined && old.isEqualNode(child) ? old : document.adoptNode(child);
    });
    if (wanted.length !== main.children.length || wanted.some((child, index) => child !== main.children[index])) {
      main.replaceChildren(...wanted);
      const again = [...main.querySelectorAll('a, button, summary, input')].find((one) => keyOf(one) === focused);
      again?.focus({ preventScroll: true });
    }
    document.title = fresh.title;
    if (other.dataset.events === undefined) stop('over', 'It is over: this page is complete.');
  };

  // Between two answers of the server, the times of what goes on are counted here.
  const count = () => {
    for (const one of main.querySelectorAll('[data-so-far]')) {
      one.began ??= performance.now() - Number(one.dataset.soFar);
      const seconds = Math.floor((performance.now() - one.began) / 1000);
      one.textContent = seconds < 60 ? seconds + ' s' : Math.floor(seconds / 60) + ' min ' + (seconds % 60) + ' s';
    }
  };

  const placeOf = (child) => child.id || child.localName + '.' + child.className;
  const keyOf = (element) =>
    [element.closest('section')?.id, element.localName, element.getAttribute('href'), element.textContent].join(' ');

  const stop = (state, text) => {
    isOver = true;
    source.close();
    say(state, text);
    clearInterval(counting);
  };

  const counting = setInterval(count, 1000);
  listen();
})();
