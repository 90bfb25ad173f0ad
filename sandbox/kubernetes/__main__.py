"""The plugin process: prints its port, then answers the engine."""

import sys
from importlib.metadata import version

from sandbox import plugin
from sandbox.kubernetes.provider import KubernetesProvider
from sandbox.kubernetes.servicer import Servicer

if __name__ == "__main__":
    # The address of the engine is the one argument without dashes.
    (engine, *_) = [word for word in sys.argv[1:] if not word.startswith("-")]
    known = version("pulumi-kubernetes")
    plugin.serve(Servicer([], known, KubernetesProvider(), engine_address=engine))
