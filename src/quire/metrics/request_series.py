"""What is counted of requests with the same labels."""

from quire.metrics.catalogue import REQUEST_SECONDS
from quire.metrics.families import Histogram


class RequestSeries:
    """The durations of requests in seconds, and the bytes of the bodies of their responses."""

    __slots__ = ("observe", "size", "times")

    def __init__(self) -> None:
        self.times = Histogram(REQUEST_SECONDS)
        self.observe = self.times.observe
        self.size = 0
