"""The report of a failed case: location, cause, and the compared values."""

import ast
import linecache
import reprlib

# Of a value in the report.
MOST = 1500


def shown(value):
    brief = reprlib.Repr()
    brief.maxlist = brief.maxtuple = brief.maxset = brief.maxdict = brief.maxlevel = 30
    brief.maxstring = brief.maxother = MOST
    return brief.repr(value)[:MOST]


def frames(error):
    """The frames of an error and of its causes, the outermost first. After a timeout, these show the position at that time."""
    found = []
    while error is not None:
        trace = error.__traceback__
        while trace is not None:
            found.append((trace.tb_frame, trace.tb_lineno))
            trace = trace.tb_next
        error = error.__cause__ or error.__context__
    return found


def assertion(frame, number):
    """The assertion in this line of a frame's file, if there is one."""
    try:
        tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename)))
    except SyntaxError:
        return None
    return next((node for node in ast.walk(tree) if isinstance(node, ast.Assert) and node.lineno <= number <= node.end_lineno), None)


def compared(frame, number):
    """The parts of the condition of a failed assertion, and their present values, one per line."""
    found = assertion(frame, number)
    if found is None:
        return
    parts = found.test.values if isinstance(found.test, ast.BoolOp) else [found.test]
    names = frame.f_globals | frame.f_locals
    for part in parts:
        for side in [part.left, *part.comparators] if isinstance(part, ast.Compare) else [part]:
            inside = list(ast.walk(side))
            if not any(isinstance(inner, ast.Name) for inner in inside) or any(isinstance(inner, ast.Await) for inner in inside):
                continue
            try:
                value = eval(compile(ast.Expression(side), "assertion", "eval"), names)
            except Exception as error:
                value = error
            yield f"{ast.unparse(side)} is {shown(value)}"


def place(frame, number):
    return f"{frame.f_code.co_filename.rsplit('/', 1)[-1]}:{number}"


def told(error):
    """(cause and location, in one line; further information, in lines)."""
    why = str(error) or type(error).__name__
    way = [(frame, number) for frame, number in frames(error) if "/Interop/" in frame.f_code.co_filename and not frame.f_code.co_filename.endswith("suite.py")]
    first = next((index for index, (frame, _) in enumerate(way) if "/cases_" in frame.f_code.co_filename), None)
    if first is None:
        return f"{why} ()", []
    way = way[first:]
    places = list(dict.fromkeys(place(*step) for step in way))
    lines = list(compared(*way[-1])) if isinstance(error, AssertionError) and not str(error) else []
    return f"{why} ({' > '.join(places[:6])})", lines
