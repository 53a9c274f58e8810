"""The command-line contract: flags, exit codes, what is printed where."""
import os
import signal
import socket
import sqlite3
import stat

import pytest

from wheelhouse import Browser, Process, Server, free_port, run, wait_for


@pytest.mark.parametrize("command", ["serve", "desktop", "pair", "desktop-token", "share", "backup", "doctor", "render",
                                     "highlight", "ansi", "transcripts"])
def test_every_command_explains_itself(command):
    answer = run(command, "--help")
    assert answer.returncode == 0
    assert f"wheelhouse {command}" in answer.stdout


def test_without_arguments_the_commands_are_listed():
    answer = run()
    assert answer.returncode == 64
    for command in ("serve", "desktop", "pair", "share", "doctor"):
        assert command in answer.stderr + answer.stdout


@pytest.mark.parametrize("arguments", [["serve", "--colour"], ["nonsense"], ["serve", "--listen"], ["pair", "extra"],
                                       ["serve", "--listen", "127.0.0.1:notaport"], ["desktop", "--server"],
                                       ["serve", "--base-path", "/x/../y"], ["serve", "--public-url", "http://a b/"],
                                       ["serve", "--listen", "unix:/" + "x" * 200]])
def test_wrong_usage_ends_with_64_and_a_hint(arguments):
    answer = run(*arguments)
    assert answer.returncode == 64
    assert "--help" in answer.stderr


def test_a_busy_port_ends_with_69_and_names_it(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        answer = run("serve", "--listen", f"127.0.0.1:{port}", "--data", tmp_path / "data", "--no-local-desktop")
    assert answer.returncode == 69
    assert str(port) in answer.stderr


def test_a_second_server_on_one_data_folder_is_refused(server):
    answer = run("serve", "--listen", f"127.0.0.1:{free_port()}", "--data", server.data, "--no-local-desktop")
    assert answer.returncode == 69
    assert str(server.data) in answer.stderr


def test_sighup_is_survived(server):
    server.process.child.send_signal(signal.SIGHUP)
    wait_for(lambda: "reload" in server.process.text(), what="a sentence about it")
    assert Browser(server.base).open("/healthz")[0] == 200


def test_an_unwritable_data_folder_ends_with_73_and_names_it(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    answer = run("serve", "--listen", f"127.0.0.1:{free_port()}", "--data", blocked / "data")
    assert answer.returncode == 73
    assert str(blocked / "data") in answer.stderr


@pytest.mark.parametrize("text", ["shares", ""])
def test_a_wrong_desktop_token_is_said_to_be_wrong(server, tmp_path, text):
    process = Process(["desktop", "--server", server.base, "--token", text or "wrong", "--home", tmp_path], tmp_path / "log")
    try:
        wait_for(lambda: "token" in process.text(), what="a sentence about the token")
    finally:
        process.kill()


def test_serve_says_where_it_listens_and_drains_on_sigterm(tmp_path):
    server = Server(tmp_path / "data", home=tmp_path / "home").start()
    assert f"listening on {server.base}" in server.process.text()
    wait_for(lambda: "/pair/" in server.process.text(), what="the pairing link: nobody is paired")
    assert server.process.stop() == 0


def test_pairing_sets_one_cookie_and_the_link_works_once(server):
    link = run("pair", "--data", server.data).stdout.strip()
    browser = Browser(server.base)
    status, _, _ = browser.open(link)
    assert status == 200
    cookies = list(browser.jar)
    assert [c.name for c in cookies] == ["wheelhouse"]
    assert cookies[0].has_nonstandard_attr("HttpOnly")
    second = Browser(server.base)
    status, _, body = second.open(link)
    assert status in (403, 410)
    assert b"wheelhouse pair" in body, "the page says how to get a new link"
    assert not list(second.jar)


def test_without_a_cookie_nothing_is_shown(server):
    stranger = Browser(server.base)
    for path in ("/", "/settings", "/shares", "/api/v1/desktops", "/api/v1/sessions"):
        status, _, body = stranger.open(path)
        assert status in (401, 403), path
    assert stranger.open("/healthz")[0] == 200
    assert stranger.open("/readyz")[0] == 200


def test_a_foreign_host_or_origin_is_refused(server):
    browser = server.pair()
    status, _, _ = browser.open("/", headers={"Host": "evil.example"})
    assert status in (403, 421)
    status, _, _ = browser.open("/settings/pair", data=b"role=owner", headers={"Origin": "http://evil.example"})
    assert status == 403


def test_the_data_folder_is_private_and_a_backup_of_a_running_server_is_whole(server, tmp_path):
    assert stat.S_IMODE(os.stat(server.data).st_mode) == 0o700
    for path in server.data.rglob("*"):
        if path.is_file():
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    copy = tmp_path / "copy.sqlite"
    assert run("backup", "--data", server.data, copy).returncode == 0
    assert sqlite3.connect(copy).execute("pragma integrity_check").fetchone() == ("ok",)


def test_garbage_on_the_port_harms_nobody(server):
    for junk in (b"\x16\x03\x01\x02\x00\x01\x00", b"\x00" * 4096, b"GET\r\n\r\n", os.urandom(65536), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.settimeout(10)
            try:
                connection.sendall(junk)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass
            except OSError:
                pass
    assert Browser(server.base).open("/healthz")[0] == 200


def test_doctor_says_what_it_found(tmp_path):
    answer = run("doctor", "--data", tmp_path / "data")
    assert answer.returncode in (0, 1)
    assert "SQLite" in answer.stdout and "OpenSSL" in answer.stdout
