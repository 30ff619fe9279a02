"""What the bench ran on."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

__all__ = ["machine"]

_CPUINFO: Final = Path("/proc/cpuinfo")


def machine(loop: str) -> dict[str, object]:
    """Returns what figures depend on: processor, cores, load before the run, versions, event loop."""
    return {
        "cpu": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "kiery": _version("kiery"),
        "grpcio": _version("grpcio"),
        "protobuf": _version("protobuf"),
        "open_spiel": _version("open-spiel"),
        "uvloop": _version("uvloop"),
        "loop": loop,
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    if _CPUINFO.exists():
        for line in _CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
