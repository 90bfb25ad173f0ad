"""Serve the plugin: `python -m sandbox.aws <engine address>`."""

import sys

from sandbox import orphan
from sandbox.aws.serve import main

orphan.end_with_parent()
sys.exit(main(sys.argv[1:]))
