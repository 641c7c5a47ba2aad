"""axe-core, which judges the accessibility of a page, in the browser of the tests."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def script():
    """The text of axe-core; None if script/bootstrap has not installed it."""
    found = sorted((ROOT / ".build" / "venv-browser").glob("lib/python*/site-packages/axe_playwright_python/axe.min.js"))
    return found[0].read_text() if found else None


async def violations(shown):
    """What axe-core finds in the page that a browser shows: (rule, elements) of all rules of WCAG 2.2 A and AA and of good practice."""
    await shown.evaluate(f"(() => {{ {script()}; return 1 }})()")
    found = await shown.evaluate("""axe.run(document, { resultTypes: ['violations'] }).then(result => JSON.stringify(
        result.violations.map(rule => [rule.id, rule.nodes.slice(0, 3).map(node => [node.html.slice(0, 200), node.failureSummary])])))""")
    return json.loads(found)
