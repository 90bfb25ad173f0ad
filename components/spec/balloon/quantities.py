"""CPU and memory as numbers: what a request of `Resources` comes down to."""

__all__ = ["mebibytes", "millicores"]


def millicores(cpu: str) -> int:
    """Count the millicores of `1` or `500m`, a quantity without problems."""
    if cpu.endswith("m"):
        return int(cpu.removesuffix("m"))
    return int(cpu) * 1_000


def mebibytes(memory: str) -> int:
    """Count the MiB of `512Mi` or `1Gi`, a quantity without problems."""
    if memory.endswith("Gi"):
        return int(memory.removesuffix("Gi")) * 1_024
    return int(memory.removesuffix("Mi"))
