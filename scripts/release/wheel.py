"""Writes the wheel of the Python client with the standard library alone: wheel.py FOLDER_OF_THE_CLIENT LICENSE OUTPUT SECONDS."""

import base64
import hashlib
import re
import sys
import time
import tomllib
import zipfile
from pathlib import Path

client, license_file, output, seconds = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
# A zip cannot hold a time before 1980.
moment = time.gmtime(max(seconds, 315_532_800))[:6]
project = tomllib.loads((client / "pyproject.toml").read_text(encoding="utf-8"))["project"]
source = client / "src"
version = re.search(r'VERSION = "(.+)"', (source / "svc_memory" / "version.py").read_text(encoding="utf-8"))[1]
name = project["name"].replace("-", "_")
info = f"{name}-{version}.dist-info"

metadata = [
    "Metadata-Version: 2.1",
    f"Name: {project['name']}",
    f"Version: {version}",
    f"Summary: {project['description']}",
    f"Keywords: {','.join(project['keywords'])}",
    *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
    *(f"Project-URL: {label}, {url}" for label, url in project["urls"].items()),
    f"Requires-Python: {project['requires-python']}",
    "License-File: LICENSE",
    "Description-Content-Type: text/markdown",
    "",
    (client / project["readme"]).read_text(encoding="utf-8"),
]
files = {str(path.relative_to(source)): path.read_bytes() for path in sorted(source.glob("svc_memory/*")) if path.is_file()}
files[f"{info}/LICENSE"] = license_file.read_bytes()
files[f"{info}/METADATA"] = "\n".join(metadata).encode()
files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: svc\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def record(path: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(content)}\n"


lines = [record(path, content) for path, content in files.items()]
files[f"{info}/RECORD"] = "".join([*lines, f"{info}/RECORD,,\n"]).encode()

wheel = output / f"{name}-{version}-py3-none-any.whl"
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
    for path, content in files.items():
        entry = zipfile.ZipInfo(path, moment)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        archive.writestr(entry, content)
print(wheel)
