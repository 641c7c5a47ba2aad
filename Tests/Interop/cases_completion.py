"""Completion scripts for shells."""

import asyncio

from node import run


async def case_completions_are_scripts_that_a_shell_reads():
    for name in ("herald-host", "herald-flash", "herald-node"):
        status, script, err = await run(name, "--generate-completion-script", "bash")
        assert status == 0, err
        shell = await asyncio.create_subprocess_exec(
            "bash", "-n", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        _, complaint = await shell.communicate(script.encode())
        assert shell.returncode == 0, complaint.decode()
    # Bash's completions of `herald-host log `.
    status, script, _ = await run("herald-host", "--generate-completion-script", "bash")
    typed = 'COMP_WORDS=(herald-host log ""); COMP_CWORD=2; COMP_LINE="herald-host log "; COMP_POINT=16'
    shell = await asyncio.create_subprocess_exec(
        "bash", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    offered, _ = await shell.communicate(f'{script}\n{typed}; _herald-host herald-host "" log; echo "${{COMPREPLY[@]}}"\n'.encode())
    assert {"pull", "tail", "erase", "convert", "export"} <= set(offered.decode().split()), offered
