"""The generated login of a new installation, kept in `var/login` so that a newcomer can read it again."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from django.contrib.auth import get_user_model

USERNAME = "admin"


def ensure_login(file: Path) -> str:
    """Makes a superuser with a generated password when there is none; returns the sentence that tells how to log in."""
    users = get_user_model()._default_manager
    password = stored_password(file)
    if not users.filter(is_superuser=True).exists() and not users.filter(username=USERNAME).exists():
        password = password or new_password(file)  # kept before it is used: a crash in between loses nothing
        get_user_model().objects.create_superuser(username=USERNAME, password=password)
    user = users.filter(username=USERNAME).first()
    if user and password and user.check_password(password):
        return f"Log in as {USERNAME} with the password {password} (kept in {file})."
    return "Log in as a user of yours; `manage.py changepassword NAME` sets a new password."


def stored_password(file: Path) -> str | None:
    try:
        return file.read_text(encoding="ascii").split()[1]
    except (OSError, ValueError, IndexError):
        return None


def new_password(file: Path) -> str:
    """Writes a new password that only the owner of the file can read."""
    password = secrets.token_urlsafe(12)
    file.unlink(missing_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(f"{USERNAME} {password}\n")
    return password
