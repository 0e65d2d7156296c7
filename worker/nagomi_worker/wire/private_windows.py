"""Files on Windows that only their owner can read, and whose a file is."""

from __future__ import annotations

import ctypes
import os
import sys
from ctypes import wintypes
from typing import Final

from nagomi_worker.wire import trust

assert sys.platform == "win32"

_USER_ALONE: Final = "O:{user}D:P(A;;FA;;;{user})(A;;FA;;;SY)"
"""Its owner, and a protected list: all rights for the user and the system, none inherited (SDDL).

It names the user, since what an administrator makes belongs to a group otherwise."""
_REVISION: Final = 1
_WRITE: Final = 0x40000000 | 0x00010000
"""GENERIC_WRITE and DELETE."""
_CREATE_NEW: Final = 1
_SHARED: Final = 7
_PLAIN: Final = 0x80
_FILE_OBJECT: Final = 1
_OWNER: Final = 1
_QUERY: Final = 8
_TOKEN_USER: Final = 1
_TOKEN_OWNER: Final = 4


class _Attributes(ctypes.Structure):
    """SECURITY_ATTRIBUTES of <minwinbase.h>."""

    _fields_ = (
        ("size", wintypes.DWORD),
        ("descriptor", ctypes.c_void_p),
        ("inherit", wintypes.BOOL),
    )


def create(path: str) -> int:
    """Make a new file that only this user can read; return a descriptor to write to it.

    Raises:
        OSError: there is such a file, or it cannot be made.
    """
    import msvcrt

    descriptor = ctypes.c_void_p()
    if not _advapi().ConvertStringSecurityDescriptorToSecurityDescriptorW(
        _USER_ALONE.format(user=_user()), _REVISION, ctypes.byref(descriptor), None
    ):
        raise ctypes.WinError(ctypes.get_last_error())
    attributes = _Attributes(ctypes.sizeof(_Attributes), descriptor, False)
    try:
        handle = _kernel().CreateFileW(
            path, _WRITE, _SHARED, ctypes.byref(attributes), _CREATE_NEW, _PLAIN, None
        )
        fault = ctypes.get_last_error()
    finally:
        _kernel().LocalFree(descriptor)
    if handle in (None, wintypes.HANDLE(-1).value):
        raise ctypes.WinError(fault)
    return msvcrt.open_osfhandle(handle, os.O_WRONLY)


def check_owner(path: str) -> None:
    """Check that the file at `path` is this user's.

    Raises:
        Untrusted: it is another user's.
        OSError: there is none.
    """
    owner, descriptor = ctypes.c_void_p(), ctypes.c_void_p()
    fault = _advapi().GetNamedSecurityInfoW(
        path, _FILE_OBJECT, _OWNER, ctypes.byref(owner), None, None, None, ctypes.byref(descriptor)
    )
    if fault:
        raise ctypes.WinError(fault)
    try:
        # What an administrator makes by other ways belongs to a group: the owner that we give.
        if not any(_is_own(owner, kind) for kind in (_TOKEN_USER, _TOKEN_OWNER)):
            raise trust.Untrusted("owner", path, -1)
    finally:
        _kernel().LocalFree(descriptor)


def _is_own(owner: ctypes.c_void_p, kind: int) -> bool:
    """Tell whether a SID is what the token of this process names as its user or owner."""
    found = _told(kind)
    return bool(_advapi().EqualSid(owner, _sid(found)))


def _user() -> str:
    """Return the SID of this process's user, such as `S-1-5-21-…`."""
    text = ctypes.c_void_p()
    found = _told(_TOKEN_USER)
    if not _advapi().ConvertSidToStringSidW(_sid(found), ctypes.byref(text)):
        raise ctypes.WinError(ctypes.get_last_error())
    try:
        return ctypes.wstring_at(text)
    finally:
        _kernel().LocalFree(text)


def _sid(found: ctypes.Array[ctypes.c_char]) -> ctypes.c_void_p:
    """Return the pointer to the SID by which TOKEN_USER and TOKEN_OWNER both begin."""
    return ctypes.cast(found, ctypes.POINTER(ctypes.c_void_p)).contents


def _told(kind: int) -> ctypes.Array[ctypes.c_char]:
    """Return what the token of this process says of its user or owner."""
    token = wintypes.HANDLE()
    advapi, kernel = _advapi(), _kernel()
    if not advapi.OpenProcessToken(kernel.GetCurrentProcess(), _QUERY, ctypes.byref(token)):
        raise ctypes.WinError(ctypes.get_last_error())
    try:
        found = ctypes.create_string_buffer(256)
        size = wintypes.DWORD()
        if not advapi.GetTokenInformation(
            token, kind, found, ctypes.sizeof(found), ctypes.byref(size)
        ):
            raise ctypes.WinError(ctypes.get_last_error())
        return found
    finally:
        kernel.CloseHandle(token)


def _advapi() -> ctypes.WinDLL:
    advapi = ctypes.WinDLL("advapi32", use_last_error=True)
    pointer = ctypes.c_void_p
    advapi.ConvertStringSecurityDescriptorToSecurityDescriptorW.argtypes = (
        wintypes.LPCWSTR, wintypes.DWORD, pointer, pointer,
    )  # fmt: skip
    advapi.GetNamedSecurityInfoW.argtypes = (
        wintypes.LPCWSTR, ctypes.c_int, wintypes.DWORD, *(pointer,) * 5,
    )  # fmt: skip
    advapi.GetNamedSecurityInfoW.restype = wintypes.DWORD
    advapi.OpenProcessToken.argtypes = (wintypes.HANDLE, wintypes.DWORD, pointer)
    advapi.GetTokenInformation.argtypes = (
        wintypes.HANDLE, ctypes.c_int, pointer, wintypes.DWORD, pointer,
    )  # fmt: skip
    advapi.EqualSid.argtypes = (pointer, pointer)
    advapi.ConvertSidToStringSidW.argtypes = (pointer, pointer)
    return advapi


def _kernel() -> ctypes.WinDLL:
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel.CreateFileW.restype = wintypes.HANDLE
    kernel.CreateFileW.argtypes = (
        wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, ctypes.c_void_p,
        wintypes.DWORD, wintypes.DWORD, wintypes.HANDLE,
    )  # fmt: skip
    kernel.LocalFree.argtypes = (ctypes.c_void_p,)
    kernel.GetCurrentProcess.restype = wintypes.HANDLE
    kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
    return kernel
