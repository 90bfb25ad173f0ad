"""Entry point for the Pulumi engine: serves the components to programs."""

import sys
from pathlib import Path


def serve() -> None:
    """Serve until the engine ends the process."""
    from pulumi.provider import main

    from plugin.provider import JobsProvider

    main(JobsProvider(), sys.argv[1:])


if __name__ == "__main__":
    # The engine runs this folder; the packages are beside it.
    sys.path[0] = str(Path(__file__).absolute().parent.parent)
    serve()
