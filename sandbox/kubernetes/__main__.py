"""The plugin process: prints its port, then answers the engine."""

import sys
from importlib.metadata import version

from sandbox import plugin
from sandbox.kubernetes.provider import KubernetesProvider
from sandbox.kubernetes.servicer import Servicer

if __name__ == "__main__":
    engine = plugin.engine_of(sys.argv[1:])
    known = version("pulumi-kubernetes")
    plugin.serve(Servicer([], known, KubernetesProvider(), engine_address=engine))
