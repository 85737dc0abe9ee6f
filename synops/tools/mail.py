"""Mail over SMTP, to the server that SYNOPS_SMTP_URL names: smtp://user:password@host:port, or smtps:// for TLS at once."""

from __future__ import annotations

import contextlib
import smtplib
import ssl
from collections.abc import Iterator, Mapping
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from synops.tools.failures import NotConfigured, TryAgain

TIMEOUT_SECONDS = 30


@contextlib.contextmanager
def mail_server(environ: Mapping[str, str]) -> Iterator[smtplib.SMTP]:
    """A session with the server. TLS is used where it is offered; a login is never sent without it.

    Raises NotConfigured for a wrong address or login, TryAgain when the server does not take mail now.
    """
    parts = urlsplit(environ["SYNOPS_SMTP_URL"])
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise NotConfigured("SYNOPS_SMTP_URL must be smtp://host:port or smtps://host:port")
    try:
        with _connect(parts.scheme, parts.hostname, parts.port) as server:
            if parts.username:
                _log_in(server, unquote(parts.username), unquote(parts.password or ""))
            yield server
    except smtplib.SMTPAuthenticationError as error:
        raise NotConfigured(f"the mail server {parts.hostname} refuses the login of SYNOPS_SMTP_URL") from error
    except (smtplib.SMTPException, OSError) as error:
        raise TryAgain(f"the mail server {parts.hostname} does not take mail now: {error}") from error


def message(sender: str, to: str, subject: str, text: str, key: str) -> EmailMessage:
    """A plain mail. Its Message-ID comes from `key`, so a mail that is sent twice is shown once by most readers."""
    mail = EmailMessage()
    mail["From"] = sender
    mail["To"] = to
    # A line break would start a new header.
    mail["Subject"] = " ".join(subject.split())
    mail["Message-ID"] = f"<{key}@synops>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(text)
    return mail


def _connect(scheme: str, host: str, port: int | None) -> smtplib.SMTP:
    tls = ssl.create_default_context()
    if scheme == "smtps":
        return smtplib.SMTP_SSL(host, port or 465, timeout=TIMEOUT_SECONDS, context=tls)
    server = smtplib.SMTP(host, port or 25, timeout=TIMEOUT_SECONDS)
    server.ehlo()
    if server.has_extn("starttls"):
        server.starttls(context=tls)
        server.ehlo()
    return server


def _log_in(server: smtplib.SMTP, user: str, password: str) -> None:
    if not isinstance(server.sock, ssl.SSLSocket):
        raise NotConfigured("the mail server offers no TLS, and a password is not sent in the clear")
    server.login(user, password)
