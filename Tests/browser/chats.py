"""Transcripts for the browser tests: a short story with every kind of block, and a long chat to scroll in."""
import base64
import struct
import uuid
import zlib

from claude import Transcript

DIAGRAM = "```mermaid\nsequenceDiagram\n  participant B as Browser\n  participant S as Server\n  B->>S: claim\n  S-->>B: blocks\n```\n"
BROKEN = "```mermaid\nflowchart LR\n  a[order(id)] --> ((\n```\n"
HOSTILE = ('```mermaid\n%%{init: {"htmlLabels": true, "flowchart": {"htmlLabels": true}, "securityLevel": "loose"}}%%\nflowchart LR\n'
           '  a["<img src=x onerror=alert(1)>"] --> b\n  click b "javascript:alert(2)"\n```\n')
RICH = ("## What I will change\n\n1. read the *form*\n2. fix the **redirect**\n\n| File | Lines |\n|:-----|------:|\n| `Access.swift` | 12 |\n\n"
        "```swift\nfunc answer() -> String { \"hé\" }  // café\n```\n\nCosts $5, ~2000 lines, and $e^{i\\pi}+1=0$.\n\n- [x] done\n- [ ] open\n\n"
        "See [the note](https://example.test/?a=1&b=2), not [this](javascript:alert(1)). Do you see <agent-notes>?\n")
TERMINAL = "\x1b[32m✓\x1b[0m ok\n\x1b[38;5;208mwarn\x1b[0m \x1b[41;37m FAIL \x1b[0m\n50%\r100%\n"


def picture(width, height):
    """A PNG of one colour."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    rows = b"".join(b"\0" + b"\x30\x90\xa0" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")).decode()


class Chat(Transcript):
    """A transcript that is told in sentences; what is told after `write` is appended at once."""

    def __init__(self, home, project="/home/dev/app"):
        super().__init__(home, project)
        self.waiting, self.is_live = [], False

    def tell(self, line):
        if self.is_live:
            self.append(line)
        else:
            self.waiting.append(line)
        return self

    def write(self):
        self.append(*self.waiting)
        self.waiting, self.is_live = [], True
        return self

    def prompt(self, text):
        return self.tell(self.user(text))

    def answer(self, text):
        return self.tell(self.assistant(text))

    def think(self, text):
        return self.tell(self.message([{"type": "thinking", "thinking": text, "signature": "c2ln"}]))

    def show(self, width, height):
        source = {"type": "base64", "media_type": "image/png", "data": picture(width, height)}
        return self.tell(self.line("user", {"role": "user", "content": [{"type": "text", "text": "A picture"}, {"type": "image", "source": source}]}))

    def message(self, content):
        return self.line("assistant", {"id": "msg_" + uuid.uuid4().hex[:24], "type": "message", "role": "assistant", "model": "claude-opus-5-5",
                                       "content": content, "stop_reason": "tool_use", "usage": {"input_tokens": 10, "output_tokens": 5}})

    def use(self, name, given, result, is_error=False):
        own = "toolu_" + uuid.uuid4().hex[:24]
        self.tell(self.message([{"type": "tool_use", "id": own, "name": name, "input": given}]))
        return self.tell(self.line("user", {"role": "user", "content": [
            {"tool_use_id": own, "type": "tool_result", "content": result, "is_error": is_error}]}))

    @classmethod
    def story(cls, home):
        chat = cls(home).prompt("Please fix the login page").think("Look at the form first.").answer(RICH)
        chat.use("Bash", {"command": "npm test -- --color", "description": "Run the tests"}, TERMINAL)
        chat.use("Read", {"file_path": "/home/dev/app/login.ts"}, "1\tconst a = 1\n")
        chat.use("Edit", {"file_path": "/home/dev/app/login.ts", "old_string": "a = 1", "new_string": "a = 2"}, "The file has been updated.")
        chat.use("Bash", {"command": "false", "description": "Fail"}, "Exit code 3\nnope", is_error=True)
        chat.use("TodoWrite", {"todos": [{"content": "Look", "status": "completed", "activeForm": "Looking"},
                                         {"content": "Fix", "status": "in_progress", "activeForm": "Fixing"}]}, "ok")
        chat.show(320, 180)
        return chat.answer(DIAGRAM).answer("The story ends here.").write()

    @classmethod
    def drawings(cls, home):
        """A diagram, a broken one, and one that tries to break out."""
        return cls(home).prompt("Draw three diagrams").answer(DIAGRAM).answer(BROKEN).answer(HOSTILE).write()

    @classmethod
    def long(cls, home):
        """About 700 blocks; every tenth step holds a picture, every seventh a diagram."""
        chat = cls(home, project="/home/dev/long")
        for step in range(220):
            chat.prompt(f"Step {step}: go on")
            chat.answer(f"Answer {step}. " + "Some words that fill a line or two. " * (step % 9) + (f"\n\n{DIAGRAM}" if step % 7 == 3 else ""))
            if step % 10 == 5:
                chat.show(300, 120 + step)
        return chat.write()
