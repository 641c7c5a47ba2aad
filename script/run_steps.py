"""The command line of script/test."""
import argparse, os, sys

from runner import Runner
from steps import QUICK, STEPS, chosen


def main():
    parser = argparse.ArgumentParser(prog="script/test", description="Runs the steps of CI, or some of them.")
    parser.add_argument("--quick", action="store_true", help="only what needs Swift, a C compiler and Python")
    parser.add_argument("--list", action="store_true", help="print the steps, and what each needs")
    parser.add_argument("--without", action="append", default=[], metavar="STEP=REASON", help="leave a step out, and those that need it")
    parser.add_argument("--jobs", type=int, default=max(2, os.cpu_count() or 2), metavar="N",
                        help="how many of the large steps run at a time; as many as there are processors, as each waits for a part of its time")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="a test target, a file of cases or tests, or the name of a step")
    arguments = parser.parse_args()
    steps = QUICK if arguments.quick else STEPS
    if arguments.modules:
        steps = []
        for word in arguments.modules:
            step = chosen(word)
            if step is None:
                parser.error(f"there is no test target, file of cases or step {word}\n  → script/test --list")
            steps.append(step)
    left_out = {}
    for text in arguments.without:
        name, separator, reason = text.partition("=")
        if not separator or not reason or name not in {step.name for step in steps}:
            parser.error(f"--without takes STEP=REASON with a step of script/test --list, not {text!r}")
        left_out[name] = reason
        while more := [step.name for step in steps if step.name not in left_out and set(step.needs) & set(left_out)]:
            left_out |= {step: f"it needs {name}" for step in more}
    if arguments.list:
        for step in steps:
            print(f"{step.name:24}{('needs ' + ', '.join(step.needs)) if step.needs else ''}")
        return 0
    has_passed = Runner([step for step in steps if step.name not in left_out], arguments.jobs).run()
    for name, reason in left_out.items():
        print(f"left out: {name}: {reason}")
    return 0 if has_passed else 1


sys.exit(main())
