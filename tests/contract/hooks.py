"""What Schemathesis does not know by itself: bodies of lines."""

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def lines(ctx, value):
    """A text as it is; anything else as one line of JSON."""
    return value.encode() if isinstance(value, str) else schemathesis.serialization.json(value)
