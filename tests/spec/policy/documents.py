"""How manifests are written into golden files: expressions as a reader reads them."""

from typing import Any

import yaml

__all__ = ["text"]


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 (named by yaml)
        return True


def _represent_text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _represent_text)


def text(documents: list[dict[str, Any]]) -> str:
    """Write documents as YAML, keys in their order, long lines whole."""
    return yaml.dump_all(documents, Dumper=_Dumper, sort_keys=False, width=10_000)
