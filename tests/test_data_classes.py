"""The fast `dataclass` makes what the library's makes."""

import copy
import dataclasses
import inspect
import pickle

import pytest

from reportgen.data_classes import dataclass


@dataclass(frozen=True, slots=True)
class Own:
    """A class made here."""

    a: int
    b: list[int] = dataclasses.field(default_factory=list, compare=False)
    c: float = dataclasses.field(default=2.0, repr=False)
    d: "str" = dataclasses.field(default="x", kw_only=True)
    e: int = dataclasses.field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "e", self.a + 1)


@dataclasses.dataclass(frozen=True, slots=True)
class Library:
    """The same from the library."""

    a: int
    b: list[int] = dataclasses.field(default_factory=list, compare=False)
    c: float = dataclasses.field(default=2.0, repr=False)
    d: "str" = dataclasses.field(default="x", kw_only=True)
    e: int = dataclasses.field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "e", self.a + 1)


@dataclass(frozen=True, slots=True)
class Derived(Own):
    """One with a further field, which the library makes."""

    f: int = 5


def described(cls: type) -> tuple[object, ...]:
    """Return what others can see of a class and of its instances."""
    own, other = cls(1), cls(1, [7])
    with pytest.raises(dataclasses.FrozenInstanceError) as set_error:
        own.a = 3  # type: ignore[attr-defined]
    with pytest.raises(dataclasses.FrozenInstanceError) as delete_error:
        del own.a  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a'"):
        cls()
    return (
        str(inspect.signature(cls)),
        str(cls.__dataclass_params__).replace(cls.__name__, ""),  # type: ignore[attr-defined]
        cls.__slots__,  # type: ignore[attr-defined]
        cls.__match_args__,  # type: ignore[attr-defined]
        cls.__init__.__annotations__,
        cls.__init__.__qualname__.replace(cls.__name__, ""),
        repr(other).replace(cls.__name__, ""),
        own == other,
        hash(own) == hash(other),
        own == cls(1, c=3.0),
        own == 1,
        len({own, other, cls(2)}),
        dataclasses.asdict(dataclasses.replace(own, d="y")),
        dataclasses.astuple(pickle.loads(pickle.dumps(other))),
        copy.deepcopy(other) == other,
        own.b is not cls(1).b,
        str(set_error.value),
        str(delete_error.value),
    )


def test_a_class_is_to_others_as_the_librarys():
    assert described(Own) == described(Library)


def test_a_class_can_be_derived_from_and_keeps_methods_of_its_own():
    @dataclass(frozen=True, slots=True)
    class Shown:
        a: int

        def __repr__(self) -> str:
            return "shown"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    assert dataclasses.astuple(Derived(1, f=3)) == (1, [], 2.0, "x", 2, 3)
    assert Derived(1) == Derived(1) != Derived(1, f=3)
    assert (repr(Shown(1)), Shown(1) == Shown(2), hash(Shown(1))) == ("shown", True, 7)


def test_identity_counts_without_eq():
    @dataclass(frozen=True, slots=True, eq=False, repr=False)
    class Bare:
        a: int

    one = Bare(1)
    assert one == one
    assert one != Bare(1)
    assert hash(one) == object.__hash__(one)
    assert repr(one).startswith("<")


def test_fields_have_any_name():
    @dataclass(frozen=True, slots=True)
    class Named:
        set_a: int
        a: int
        factory: list[int] = dataclasses.field(default_factory=list)
        new_factory: int = 3

    assert dataclasses.astuple(Named(1, 2, [7])) == (1, 2, [7], 3)
    assert dataclasses.astuple(Named(1, 2)) == (1, 2, [], 3)


@pytest.mark.parametrize(
    ("kind", "own"),
    [
        (int, dataclasses.field(init=False, default=3)),
        (list, dataclasses.field(init=False, default_factory=list)),
        (list, dataclasses.field(hash=False, default_factory=list)),
        (dataclasses.InitVar[int], 3),
    ],
)
def test_what_the_library_alone_makes_is_refused(kind: object, own: object):
    lone = type("Lone", (), {"__annotations__": {"a": kind}, "a": own, "__module__": __name__})
    with pytest.raises(TypeError, match=r"Lone.a: allowed dataclasses.dataclass"):
        dataclass(frozen=True, slots=True)(lone)


def test_an_init_is_made_when_it_is_asked_for():
    @dataclass(frozen=True, slots=True)
    class Late:
        a: int

    @dataclass(frozen=True, slots=True)
    class Later:
        a: int

    assert not inspect.isfunction(vars(Late)["__init__"])
    assert Late(3).a == 3
    assert inspect.isfunction(vars(Late)["__init__"])
    assert str(inspect.signature(Later)) == "(a: int) -> None"
    assert inspect.isfunction(vars(Later)["__init__"])
