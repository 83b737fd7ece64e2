"""Client of svc, self-hosted memory for AI assistants. Needs nothing but Python."""

from . import types
from .async_transport import AsyncPages
from .client import AsyncClient, Client
from .errors import ApiError, UnreachableError
from .options import ResponseInfo
from .streams import ChangeEvent, ExportLine
from .transport import Pages
from .types import ERROR_CODES
from .version import VERSION as __version__

__all__ = [
    "ERROR_CODES",
    "ApiError",
    "AsyncClient",
    "AsyncPages",
    "ChangeEvent",
    "Client",
    "ExportLine",
    "Pages",
    "ResponseInfo",
    "UnreachableError",
    "__version__",
    "types",
]
