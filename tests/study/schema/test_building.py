"""Models of a manifest are built at their first use, in whatever thread that is."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import sleep
from typing import Annotated, Any

from pydantic_core import CoreSchema

from reportgen.study.schema.options import Strict

N_THREADS = 4


class Slow:
    """A type whose schema takes a while."""

    n_made = 0

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        cls.n_made += 1
        sleep(0.02)
        return handler(source)


class Entry(Strict):
    """What no thread has used yet."""

    number: Annotated[int, Slow]


def test_threads_that_use_a_model_first_build_it_once():
    ready = Barrier(N_THREADS)

    def number(n: int) -> int:
        ready.wait()
        return Entry.model_validate({"number": n}).number

    with ThreadPoolExecutor(N_THREADS) as pool:
        assert list(pool.map(number, range(N_THREADS))) == list(range(N_THREADS))
    assert Slow.n_made == 1
