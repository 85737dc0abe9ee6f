"""Which addresses of the network a tool may talk to on a stranger's behalf: public ones, and those an operator allows.

A link comes from anybody. Without this it could name the machine itself, its neighbours, or a cloud's metadata service,
and the answer would be published. A name is resolved once, every address that it has is checked, and the connection is
made to one of exactly these: a name that says something else the next moment (DNS rebinding) gains nothing.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from synops.tools.failures import BadInput, TryAgain

Resolve: TypeAlias = Callable[[str, int], list[str]]
"""The addresses of a host, in the order to try them. Raises OSError when it has none."""

# Addresses of version 6 that carry one of version 4: its owner decides, not the envelope.
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")


def resolve(host: str, port: int) -> list[str]:
    """Ask the system's resolver."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(address: str) -> bool:
    """Whether an address belongs to the world at large: no private, local, shared, reserved or multicast one."""
    plain = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(plain, ipaddress.IPv6Address) and (inner := _carried(plain)):
        return is_public(str(inner))
    return plain.is_global and not plain.is_multicast and not plain.is_reserved


def permitted(host: str, port: int, allowed: Iterable[str], ask: Resolve = resolve) -> list[str]:
    """The addresses to connect to. `allowed` are `host:port` of inside servers that an operator has named.

    Raises BadInput for a host with an address that is not public, TryAgain for a name without any.
    """
    try:
        found = ask(host, port)
    except (OSError, UnicodeError) as error:
        raise TryAgain(f"{host} could not be fetched (name not resolved)") from error
    if f"{host}:{port}" in set(allowed):
        return found
    if inside := [address for address in found if not is_public(address)]:
        raise BadInput(f"{host} is refused: resolves to {inside[0]}, which is no public address")
    return found


def _carried(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address.ipv4_mapped:
        return address.ipv4_mapped
    if address.sixtofour:
        return address.sixtofour
    if address.teredo:
        return address.teredo[1]
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None
