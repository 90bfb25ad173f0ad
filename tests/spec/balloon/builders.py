"""Small balloons that most tests begin with."""

from components.spec.balloon.schedule import Schedule
from components.spec.balloon.settings import (
    BufferBalloon,
    PodBalloon,
    StaticBalloon,
    WarmPoolBalloon,
)

__all__ = ["buffer", "office", "pods", "static", "warm"]


def office(**overrides):
    return Schedule(
        **{
            "timezone": "Asia/Seoul",
            "start": "30 8 * * 1-5",
            "end": "0 18 * * 1-5",
        }
        | overrides
    )


def pods(**overrides):
    return PodBalloon(
        **{"group": "job", "replicas": 3, "cpu": "500m", "memory": "750Mi"} | overrides
    )


def buffer(**overrides):
    return BufferBalloon(
        **{"group": "job", "replicas": 2, "cpu": "1", "memory": "1Gi"} | overrides
    )


def warm(**overrides):
    return WarmPoolBalloon(**{"group": "job", "min_size": 2} | overrides)


def static(**overrides):
    return StaticBalloon(**{"group": "job", "nodes": 2} | overrides)
