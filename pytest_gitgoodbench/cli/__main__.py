"""`python -m pytest_gitgoodbench.cli` is `ggb`."""

import sys

from pytest_gitgoodbench.cli import main

sys.exit(main())
