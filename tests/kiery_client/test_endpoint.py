"""Where a bot dials, and that its token travels protected."""

import pytest
import trustme

from kiery_client import AddressError
from kiery_client.endpoint import Endpoint, find_endpoint


def find(address=None, token="t", environment=None, **options) -> Endpoint:
    return find_endpoint(address, token, environment=environment or {}, **options)


@pytest.fixture
def ca(tmp_path):
    path = tmp_path / "ca.pem"
    trustme.CA().cert_pem.write_to_path(str(path))
    return path


@pytest.mark.parametrize("address", ["127.0.0.1:5000", "localhost:5000", "[::1]:5000", "unix:/run/k.sock"])
def test_this_machine_is_dialled_without_tls(address) -> None:
    endpoint = find(address)

    assert endpoint.target == address
    assert endpoint.roots is None
    assert endpoint.local


@pytest.mark.parametrize(
    "address", ["example.org:5000", "https://example.org:5000", "10.0.0.7:443", "https://localhost:5"]
)
def test_others_are_dialled_with_tls(address) -> None:
    endpoint = find(address)

    assert endpoint.target == address.removeprefix("https://")
    assert endpoint.roots is not None


def test_a_certificate_means_tls_on_this_machine_too(ca) -> None:
    assert find("127.0.0.1:5000", ca=ca).roots == ca.read_bytes()
    assert find("127.0.0.1:5000", environment={"KIERY_CA": str(ca)}).roots == ca.read_bytes()


def test_insecure_must_be_said() -> None:
    assert find("example.org:5000", insecure=True).roots is None
    assert find("http://example.org:5000/", insecure=True).target == "example.org:5000"
    assert find("http://127.0.0.1:5000").roots is None
    with pytest.raises(AddressError, match="unprotected"):
        find("http://example.org:5000")


def test_the_environment_fills_what_is_not_given() -> None:
    environment = {"KIERY_ADDRESS": "127.0.0.1:1", "KIERY_TOKEN": "from-environment"}

    found = find_endpoint(None, None, environment=environment)
    given = find_endpoint("127.0.0.1:2", "given", environment=environment)

    assert (found.target, found.token) == ("127.0.0.1:1", "from-environment")
    assert (given.target, given.token) == ("127.0.0.1:2", "given")


def test_a_token_is_never_shown() -> None:
    assert "hush" not in repr(find("127.0.0.1:1", "hush"))


@pytest.mark.parametrize(
    ("address", "token", "complaint"),
    [
        (None, "t", "no server address: set KIERY_ADDRESS"),
        ("127.0.0.1:1", None, "no token: set KIERY_TOKEN"),
        ("127.0.0.1:1", "with\nnewline", "strange characters"),
        ("127.0.0.1", "t", "expected host:port"),
        ("127.0.0.1:", "t", "expected host:port"),
        (":5000", "t", "expected host:port"),
        ("127.0.0.1:99999", "t", "expected host:port"),
        ("https://example.org/path:1", "t", "expected host:port"),
        ("ftp://example.org:1", "t", "expected host:port"),
    ],
)
def test_what_cannot_be_used_is_explained_in_one_line(address, token, complaint) -> None:
    with pytest.raises(AddressError, match=complaint) as caught:
        find(address, token)

    assert "\n" not in str(caught.value)


def test_certificates_that_cannot_be_used_are_explained(tmp_path) -> None:
    empty = tmp_path / "empty.pem"
    empty.write_text("nothing")

    with pytest.raises(AddressError, match="cannot be read: No such file"):
        find("127.0.0.1:1", ca=tmp_path / "missing.pem")
    with pytest.raises(AddressError, match="expected a PEM file"):
        find("127.0.0.1:1", ca=empty)
    with pytest.raises(AddressError, match="insecure together with TLS"):
        find("127.0.0.1:1", ca=empty, insecure=True)
