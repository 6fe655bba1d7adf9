"""Addresses that no evaluation has business with: cloud metadata services."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

_METADATA = [
    ip_network(network)
    for network in (
        "fd00:ec2::/32",  # AWS over IPv6
        "fd20:ce::254/128",  # Google Cloud over IPv6
        "100.100.100.200/32",  # Alibaba Cloud
        "168.63.129.16/32",  # Azure's wire server
        "192.0.0.192/32",  # Oracle Cloud
    )
]
_EMBEDDING = [
    ip_network(network)
    for network in (
        "::/96",  # IPv4-compatible
        "::ffff:0:0:0/96",  # IPv4-translated
        "64:ff9b::/96",  # NAT64
        "64:ff9b:1::/48",  # NAT64 within a network
    )
]
"""Networks of IPv6 addresses whose last four bytes are an IPv4 address."""


def is_forbidden(address: str) -> bool:
    """Whether an IP address is link-local or a metadata service, also as IPv4 inside IPv6."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return any(
        one.is_link_local or any(one in network for network in _METADATA) for one in _meanings(ip)
    )


def is_localhost(host: str) -> bool:
    """Whether a host name of a URL means the machine that asks."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        name = host.rstrip(".").lower()
        return name == "localhost" or name.endswith(".localhost")


def _meanings(ip: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    if isinstance(ip, IPv4Address):
        return [ip]
    inner = [ip.ipv4_mapped, ip.sixtofour, *(ip.teredo or ())]
    if any(ip in network for network in _EMBEDDING):
        inner.append(IPv4Address(ip.packed[12:]))
    return [ip, *(one for one in inner if one is not None)]
