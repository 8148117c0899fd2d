"""Takes messages of MQTT, as an engine does, until it is killed: the project of `air_and_water` in a folder.

    python -m support.taking_engine FOLDER

The port of the broker is in the folder. It says when messages come.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from kaicep.pipeline.sources import MqttIntake

from .air_and_water import project


def main(folder: Path) -> None:
    intake = MqttIntake(project(folder, int((folder / "port").read_text())))
    intake.start()
    while intake.troubles:
        time.sleep(0.01)
    sys.stdout.write("takes\n")
    sys.stdout.flush()
    time.sleep(600)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
