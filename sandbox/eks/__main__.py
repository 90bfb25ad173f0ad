"""The plugin process: prints its port, then answers the engine."""

import sys

from pulumi.provider.server import ProviderServicer

from sandbox import plugin
from sandbox.eks.provider import EksProvider

if __name__ == "__main__":
    arguments = sys.argv[1:]
    engine = plugin.engine_of(arguments)
    plugin.serve(ProviderServicer(EksProvider(), arguments, engine_address=engine))
