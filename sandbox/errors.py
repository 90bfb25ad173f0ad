"""What the stand-ins say no to."""

__all__ = ["RefusedError"]


class RefusedError(Exception):
    """
    A request that the provider, or the API behind it, would turn down.

    The text goes to the user as it stands, without a traceback.
    """
