"""The plugin process: prints its port, then answers the engine."""

import sys

from pulumi.provider.server import ProviderServicer

from sandbox import plugin
from sandbox.eks.provider import EksProvider

if __name__ == "__main__":
    arguments = sys.argv[1:]
    # The address of the engine is the one argument without dashes.
    (engine, *_) = [word for word in arguments if not word.startswith("-")]
    plugin.serve(ProviderServicer(EksProvider(), arguments, engine_address=engine))
