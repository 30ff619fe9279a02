"""Compiles the hot modules with mypyc when a wheel is built under KIERY_MYPYC=1; else a wheel is pure."""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The same files, with the same tests; what is not named here gains nothing or is no matter of speed.
MODULES = (
    "kiery/cards/mask.py",
    "kiery/rules/legality.py",
    "kiery/rules/trick.py",
    "kiery/engine/hand.py",
    "kiery/engine/deal.py",
    "kiery/engine/judge.py",
    "kiery/engine/position.py",
    "kiery/engine/playout.py",
    "kiery/engine/layout.py",
)


def wanted() -> bool:
    """Tells whether this build compiles."""
    return os.environ.get("KIERY_MYPYC") == "1"


class MypycBuildHook(BuildHookInterface):  # type: ignore[type-arg,misc]  # hatchling may be absent
    """Adds compiled modules beside their sources."""

    def dependencies(self) -> list[str]:
        """Returns what a compiling build needs."""
        return ["mypy==2.4.1", "setuptools>=77"] if wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles into `build/mypyc` and names the results; an editable install stays pure."""
        if not wanted() or version == "editable":
            return
        from mypyc.build import mypycify  # noqa: PLC0415  # only a compiling build has it
        from setuptools import Distribution  # noqa: PLC0415  # likewise

        root = Path(self.root)
        target = root / "build" / "mypyc"
        before = Path.cwd()
        # mypy names a module by its path from here.
        os.chdir(root / "server")
        try:
            extensions = mypycify(["--strict", *MODULES], opt_level="2", target_dir=str(target / "c"))
            distribution = Distribution({"name": "kiery", "ext_modules": extensions})
            command = distribution.get_command_obj("build_ext")
            command.build_lib = str(target / "lib")
            command.build_temp = str(target / "o")
            command.ensure_finalized()
            command.run()
            made = [Path(path).resolve() for path in command.get_outputs()]
        finally:
            os.chdir(before)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        library = (target / "lib").resolve()
        for path in made:
            build_data["force_include"][str(path)] = str(path.relative_to(library))
