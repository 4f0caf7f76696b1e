"""Records and the password of their database cross no network in clear text, whatever the URL and the environment look like."""

import contextlib
import socket
import threading

import pytest

from kerbside.hub import environment, run

SSL_REQUEST, GSS_REQUEST = 80877103, 80877104


class PlainPostgres:
    """A PostgreSQL that speaks no TLS. `said`: what came after it had said so."""

    def __init__(self):
        self.said = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                link, _ = self.listener.accept()
                with link, contextlib.suppress(OSError):
                    while message := link.recv(1000):
                        if int.from_bytes(message[4:8], "big") not in (SSL_REQUEST, GSS_REQUEST):
                            self.said.append(message)
                            break
                        link.sendall(b"N")


@pytest.fixture
def plain():
    server = PlainPostgres()
    yield server
    server.listener.close()


#: 0.0.0.0 is this machine, and no loopback address.
ELSEWHERE = {
    "an address that is not the host's": ("postgresql://u:s3cret@127.0.0.1:{port}/db?hostaddr=0.0.0.0", {}),
    "the second of a list": ("postgresql://u:s3cret@%2Fnosuch,0.0.0.0:{port}/db", {}),
    "an encoded name": ("postgresql://u:s3cret@:{port}/db?ho%73t=0.0.0.0", {}),
    "said twice": ("postgresql://u:s3cret@:{port}/db?host=127.0.0.1&host=0.0.0.0", {}),
    "PGHOST": ("postgresql://u:s3cret@:{port}/db", {"PGHOST": "0.0.0.0"}),
    "PGHOSTADDR": ("postgresql://u:s3cret@localhost:{port}/db", {"PGHOSTADDR": "0.0.0.0"}),
    "a service": ("postgresql://u:s3cret@:{port}/db?service=x", {}),
    "PGSERVICE": ("postgresql://u:s3cret@:{port}/db", {"PGSERVICE": "x"}),
}


@pytest.mark.parametrize("what", ELSEWHERE)
def test_what_leads_to_another_machine_is_said_and_never_connected_without_tls(new_hub, plain, what):
    url, extra = ELSEWHERE[what]
    hub = new_hub(blocks=2, store__url=url.format(port=plain.port))
    (hub.directory / "services").write_text("[x]\nhost=0.0.0.0\nsslmode=disable\n")
    env = environment(PGSERVICEFILE=str(hub.directory / "services"), **extra)
    checked = run("check-config", hub.config, env=env)
    assert checked.returncode != 0 and "sslmode=verify-full" in checked.stderr and "s3cret" not in checked.stderr
    assert run("doctor", "--config", hub.config, env=env).returncode != 0
    assert plain.said == []


def test_a_loopback_address_is_connected_as_before(new_hub, plain):
    hub = new_hub(blocks=2, store__url=f"postgresql://u:s3cret@127.0.0.1:{plain.port}/db")
    assert run("check-config", hub.config).returncode == 0
    run("doctor", "--config", hub.config)
    assert plain.said
