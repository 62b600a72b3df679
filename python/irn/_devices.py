"""Where irn can compute."""

from __future__ import annotations

from typing import NamedTuple

from irn import _core


class Device(NamedTuple):
    """The processor, or a CUDA device."""

    name: str  #: as `device=` takes it
    usable: bool
    text: str  #: what it is, or why it cannot be used

    def __repr__(self) -> str:
        return f"<irn.Device {self.name!r}{'' if self.usable else ', which cannot be used'}: {self.text}>"


def devices() -> list[Device]:
    """The processor, and every CUDA device; or, in place of these, one that says why there is none.

    >>> import irn
    >>> irn.devices()[0]
    <irn.Device 'cpu': in this build>
    >>> [device.name for device in irn.devices() if device.usable]
    ['cpu'...]
    """
    return [Device(*found) for found in _core.devices()]
