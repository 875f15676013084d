"""What Schemathesis does not know by itself."""

import json
from pathlib import Path

import requests
import schemathesis

FILL = json.loads(Path(__file__).with_name("fill.json").read_text())


@schemathesis.serializer("application/x-ndjson")
def lines(ctx, value):
    """A text as it is; anything else as one line of JSON."""
    if isinstance(value, bytes):
        return value
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "surrogatepass")


@schemathesis.hook
def before_load_schema(ctx, raw_schema):
    """Answers have no members that the document does not name, though clients are told to skip such."""
    for item in raw_schema["paths"].values():
        for operation in item.values():
            for response in operation["responses"].values():
                content = response.get("content", {}).get("application/json", {})
                if "$ref" in content.get("schema", {}):
                    content["schema"] = {"allOf": [content["schema"]], "unevaluatedProperties": False}


@schemathesis.hook
def after_call(ctx, case, response):
    """Who was removed comes back, so that later requests find more than errors."""
    if case.method.upper() == "DELETE" and response.status_code == 204:
        url = case.operation.base_url.rstrip("/") + "/v1/contributions"
        requests.post(url, json=FILL, timeout=20).raise_for_status()
