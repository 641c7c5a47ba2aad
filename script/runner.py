"""Runs steps beside each other, as processors are free, and prints what they do while they do it."""
import json, os, resource, signal, subprocess, sys, threading, time
from pathlib import Path

import budgets
from steps import ROOT, counts, failures, slowest, warnings

FOLDER = ROOT / ".build/test"
# How often the steps that run are named, in seconds.
HEARTBEAT = 60
# What unit tests print of what passes.
QUIET = ("◇ ", "✔ Test case ", "✔ Test \"", "✔ Suite ", "↳ ")
# The lines of a failed step that are printed, and of one that passed.
FAILED_LINES, PASSED_LINES = 200, 12


class Runner:
    """`jobs` is how many of the large steps run at a time."""

    def __init__(self, steps, jobs):
        self.steps, self.capacity = steps, 2 * jobs
        self.waiting, self.running, self.done = list(steps), {}, {}
        self.began, self.lock = time.monotonic(), threading.Condition()
        self.processes, self.started, self.is_interrupted = {}, {}, False
        FOLDER.mkdir(parents=True, exist_ok=True)

    def ready(self):
        """The first step that can begin, or none. Those whose needs failed are left out first."""
        names = {step.name for step in self.steps}
        for step in list(self.waiting):
            lost = [need for need in step.needs if self.done.get(need, {}).get("is_lost")]
            if lost:
                self.waiting.remove(step)
                self.done[step.name] = {"failure": f"not run: it needs {', '.join(lost)}", "is_lost": True, "seconds": 0, "processor": 0}
                print(f"── {step.name}: {self.done[step.name]['failure']}", flush=True)
        load = sum(step.load for step in self.running.values())
        folders = {step.folder for step in self.running.values() if step.folder}
        for step in self.waiting:
            is_met = all(need in self.done for need in step.needs if need in names)
            if is_met and step.folder not in folders and (load + step.load <= self.capacity or not load):
                return step
        return None

    def run(self):
        """Runs all steps; returns whether none failed."""
        signal.signal(signal.SIGTERM, self.interrupted)
        signal.signal(signal.SIGINT, self.interrupted)
        threading.Thread(target=self.tell, daemon=True).start()
        with self.lock:
            while (self.waiting or self.running) and not self.is_interrupted:
                step = self.ready()
                if step:
                    self.waiting.remove(step)
                    self.running[step.name], self.started[step.name] = step, time.monotonic()
                    number = len(self.done) + len(self.running)
                    print(f"── step {number} of {len(self.steps)} begins: {step.name}", flush=True)
                    threading.Thread(target=self.work, args=(step,)).start()
                elif self.running:
                    self.lock.wait(1)
        return self.summary()

    def interrupted(self, *_):
        self.is_interrupted = True
        for process in list(self.processes.values()):
            os.killpg(process.pid, signal.SIGTERM)

    def tell(self):
        """Names the steps that run, and for what others wait."""
        while True:
            time.sleep(HEARTBEAT)
            with self.lock:
                names = ", ".join(f"{name} ({time.monotonic() - self.started[name]:.0f} s)" for name in self.running)
                print(f"   {time.monotonic() - self.began:.0f} s: {len(self.done)} of {len(self.steps)} steps done; running: {names}", flush=True)

    def work(self, step):
        """Runs a step. Its output is in a file, and is printed at its end, apart from that of others."""
        path, begin = FOLDER / f"{step.name.replace(':', '').replace('/', '-')}.txt", time.monotonic()
        with open(path, "wb") as output:
            process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", step.command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            self.processes[step.name] = process
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        text = path.read_text(errors="replace")
        failure = f"exit status {process.returncode}" if process.returncode else ""
        found = warnings(text)
        if found and not failure:
            failure = f"{len(found)} warning{'s' if len(found) > 1 else ''}"
        # What was made with a warning can be used.
        result = {"failure": failure, "is_lost": process.returncode != 0, "seconds": time.monotonic() - begin, "processor": usage.ru_utime + usage.ru_stime,
                  "counts": counts(text), "slowest": list(slowest(text)), "failures": failures(text)}
        with self.lock:
            del self.processes[step.name], self.running[step.name]
            self.done[step.name] = result
            self.report(step, path, text, result, found)
            self.lock.notify_all()

    def report(self, step, path, text, result, found):
        """Prints the end of a step: of one that failed what it printed of failures, of one that passed its last lines."""
        verdict = f"FAILED: {result['failure']}" if result["failure"] else "passed"
        passed, failed, skipped = result["counts"]
        tests = f"; {passed} passed, {failed} failed, {skipped} skipped" if passed or failed or skipped else ""
        print(f"── {step.name}: {verdict}, {result['seconds']:.0f} s, {result['processor']:.0f} s of processor time{tests}")
        lines = [line for line in text.splitlines() if not line.startswith(QUIET)]
        if result["failure"]:
            if len(lines) > FAILED_LINES:
                for one in result["failures"][:50]:
                    print(f"   {one[0]}")
                print(f"   … the last {FAILED_LINES} lines of {path.relative_to(ROOT)}:")
            print("\n".join(f"   {line}" for line in lines[-FAILED_LINES:]))
            print("\n".join(f"   {line}" for line in found))
            print(f"   → only this: {step.again or step.command}")
        else:
            print("\n".join(f"   {line}" for line in lines[-PASSED_LINES:]))
        sys.stdout.flush()

    def judge(self):
        """Fails steps that passed and exceed their budgets."""
        passed = {name: result["processor"] for name, result in self.done.items() if not result["failure"]}
        scale, failures = budgets.exceeded(passed, budgets.committed())
        if failures:
            print(f"\nprocessor time beyond budgets, which count {scale:.2f} times here:")
        for name, why in failures.items():
            self.done[name]["failure"] = "over its budget"
            print(f"{name}: {why}")

    def summary(self):
        """Prints the duration of each step, the slowest cases, and the sum of the tests; writes .build/figures/test.json."""
        seconds = time.monotonic() - self.began
        if not self.is_interrupted:
            self.judge()
        print("\n  wall  processor")
        for step in self.steps:
            result = self.done.get(step.name)
            if result is None:
                print(f"{'–':>6}  {'–':>9}  {step.name}: not run")
            else:
                print(f"{result['seconds']:6.0f}  {result['processor']:9.0f}  {step.name}{': ' + result['failure'] if result['failure'] else ''}")
        cases = sorted((case for result in self.done.values() for case in result.get("slowest", ())), reverse=True)[:10]
        if cases:
            print("\nthe slowest cases, seconds")
            print("\n".join(f"{duration:7.1f}  {name}" for duration, name in cases))
        for name, result in self.done.items():
            for lines in result.get("failures", ())[:5] if result["failure"] else ():
                print(f"\n{name}:\n" + "\n".join(f"   {line}" for line in lines))
        sums = [sum(result["counts"][place] for result in self.done.values() if "counts" in result) for place in range(3)]
        processor = resource.getrusage(resource.RUSAGE_CHILDREN)
        has_passed = not self.is_interrupted and len(self.done) == len(self.steps) and not any(result["failure"] for result in self.done.values())
        print(f"\n{seconds:.0f} s, {processor.ru_utime + processor.ru_stime:.0f} s of processor time{'' if has_passed else ', with failures'}")
        print("{} passed, {} failed, {} skipped".format(*sums))
        figures = {"passed": sums[0], "failed": sums[1], "skipped": sums[2], "seconds": round(seconds),
                   "steps": {name: {"seconds": round(result["seconds"]), "processor": round(result["processor"])} for name, result in self.done.items()}}
        path = ROOT / ".build/figures/test.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(figures, indent=2) + "\n")
        return has_passed
