"""Ctrl-C during a call is raised when the call comes back."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import broadphase


def test_an_interrupt_is_not_lost():
    boxes = np.random.default_rng(1).random((400_000, 6), dtype=np.float32)
    boxes[:, 3:] = boxes[:, :3] + np.float32(0.02)
    began = threading.Event()

    def interrupt():
        began.wait()
        time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        began.set()
        for _ in range(1000):
            broadphase.pairs(boxes)
    thread.join()
    assert len(broadphase.pairs(boxes[:10])) >= 0
