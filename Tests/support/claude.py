"""Writes small Claude Code transcripts for tests that need no more than prompts and answers."""
import json
import uuid
from pathlib import Path


class Transcript:
    """One session file below a home folder; every record is appended with one write."""

    def __init__(self, home, project="/home/dev/app", session=None):
        self.session, self.project, self.parent = session or str(uuid.uuid4()), project, None
        slug = "".join(c if c.isascii() and c.isalnum() else "-" for c in project)
        self.path = Path(home) / ".claude/projects" / slug / f"{self.session}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def line(self, kind, message):
        own = str(uuid.uuid4())
        record = {"parentUuid": self.parent, "isSidechain": False, "userType": "external", "cwd": self.project, "sessionId": self.session,
                  "version": "2.1.332", "gitBranch": "main", "type": kind, "message": message, "uuid": own,
                  "timestamp": "2026-11-20T08:00:00.000Z"}
        self.parent = own
        return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def user(self, text):
        return self.line("user", {"role": "user", "content": text})

    def assistant(self, text):
        return self.line("assistant", {"id": "msg_" + uuid.uuid4().hex[:24], "type": "message", "role": "assistant", "model": "claude-opus-5-5",
                                       "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
                                       "usage": {"input_tokens": 10, "output_tokens": 5}})

    def append(self, *lines):
        with open(self.path, "ab", buffering=0) as stream:
            stream.write(b"".join(lines))
        return self
