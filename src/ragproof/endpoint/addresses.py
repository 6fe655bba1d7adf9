"""Addresses that no evaluation has business with: cloud metadata services."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

_METADATA = frozenset(
    ip_address(address)
    for address in (
        "fd00:ec2::254",  # AWS over IPv6
        "100.100.100.200",  # Alibaba Cloud
        "168.63.129.16",  # Azure's wire server
        "192.0.0.192",  # Oracle Cloud
    )
)
_NAT64 = ip_network("64:ff9b::/96")


def is_forbidden(address: str) -> bool:
    """Whether an IP address is link-local or a metadata service, also as IPv4 inside IPv6."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return any(one.is_link_local or one in _METADATA for one in _meanings(ip))


def _meanings(ip: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    if isinstance(ip, IPv4Address):
        return [ip]
    inner = [ip.ipv4_mapped, ip.sixtofour, *(ip.teredo or ())]
    if ip in _NAT64 or ip.packed[:12] == bytes(12):
        inner.append(IPv4Address(ip.packed[12:]))
    return [ip, *(one for one in inner if one is not None)]
