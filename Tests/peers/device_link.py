"""The words of the device link, written from the protocol document alone: credentials, frames, trace contexts, key rule.

Nothing here was taken from the product, so that both do not share one mistake. Section numbers are the document's.
"""
import json
import re
import secrets
import uuid

PATH = "/ws/device-link"
VERSION = "1.6"
TRACEPARENT = re.compile(r"^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$")
SESSION_ID = re.compile(r"^[A-Za-z0-9]{32}$")
RESUME_TOKEN = re.compile(r"^[A-Za-z0-9]{48}$")
MAX_MESSAGE = 32 << 20


def new_id():
    """A device id: a UUID in lower case."""
    return str(uuid.uuid4())


def credentials(device, token, role, target=None):
    """The header fields of an upgrade (section 2.1)."""
    fields = {"Authorization": f"Bearer {token}", "X-Device-ID": device, "X-Token-Binding": device, "X-Client-Type": role}
    if target:
        fields["X-Target-Desktop-Device-ID"] = target
    return fields


def traceparent(trace=None):
    return f"00-{trace or secrets.token_hex(16)}-{secrets.token_hex(8)}-01"


def trace_id(text):
    """The trace id of a well-formed `traceparent`, else None."""
    found = TRACEPARENT.match(text or "")
    return found.group(1) if found else None


def frame(kind, payload=None):
    return json.dumps({"type": kind, "payload": {} if payload is None else payload}, ensure_ascii=False)


def event(kind, payload):
    return frame("event", {"eventType": kind, "payload": payload})


def response(request, result=None, error=None, final=True, trace=None):
    """A desktop's answer to the payload of an `rpc.request` (section 3.1)."""
    return frame("rpc.response", {
        "clientId": request.get("clientId"), "id": request["id"], "result": result, "error": error, "isFinal": final,
        "traceparent": trace or traceparent(trace_id(request.get("traceparent"))),
    })


def underscore_key(value):
    """The first object key with an underscore at any depth, else None (R38)."""
    if isinstance(value, dict):
        for key, inner in value.items():
            found = key if "_" in key else underscore_key(inner)
            if found is not None:
                return found
    if isinstance(value, list):
        for inner in value:
            found = underscore_key(inner)
            if found is not None:
                return found
    return None


def registration(device, name, target=None, session=None, token=None, last=None, version=VERSION):
    """The payload of `register`; what is None is left out."""
    members = {"deviceId": device, "deviceName": name, "relayProtocolVersion": version, "targetDesktopDeviceId": target,
               "sessionId": session, "resumeToken": token, "lastEventId": last}
    return {key: value for key, value in members.items() if value is not None}
