/// The style sheet of a report: screens from 360 pixels, light and dark, and A4.
enum ReportStyle {
  static let text = """

    :root { color-scheme: light dark;
      --paper: #fff; --panel: #f4f6f8; --ink: #1c2733; --soft: #52606c; --line: #d9e0e6; --link: #1a5a86; --flag: #9f2a10;
      --b0: #a3290c; --b1: #d9822b; --b2: #4f88b9; --b3: #9aa9b6; --b4: #c3ccd3;
      --q1: #eaf1f6; --q2: #cfe0ec; --q3: #a5c7de; --q4: #74a9cd; --q5: #1f5c88; --on5: #fff; }
    @media (prefers-color-scheme: dark) { :root {
      --paper: #12181e; --panel: #1a222a; --ink: #e4eaf0; --soft: #a3b0bc; --line: #2e3a45; --link: #86c0ec; --flag: #ff9a78;
      --b0: #ff8259; --b1: #e8a545; --b2: #5f9bd0; --b3: #6b7d8a; --b4: #4a5863;
      --q1: #1b2a37; --q2: #213d55; --q3: #2a5273; --q4: #30648d; --q5: #a9d1ef; --on5: #0e1a24; } }
    * { box-sizing: border-box; }
    html { scroll-padding-top: 1rem; }
    body { margin: 0 auto; max-width: 75rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
      font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
    h1 { font-size: 1.75rem; line-height: 1.2; margin: 0; } h2 { font-size: 1.3rem; margin: 0 0 .5rem; } h3 { font-size: 1.1rem; margin: 0; }
    h3 small, .lead, .facts, figcaption, caption, .more { color: var(--soft); font-weight: 400; }
    p { margin: .35rem 0 .75rem; max-width: 62rem; } .lead { margin: .25rem 0 .75rem; }
    a { color: var(--link); } small { font-size: .8em; }
    section { margin-top: 2.5rem; } section.person { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid var(--line); }
    .long .person { content-visibility: auto; contain-intrinsic-size: auto 900px; }
    :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
    .skip { position: absolute; left: -100rem; } .skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .5rem; z-index: 3; }
    nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: 0; padding: 0; }
    nav a { display: inline-block; padding: .25rem 0; }
    .filter { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin-top: 1rem; padding: .75rem 1rem; background: var(--panel);
      border-radius: 6px; } .filter[hidden] { display: none; }
    .filter label { display: flex; flex-direction: column; font-size: .85rem; max-width: 100%; } .filter fieldset label { flex-direction: row; align-items: center; gap: .35rem; }
    .filter fieldset { display: flex; flex-wrap: wrap; gap: .25rem .9rem; border: 0; padding: 0; margin: 0; min-width: 0; } legend { font-size: .85rem; padding: 0; }
    select, button { font: inherit; padding: .3rem .5rem; max-width: 16rem; color: var(--ink); background: var(--paper); border: 1px solid var(--soft); border-radius: 4px; }
    #filter-result { flex-basis: 100%; margin: 0; font-size: .9rem; color: var(--soft); min-height: 1.4em; }
    .answer { font-size: 1.15rem; margin: .25rem 0 1rem; }
    .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 1px; margin: 0 0 1.25rem; border: 1px solid var(--line);
      border-radius: 6px; overflow: hidden; }
    .figures div { box-shadow: 0 0 0 1px var(--line); display: flex; flex-direction: column-reverse; justify-content: flex-end; padding: .6rem .9rem; background: var(--paper); }
    .figures dd { margin: 0; font-size: 1.45rem; font-variant-numeric: tabular-nums; } .figures dt { color: var(--soft); font-size: .85rem; line-height: 1.3; }
    figure { margin: 0 0 1.25rem; } figcaption { font-size: .85rem; max-width: 62rem; }
    .keys { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .25rem 1rem; list-style: none; margin: .5rem 0; padding: 0; font-size: .9rem; }
    .key { display: inline-block; width: .5rem; height: .9rem; margin-right: .35rem; vertical-align: -1px; border-bottom: 0 solid transparent; }
    .k0 { height: .9rem; background: var(--b0); } .k1 { height: .68rem; background: var(--b1); } .k2 { height: .46rem; background: var(--b2); } .k3 { height: .26rem; background: var(--b3); }
    .findings { padding-left: 1.1rem; } .findings b { color: var(--flag); } .flag, strong { color: var(--flag); }
    .wide { overflow-x: auto; margin: .5rem 0 1.25rem; max-width: 100%; } .wide:focus-visible { outline-offset: 0; }
    table { border-collapse: collapse; font-size: .88rem; } caption { text-align: left; font-size: .85rem; padding-bottom: .25rem; }
    th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; } thead th { vertical-align: bottom; color: var(--soft); font-weight: 600; line-height: 1.25; }
    tbody th { font-weight: 500; overflow-wrap: normal; } th, td { overflow-wrap: normal; } tbody th { white-space: nowrap; } .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; } .t { white-space: nowrap; }
    svg { display: block; } svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
    .bar { width: 100%; min-width: 7rem; } table .bar { margin-top: .35rem; max-width: 22rem; } .f0 { fill: var(--b0); } .f1 { fill: var(--b1); } .f2 { fill: var(--b2); } .f3 { fill: var(--b3); } .f4 { fill: var(--b4); }
    .matrix td, .matrix th { border: 1px solid var(--line); padding: .25rem .5rem; } .matrix td { text-align: right; font-variant-numeric: tabular-nums; }
    .matrix tbody th { position: sticky; left: 0; background: var(--paper); white-space: nowrap; z-index: 1; } .matrix .self { background: var(--panel); }
    .who { font-size: .75rem; } .who td { padding: .1rem .25rem; min-width: 1.9rem; } .who tbody th { padding: .1rem .4rem; } .who thead th { padding: .35rem .1rem; vertical-align: bottom; } .who thead span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
    .q1 { background: var(--q1); } .q2 { background: var(--q2); } .q3 { background: var(--q3); } .q4 { background: var(--q4); } .q5 { background: var(--q5); color: var(--on5); }
    .net { text-align: center; } .network { width: 100%; min-width: 34rem; max-width: 52rem; margin: 0 auto; } .network.dense { min-width: 46rem; }
    .edges path { fill: none; stroke-linecap: round; stroke-opacity: .55; } .w1 { stroke-width: .6; } .w2 { stroke-width: 1.6; } .w3 { stroke-width: 3; } .w4 { stroke-width: 4.8; } .w5 { stroke-width: 7; } .dense .w1 { stroke-width: .5; } .dense .w2 { stroke-width: 1; } .dense .w3 { stroke-width: 1.7; } .dense .w4 { stroke-width: 2.5; } .dense .w5 { stroke-width: 3.5; }
    .c0 { stroke: var(--b0); } .c1 { stroke: var(--b1); } .c2 { stroke: var(--b2); } .c3 { stroke: var(--b3); } .c4 { stroke: var(--b4); }
    .nodes circle { fill: var(--paper); stroke: var(--ink); stroke-width: 1.5; } .nodes text { fill: var(--ink); font-size: 15px; } .dense .nodes text { font-size: 12px; } .groups text { fill: var(--soft); font-size: 15px; font-weight: 600; }
    .balance { margin-top: .35rem; } .heard, .back { fill: var(--b2); } .back { fill: var(--b3); } .uneven rect { fill: var(--b0); } .uneven .back { fill: var(--b1); }
    .timeline { width: 100%; min-width: 40rem; } .timeline td, .timeline th { padding: .25rem .4rem .25rem 0; } .timeline thead th:nth-child(2), .timeline td:nth-child(2) { width: 100%; padding-left: .25rem; }
    .timeline tbody th { white-space: nowrap; font-weight: 400; line-height: 15px; } .timeline tbody th b { display: block; height: 40px; font-weight: 500; line-height: 1.4; padding-top: 8px; } .timeline tbody th i { display: block; height: 15px; font-style: normal; font-size: 11px; color: var(--soft); }
    .hours { width: 100%; overflow: visible; } .day { width: 100%; } .day path { fill: none; } .grid { stroke: var(--line); vector-effect: non-scaling-stroke; }
    .rec { stroke: var(--soft); stroke-width: 1.5; } .lay { stroke: var(--paper); stroke-width: 1.5; stroke-dasharray: 4 4; } .fault { stroke: var(--flag); stroke-width: 2; vector-effect: non-scaling-stroke; }
    .b0 { stroke: var(--b0); } .b1 { stroke: var(--b1); } .b2 { stroke: var(--b2); } .b3 { stroke: var(--b3); } .b4 { stroke: var(--b4); }
    .s0 { stroke-width: 30; } .s1 { stroke-width: 22; } .s2 { stroke-width: 14; } .s3 { stroke-width: 7; } .s4 { stroke-width: 4; } .l0 { stroke-width: 12; } .l1 { stroke-width: 9; } .l2 { stroke-width: 6; } .l3 { stroke-width: 3; } .l4 { stroke-width: 2; }
    .two { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 22rem); gap: 1rem 2rem; align-items: start; } .histogram svg { width: 100%; max-width: 24rem; } .bin { stroke-width: 3; } .axis, .limit { stroke: var(--line); fill: none; } .limit { stroke: var(--soft); stroke-dasharray: 2 3; }
    .near { width: 100%; } details { margin: .5rem 0; } summary { cursor: pointer; } .battery { max-width: 44rem; } .battery svg { width: 100%; } .curve { fill: none; stroke: var(--b2); stroke-width: 1.5; stroke-linecap: round; } .spans { columns: 22rem; font-size: .85rem; }
    .print-only { display: none; } .off { display: none !important; }
    .hide0 .day .b0, .hide1 .day .b1, .hide2 .day .b2, .hide3 .day .b3, .hide0 .bin.b0, .hide1 .bin.b1, .hide2 .bin.b2, .hide3 .bin.b3 { display: none; }
    @media (max-width: 70rem) { .two { grid-template-columns: minmax(0, 1fr); } .spans { columns: 1; } }
    @page { size: A4; margin: 14mm 12mm; }
    @media print {
      :root { color-scheme: light; --paper: #fff; --panel: #fff; --ink: #000; --soft: #444; --line: #ccc; --link: #000; --flag: #9f2a10; --b0: #a3290c; --b1: #d9822b; --b2: #4f88b9; --b3: #9aa9b6; --b4: #c3ccd3;
        --q1: #eaf1f6; --q2: #cfe0ec; --q3: #a5c7de; --q4: #74a9cd; --q5: #1f5c88; --on5: #fff; }
      body { padding: 0; max-width: none; font-size: 10pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; } nav, .skip, .filter, .screen-only { display: none !important; } .print-only { display: block; }
      a { text-decoration: none; } .long .person { content-visibility: visible; } .person { break-inside: avoid; } .wide { overflow: visible; } table { max-width: 100%; font-size: 7.5pt; } th, td { padding-right: .35rem; } .t, .n { white-space: normal; }
      .timeline { min-width: 0; } .network, .network.dense { min-width: 0; max-width: 100%; } .bar { min-width: 3rem; } .balance { width: 100px; } .two { display: block; } .histogram { max-width: 10cm; }
      h2, h3, caption { break-after: avoid; } tr, figure, .findings li { break-inside: avoid; } thead { display: table-header-group; } details::details-content { content-visibility: visible; block-size: auto; }
    }

    """
}
