"""Read tensors of other libraries by DLPack, including types that numpy lacks."""

from __future__ import annotations

import ctypes

import numpy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: DLPack's kinds of devices whose memory is the processor's own: CPU, and CPU memory pinned for CUDA or ROCm.
HOST = {1, 3, 11}
UINT, BFLOAT = 1, 4


class _Tensor(ctypes.Structure):
    """DLTensor, as dlpack.h has it."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    """DLManagedTensor, in capsules named ``dltensor``."""

    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned, in capsules named ``dltensor_versioned``."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


class _Producer:
    """Hands numpy a capsule that already exists."""

    def __init__(self, capsule: Any, device: tuple[int, int]) -> None:
        self._capsule = capsule
        self._device = device

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


def from_dlpack(name: str, array: Any) -> tuple[Any, str] | None:
    """A tensor's numbers without a copy, and the name of their type (bfloat16 as bits); None without DLPack."""
    try:
        kind, number = array.__dlpack_device__()
        device = int(kind), int(number)
    except Exception as error:
        raise TypeError(f"{name} has no known device: __dlpack_device__ failed: {error!r}") from error
    if device[0] not in HOST:
        raise TypeError(f"{name} is on another device (DLPack device type {device[0]}): move it to the CPU first")
    try:
        try:
            capsule = array.__dlpack__(max_version=(1, 0))
        except TypeError:  # of the first version
            capsule = array.__dlpack__()
    except (BufferError, RuntimeError, ValueError):
        return None  # it may still be an array otherwise
    except Exception as error:
        raise TypeError(f"{name} cannot be read as an array: __dlpack__ failed: {error!r}") from error
    tensor = _tensor(name, capsule)
    is_bfloat16 = (tensor.code, tensor.bits, tensor.lanes) == (BFLOAT, 16, 1)
    if is_bfloat16:
        tensor.code = UINT
    values = numpy.from_dlpack(_Producer(capsule, device))
    return values, "bfloat16" if is_bfloat16 else values.dtype.name


def _tensor(name: str, capsule: Any) -> Any:
    """The struct inside a capsule, readable and writable in place."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    is_named = ctypes.pythonapi.PyCapsule_IsValid
    is_named.restype, is_named.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
    for kind, title in ((_Versioned, b"dltensor_versioned"), (_Managed, b"dltensor")):
        if is_named(capsule, title):
            return kind.from_address(pointer(capsule, title)).tensor
    raise TypeError(f"{name}: __dlpack__ must return a new capsule")
