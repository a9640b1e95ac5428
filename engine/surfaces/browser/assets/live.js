/**
 * The script of live pages. It listens to the events of its page, fetches the page again when an event arrives, and
 * replaces the sections that differ. A section that somebody uses stays as it is: one with the focus, with selected text,
 * or with a value that was typed. A notice in it offers what is new, which comes by itself once the reader has left. The
 * script makes no markup of its own, so nothing that was stored can run as a script; without it the page does not change.
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
  // The reading place is kept below.
  document.documentElement.style.overflowAnchor = 'none';

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
      if (answer.ok) show(new DOMParser().parseFromString(await answer.text(), 'text/html'));
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

  /** What the server sent for each part that stands here: scripts count, open and mark within it. */
  const served = new WeakMap();
  /** The parts that are used and out of date, each with what is to replace it: null where nothing does. */
  const waiting = new Map();

  const partsOf = (parent) =>
    [...parent.querySelectorAll('section[id]')].filter(
      (one) => one.parentElement.closest('section[id], main') === parent,
    );
  const placeOf = (part) =>
    part.id ||
    [part.closest('[id]').id, part.localName, part.className, part.closest('tr')?.querySelector('a').href].join(' ');
  const noticeOf = (part) => part.querySelector(':scope > .news');

  const remember = (part) => {
    served.set(part, toServed(part));
    for (const inner of partsOf(part)) remember(inner);
    return part;
  };

  const toServed = (part) => ({ markup: part.outerHTML, frame: frameOf(part) });

  /** A part without the parts within it, but for their places. */
  const frameOf = (part) => {
    const frame = part.cloneNode(true);
    for (const inner of frame.querySelectorAll('section[id]')) inner.replaceWith(placeOf(inner));
    return frame.outerHTML;
  };

  const show = (fresh) => {
    const other = fresh.getElementById('main');
    keepPlace(() => {
      const old = new Map([...main.children].map((part) => [placeOf(part), part]));
      const wanted = [...other.children].map((part) => update(old.get(placeOf(part)), part));
      const gone = [...main.children].filter((part) => !wanted.includes(part));
      for (const part of gone) if (!leave(part, null)) part.remove();
      // What stays is not moved: it would lose the focus.
      let next = main.firstElementChild;
      for (const part of wanted) {
        while (next !== null && waiting.has(next) && !wanted.includes(next)) next = next.nextElementSibling;
        if (part === next) next = next.nextElementSibling;
        else main.insertBefore(part, next);
      }
    });
    document.title = fresh.title;
    if (other.dataset.events === undefined) stop('over', 'It is over: this page is complete.');
  };

  /** Brings one part up to date. @returns the element that stands for it from now on */
  const update = (part, fresh) => {
    if (part === undefined) return remember(document.adoptNode(fresh));
    const was = served.get(part);
    if (was.markup === fresh.outerHTML) {
      waiting.delete(part);
      noticeOf(part)?.remove();
      return part;
    }
    if (!isUsed(part)) return renew(part, fresh);
    const now = toServed(fresh);
    if (was.frame !== now.frame || partsOf(part).length === 0) {
      leave(part, fresh);
      return part;
    }
    // Only forms within it differ, and perhaps nobody uses those.
    served.set(part, now);
    const others = partsOf(fresh);
    for (const [index, inner] of partsOf(part).entries()) {
      const stands = update(inner, others[index]);
      if (stands !== inner) inner.replaceWith(stands);
    }
    return part;
  };

  const fieldsOf = (part) => [
    ...part.querySelectorAll('input:not([type="hidden"], .switch > input), textarea, select'),
  ];
  const isTyped = (field) =>
    field.localName === 'select'
      ? [...field.options].some((one) => one.selected !== one.defaultSelected)
      : field.value !== field.defaultValue;

  /** Whether a part has the focus, selected text, or a value that was typed. */
  const isUsed = (part) => {
    const selection = getSelection();
    const isSelected = !selection.isCollapsed && selection.getRangeAt(0).intersectsNode(part);
    return isSelected || part.contains(document.activeElement) || fieldsOf(part).some(isTyped);
  };

  /** Leaves a part that is used as it is, and says in it that there is something new. @returns whether it is used */
  const leave = (part, fresh) => {
    if (!isUsed(part)) return false;
    waiting.set(part, fresh);
    if (noticeOf(part) !== null) return true;
    const notice = document.createElement('p');
    notice.className = 'news';
    notice.setAttribute('role', 'status');
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Show it';
    button.addEventListener('click', () => bring(part));
    notice.append('There is something new here. ', button);
    const title = part.querySelector(':scope > h2, :scope > h3');
    if (title === null) part.prepend(notice);
    else title.after(notice);
    return true;
  };

  /** Makes the successor of a part: what was opened stays open, and what was typed stays typed. */
  const renew = (part, fresh) => {
    waiting.delete(part);
    const added = remember(document.adoptNode(fresh));
    const folds = new Map(foldsOf(part).map((one) => [keyOf(one), one]));
    for (const one of foldsOf(added)) {
      const old = folds.get(keyOf(one)) ?? one;
      one.open = old.open;
      one.checked = old.checked;
    }
    for (const field of fieldsOf(part)) {
      const successor = fieldsOf(added).find(({ id, name }) => id === field.id && name === field.name);
      if (successor === undefined) continue;
      if (isTyped(field)) successor.value = field.value;
      else if (field.id !== '' && successor.defaultValue !== field.defaultValue) sayMoved(field, successor, added);
    }
    return added;
  };

  const foldsOf = (part) => [...part.querySelectorAll('details, .switch > input')];
  /** What it says before its first number: the numbers grow. */
  const textOf = (fold) => fold.querySelector('summary')?.textContent.replace(/\d.*/s, '');
  /** Of those that are alike in one place, the last stays the last: what is new comes first. */
  const keyOf = (fold) => {
    const near = fold.closest('[id]') ?? fold;
    const text = textOf(fold);
    const alike = foldsOf(near).filter((one) => textOf(one) === text);
    return [near.id, text, alike.length - alike.indexOf(fold)].join(' ');
  };

  /** A value that nobody typed follows the page, and never in silence. */
  const sayMoved = (field, successor, part) => {
    const moved = document.createElement('p');
    moved.className = 'moved';
    moved.setAttribute('role', 'status');
    const name = part.querySelector('label[for="' + field.id + '"]')?.textContent;
    moved.textContent = `“${name}” was ${field.defaultValue}, and is ${successor.defaultValue} now.`;
    successor.closest('form').before(moved);
  };

  const bring = (part) => {
    const fresh = waiting.get(part);
    waiting.delete(part);
    keepPlace(() => (fresh === null ? part.remove() : part.replaceWith(renew(part, fresh))));
  };

  /** The reader has left what waits. */
  const bringWhatIsLeft = () => {
    for (const part of waiting.keys()) if (!isUsed(part)) bring(part);
  };

  /** Changes the page so that what is read stays where it is on the screen. */
  const keepPlace = (change) => {
    const placed = () => [...main.querySelectorAll(':scope > *, [id], tr:has(a)')];
    const scrolled = new Map([...main.querySelectorAll('.scroll')].map((one) => [one.ariaLabel, one.scrollLeft]));
    const seen = placed()
      .map((one) => ({ place: placeOf(one), rect: one.getBoundingClientRect() }))
      .filter(({ rect: { top, bottom, height } }) => height > 0 && bottom > 0 && top < innerHeight)
      .sort((one, other) => Math.abs(one.rect.top) - Math.abs(other.rect.top));
    change();
    for (const one of main.querySelectorAll('.scroll')) one.scrollLeft = scrolled.get(one.ariaLabel) ?? 0;
    const stands = new Map(placed().map((one) => [placeOf(one), one]));
    const near = seen.find(({ place }) => stands.has(place));
    if (near !== undefined && scrollY > 0)
      scrollBy({ top: stands.get(near.place).getBoundingClientRect().top - near.rect.top, behavior: 'instant' });
    document.dispatchEvent(new Event('fresh'));
  };

  // Between two answers of the server, the times of what goes on are counted here.
  const count = () => {
    for (const one of main.querySelectorAll('[data-so-far]')) {
      one.began ??= performance.now() - Number(one.dataset.soFar);
      const seconds = Math.floor((performance.now() - one.began) / 1000);
      one.textContent = seconds < 60 ? seconds + ' s' : Math.floor(seconds / 60) + ' min ' + (seconds % 60) + ' s';
    }
  };

  const stop = (state, text) => {
    isOver = true;
    source.close();
    say(state, text);
    clearInterval(counting);
  };

  for (const event of ['focusout', 'selectionchange', 'input'])
    document.addEventListener(event, () => setTimeout(bringWhatIsLeft));
  for (const part of main.children) remember(part);
  const counting = setInterval(count, 1000);
  listen();
})();
