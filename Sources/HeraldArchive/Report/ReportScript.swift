/// The script of a report: it hides what a filter leaves out and computes the minutes of what stays. Without
/// it the page has everything but the filter.
enum ReportScript {
  static let text = #"""

    'use strict';
    (() => {
      const by = id => document.getElementById(id);
      const form = by('filter'), result = by('filter-result');
      const data = JSON.parse(by('data').textContent);
      const day = by('filter-day'), role = by('filter-role'), who = by('filter-who');
      const boxes = [...form.querySelectorAll('input')];
      const count = data.roles.length;
      const index = new Map(data.pairs.map((pair, place) => [pair[0] * count + pair[1], place]));
      const all = selector => [...document.querySelectorAll(selector)];
      const text = tens => {
        const halves = Math.floor((tens * 10 + 15) / 30);
        return halves % 2 && halves < 20 ? (halves >> 1) + '.5' : ((halves + 1) >> 1).toLocaleString('en-US');
      };
      const step = (value, most) => value > 0 ? Math.min(5, Math.floor(Math.sqrt(value / most) * 5) + 1) : 0;
      const shown = element => !element.classList.contains('off');
      const show = (element, is) => element.classList.toggle('off', !is);
      const numbers = text => text === '' ? [] : text.split(' ').map(Number);

      // The tens of seconds of each pair in the chosen days, for each band and none, and in the chosen bands.
      function sums(chosen) {
        return data.pairs.map(pair => {
          const bands = [0, 0, 0, 0, 0];
          for (let place = 2; place < pair.length; place += 6) {
            if (chosen.day !== '' && pair[place] !== Number(chosen.day)) continue;
            for (let band = 0; band < 5; band++) bands[band] += pair[place + 1 + band];
          }
          const total = bands.reduce((sum, value, band) => sum + (chosen.bands[band] ? value : 0), 0);
          return { one: pair[0], other: pair[1], bands, total };
        });
      }

      function wanted(chosen) {
        return data.roles.map((own, place) => (chosen.role === '' || own === Number(chosen.role)) && (chosen.who === '' || place === Number(chosen.who)));
      }

      function apply() {
        const chosen = { day: day.value, role: role.value, who: who.value, bands: [...boxes.map(box => box.checked), boxes.every(box => box.checked)] };
        const is = wanted(chosen);
        const pairs = sums(chosen);
        const isPair = pair => pair.total > 0 && (is[pair.one] || is[pair.other]);
        chosen.bands.slice(0, 4).forEach((on, band) => document.documentElement.classList.toggle('hide' + band, !on));
        all('[data-w]').forEach(element => show(element, numbers(element.dataset.w).some(place => is[place]) || (element.dataset.w === '' && chosen.role === '' && chosen.who === '')));
        const near = new Set();
        for (const pair of pairs) if (isPair(pair)) { near.add(pair.one); near.add(pair.other); }
        all('.nodes [data-w]').forEach(element => show(element, near.has(Number(element.dataset.w)) || is[Number(element.dataset.w)]));
        all('[data-d]').forEach(element => show(element, chosen.day === '' || element.dataset.d === chosen.day));
        const most = pairs.reduce((most, pair) => isPair(pair) ? Math.max(most, pair.total) : most, 1);
        all('[data-p]').forEach(element => {
          const [one, other] = numbers(element.dataset.p);
          const pair = pairs[index.get(one * count + other)];
          show(element, isPair(pair));
          if (element.tagName === 'path') element.setAttribute('class', 'w' + Math.max(1, Math.min(5, Math.floor(pair.total * 5 / most) + 1)) + ' ' + element.getAttribute('class').replace(/w\d /, ''));
          else {
            const cells = [...element.querySelectorAll('td.n:not(.fixed)')];
            if (cells.length === 5) [pair.total, ...pair.bands.slice(0, 4)].forEach((value, place) => { cells[place].textContent = text(value); });
          }
        });
        matrices(pairs, is, isPair, most, chosen);
        const people = is.filter((on, place) => on && data.badges[place]).length;
        const met = pairs.filter(isPair);
        result.textContent = people + (people === 1 ? ' badge, ' : ' badges, ') + met.length.toLocaleString('en-US') + ' pairs, '
          + text(met.reduce((sum, pair) => sum + pair.total, 0)) + ' pair minutes shown.';
      }

      function matrices(pairs, is, isPair, most, chosen) {
        const table = by('who-matrix');
        if (table) {
          const rows = [...table.tBodies[0].rows];
          rows.forEach((row, place) => show(row, is[place]));
          for (const pair of pairs) for (const [row, column] of [[pair.one, pair.other], [pair.other, pair.one]]) {
            const cell = rows[row].cells[column + 1], value = isPair(pair) ? pair.total : 0;
            cell.textContent = value ? Math.floor((value + 3) / 6) : '';
            cell.className = value ? 'q' + step(value, most) : '';
          }
        }
        const roles = by('role-matrix');
        if (!roles) return;
        const rows = [...roles.tBodies[0].rows];
        const totals = rows.map(row => rows.map(() => [0, 0]));
        for (const pair of pairs) {
          if (!isPair(pair)) continue;
          const [one, other] = [data.roles[pair.one], data.roles[pair.other]];
          const add = cell => { cell[0] += pair.total; cell[1] += chosen.bands[0] ? pair.bands[0] : 0; };
          add(totals[one][other]);
          if (one !== other) add(totals[other][one]);
        }
        const highest = Math.max(1, ...totals.flat().map(cell => cell[0]));
        rows.forEach((row, one) => totals[one].forEach((cell, other) => {
          const place = row.cells[other + 1];
          if (!place.querySelector('small')) return;
          place.className = 'q' + step(cell[0], highest);
          place.firstChild.textContent = text(cell[0]);
          place.querySelector('small').textContent = text(cell[1]);
        }));
      }

      form.hidden = false;
      form.addEventListener('change', apply);
      form.addEventListener('reset', () => requestAnimationFrame(apply));
      form.addEventListener('submit', event => event.preventDefault());
      // A link to a badge opens its details.
      const open = () => { const target = location.hash && by(location.hash.slice(1)); if (target && target.tagName === 'DETAILS') target.open = true; };
      addEventListener('hashchange', open);
      open();
    })();

    """#
}
