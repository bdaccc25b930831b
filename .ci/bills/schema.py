"""Checks bills of materials by the schema of CycloneDX 1.6: schema.py FILE… `.ci/sbom` calls it."""

import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

validator = JsonStrictValidator(SchemaVersion.V1_6)
for file in sys.argv[1:]:
    if error := validator.validate_str(pathlib.Path(file).read_text()):
        raise SystemExit(f"sbom: {file}: {error}")
print(f"sbom: {len(sys.argv) - 1} bills of materials keep CycloneDX 1.6's schema")
