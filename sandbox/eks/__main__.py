"""The plugin process: prints its port, then answers the engine."""

import sys

from pulumi.provider import main

from sandbox.eks.provider import EksProvider

if __name__ == "__main__":
    main(EksProvider(), sys.argv[1:])
