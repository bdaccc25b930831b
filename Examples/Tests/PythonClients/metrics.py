"""Reads Prometheus' text format by prometheus_client, Prometheus' own library for Python.

    python metrics.py < text

For each family, a line has its name, its type, its help and its samples.
"""

import json
import sys

from prometheus_client.parser import text_string_to_metric_families

for family in text_string_to_metric_families(sys.stdin.read()):
    samples = [{"name": s.name, "labels": s.labels, "value": s.value} for s in family.samples]
    print(
        json.dumps(
            {
                "name": family.name,
                "type": family.type,
                "help": family.documentation,
                "samples": samples,
            }
        )
    )
