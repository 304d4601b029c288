"""Series of known changes, and what Apache Otava finds in them: one JSON line for each.

Both packages are read where they are installed, outside the repository:

    python3 -m venv /tmp/otava && /tmp/otava/bin/pip install apache-otava==0.8.0 otava-test-data==0.1.9
    /tmp/otava/bin/python lab/changes/reference.py 20 > /tmp/otava.jsonl
    node lab/changes/score.ts /tmp/otava.jsonl

The number is of seeds, from 1. `found` is what Otava's program finds with the settings it comes with.
"""

import json
import sys

from otava.analysis import compute_change_points
from otava_test_data.generators.combiner import CombinationGenerator


def indices(found):
    return sorted(int(point.index) for point in found[0])


# With seed 0 its generators take part of their noise from the clock.
for seed in range(1, int(sys.argv[1]) + 1):
    for series in CombinationGenerator(seed=seed).generate_all_test_cases():
        values = [float(value) for value in series.data]
        print(
            json.dumps(
                {
                    "name": series.generator_name,
                    "values": values,
                    "changes": [
                        {"index": int(point.index), "kind": point.change_type}
                        for point in series.change_points
                    ],
                    "found": indices(compute_change_points(values)),
                }
            )
        )
