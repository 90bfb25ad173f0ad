"""Serve the plugin: `python -m sandbox.aws <engine address>`."""

import sys

from sandbox.aws.serve import main

sys.exit(main(sys.argv[1:]))
