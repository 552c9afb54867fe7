"""Write the demo's rows anew: `python -m pytest_gitgoodbench.dataset.demo`."""

from pytest_gitgoodbench.dataset.demo import ROWS_FILE, rows_csv

ROWS_FILE.write_text(rows_csv(), encoding="utf-8")
print(f"wrote {ROWS_FILE}")
