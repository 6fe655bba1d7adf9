"""Addresses of metadata services are refused in every spelling, ordinary ones never."""

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.endpoint.addresses import is_forbidden

METADATA = ["169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192"]
ORDINARY = [
    "127.0.0.1",
    "10.0.0.1",
    "172.17.0.1",
    "192.168.1.1",
    "8.8.8.8",
    "100.64.0.1",
    "0.0.0.0",
]


def inside_ipv6(address: str) -> dict[str, str]:
    """The ways in which an IPv6 address can mean an IPv4 address."""
    number = int(IPv4Address(address))
    return {
        "mapped": str(IPv6Address((0xFFFF << 32) | number)),
        "compatible": str(IPv6Address(number)),
        "translated": str(IPv6Address((0xFFFF << 48) | number)),
        "NAT64": str(IPv6Address((0x64_FF9B << 96) | number)),
        "local NAT64": str(IPv6Address((0x64_FF9B_0001 << 80) | number)),
        "6to4": str(IPv6Address((0x2002 << 112) | (number << 80))),
        "Teredo": str(IPv6Address((0x2001 << 112) | (number ^ 0xFFFFFFFF))),
    }


@pytest.mark.parametrize("address", METADATA)
def test_metadata_services_are_refused(address: str) -> None:
    assert is_forbidden(address)


@pytest.mark.parametrize("spelling", list(inside_ipv6("1.2.3.4")))
@pytest.mark.parametrize("address", METADATA)
def test_metadata_services_are_refused_inside_ipv6(address: str, spelling: str) -> None:
    assert is_forbidden(inside_ipv6(address)[spelling])


@pytest.mark.parametrize(
    "address",
    [
        *("169.254.0.1", "169.254.255.255", "fe80::1", "fe80::1%eth0", "FE80::A9FE:A9FE"),
        *("fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "febf:ffff::1"),
        *("::ffff:169.254.169.254", "64:ff9b::169.254.169.254", "::169.254.169.254"),
    ],
)
def test_link_local_addresses_are_refused(address: str) -> None:
    assert is_forbidden(address)


@pytest.mark.parametrize(
    "address",
    [
        *ORDINARY,
        *("::1", "::", "2001:db8::1", "fd00::1", "fc00::169", "fec0::1", "2606:4700::1111"),
        *("169.253.255.255", "169.255.0.0", "100.100.100.201", "not an address", "", "localhost"),
        *(spelt for one in ORDINARY[1:6] for spelt in inside_ipv6(one).values()),
    ],
)
def test_ordinary_addresses_are_allowed(address: str) -> None:
    assert not is_forbidden(address)


@given(st.ip_addresses(v=4))
def test_an_address_inside_ipv6_is_judged_as_itself(address: IPv4Address) -> None:
    judged = {is_forbidden(one) for one in inside_ipv6(str(address)).values()}
    assert judged == {is_forbidden(str(address))}


@given(st.text(max_size=20))
def test_any_text_is_judged(text: str) -> None:
    assert is_forbidden(text) in {True, False}
