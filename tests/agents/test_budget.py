"""An attempt's time, for agents that do not look at it."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from pytest_gitgoodbench.agents import budget
from pytest_gitgoodbench.agents.budget import Budget, OutOfTime

pytestmark = pytest.mark.timeout(60, method="thread")  # by default the plugin takes the alarm for itself


@pytest.fixture
def short(monkeypatch) -> Budget:
    monkeypatch.setattr(budget, "GRACE", 0.05)
    made = Budget(timeout=0.05)
    made.start()
    return made


def test_one_that_never_looks_at_its_time_is_interrupted(short):
    with pytest.raises(OutOfTime), short.enforced():
        while True:
            time.sleep(600)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_one_that_swallows_the_interruption_is_interrupted_again(short):
    swallowed = 0
    with pytest.raises(OutOfTime), short.enforced():
        while True:
            try:
                time.sleep(600)
            except Exception:
                swallowed += 1
                if swallowed == 2:
                    raise


def test_somebody_elses_alarm_is_left_alone(short):
    def theirs(number, frame):
        raise AssertionError("not this time")

    before = signal.signal(signal.SIGALRM, theirs)
    try:
        with short.enforced():
            assert signal.getsignal(signal.SIGALRM) is theirs
            assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_outside_the_main_thread_nothing_is_set(short):
    failed = []

    def work():
        try:
            with short.enforced():
                pass
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert failed == []
