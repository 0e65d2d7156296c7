"""A Windows job object: a process and all its descendants, which can be ended together."""

from __future__ import annotations

import ctypes
import sys
from ctypes import wintypes
from typing import Final

import psutil

from nagomi_worker.wire.messages import Left

assert sys.platform == "win32"

_ALL_ACCESS: Final = 0x1F0FFF
_FOREVER: Final = 0xFFFFFFFF
_BASIC_LIMITS: Final = 2
_PROCESS_LIST: Final = 3
_BREAKAWAY_OK: Final = 0x800
"""Lets nagomi's own resident processes leave the job when they start inside a session."""
_MOST: Final = 4096
_HAS_ENDED: Final = 0
"""`WAIT_OBJECT_0`: no job takes a process that has ended."""
_ENDED: Final = 1
"""Exit code of processes that nagomi ends; the task manager uses the same."""


class _BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION of <winnt.h>."""

    _fields_ = (
        ("per_process_time", ctypes.c_int64),
        ("per_job_time", ctypes.c_int64),
        ("flags", wintypes.DWORD),
        ("minimum_set", ctypes.c_size_t),
        ("maximum_set", ctypes.c_size_t),
        ("process_limit", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("priority", wintypes.DWORD),
        ("scheduling", wintypes.DWORD),
    )


class _ProcessList(ctypes.Structure):
    """JOBOBJECT_BASIC_PROCESS_ID_LIST of <winnt.h>."""

    _fields_ = (
        ("assigned", wintypes.DWORD),
        ("listed", wintypes.DWORD),
        ("pids", ctypes.c_size_t * _MOST),
    )


class Job:
    """The job of one session, made right after its command was started."""

    def __init__(self, pid: int) -> None:
        self._kernel = _kernel()
        self._process = self._kernel.OpenProcess(_ALL_ACCESS, False, pid)
        self._handle = self._kernel.CreateJobObjectW(None, None)
        if not self._process or not self._handle:
            raise ctypes.WinError(ctypes.get_last_error())
        limits = _BasicLimits(flags=_BREAKAWAY_OK)
        self._kernel.SetInformationJobObject(
            self._handle, _BASIC_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
        )
        if not self._kernel.AssignProcessToJobObject(self._handle, self._process):
            fault = ctypes.WinError(ctypes.get_last_error())
            if self._kernel.WaitForSingleObject(self._process, 0) != _HAS_ENDED:
                raise fault

    def wait(self) -> None:
        self._kernel.WaitForSingleObject(self._process, _FOREVER)

    def processes(self) -> list[Left]:
        found = _ProcessList()
        self._kernel.QueryInformationJobObject(
            self._handle, _PROCESS_LIST, ctypes.byref(found), ctypes.sizeof(found), None
        )
        return [Left(pid, _command(pid)) for pid in found.pids[: found.listed]]

    def end(self) -> None:
        self._kernel.TerminateJobObject(self._handle, _ENDED)


def _kernel() -> ctypes.WinDLL:
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel.CreateJobObjectW.restype = wintypes.HANDLE
    kernel.OpenProcess.restype = wintypes.HANDLE
    kernel.OpenProcess.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
    kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
    kernel.TerminateJobObject.argtypes = (wintypes.HANDLE, wintypes.UINT)
    kernel.WaitForSingleObject.argtypes = (wintypes.HANDLE, wintypes.DWORD)
    kernel.SetInformationJobObject.argtypes = (
        wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD,
    )  # fmt: skip
    kernel.QueryInformationJobObject.argtypes = (
        wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD, ctypes.c_void_p,
    )  # fmt: skip
    return kernel


def _command(pid: int) -> str:
    try:
        return psutil.Process(pid).name()
    except (psutil.Error, OSError):
        return "?"
