"""The plugin process: prints its port, then answers the engine."""

import sys

from pulumi.provider import main

from sandbox import orphan
from sandbox.eks.provider import EksProvider

if __name__ == "__main__":
    orphan.end_with_parent()
    main(EksProvider(), sys.argv[1:])
