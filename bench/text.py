"""Generates words and sentences for the benchmark's rows.

Everything here is a pure function of the random generator it is handed, so that a dataset is the
same on every machine.
"""

from random import Random

_VOCABULARY = """
    the a an of in on at by from with without between under over after before during against among
    river harbour market bridge garden library kitchen theatre valley island forest mountain café
    railway workshop museum orchard village council committee engineer painter baker teacher nurse
    sailor farmer librarian editor reader visitor neighbour traveller student musician
    opens closes builds repairs paints teaches measures carries finds keeps leaves returns answers
    describes compares explains begins finishes gathers remembers plants visits studies
    small large early late quiet bright narrow wide patient careful sudden simple honest modern
    ancient familiar northern southern public private open gentle crowded weekly yearly
    report plan map letter story lesson recipe question answer season winter summer spring autumn
    morning evening afternoon week month budget price harvest weather festival concert exhibition
    wood glass paper stone copper wool bread coffee salt water light paint ink silk
    because although while until unless whenever wherever and but or so yet
    naïve façade déjà jalapeño smörgåsbord señor crème
    quickly slowly often seldom almost together apart again already perhaps nearly
"""
_WORDS = tuple(_VOCABULARY.split())

_GIVEN_NAMES = (
    "Ada", "Bruno", "Chloé", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Inés", "Jonas", "Keiko",
    "Lena", "Marta", "Nils", "Olga", "Pavel", "Quentin", "Rosa", "Søren", "Teresa",
)  # fmt: skip

_FAMILY_NAMES = ("Almeida", "Berg", "Castillo", "Dubois", "Eriksen", "Fischer", "Grant", "Hoffmann",
                 "Ivanova", "Jensen")  # fmt: skip


def words(random: Random, count: int) -> str:
    """Return ``count`` lower-case words separated by spaces."""
    return " ".join(random.choices(_WORDS, k=count))


def title(random: Random) -> str:
    """Return a headline of four to nine words, its first letter a capital."""
    text = words(random, random.randint(4, 9))
    return text[0].upper() + text[1:]


def sentence(random: Random) -> str:
    """Return one sentence of six to sixteen words with a full stop."""
    text = words(random, random.randint(6, 16))
    return f"{text[0].upper()}{text[1:]}."


def sentences(random: Random, count: int) -> str:
    """Return ``count`` sentences separated by spaces."""
    return " ".join(sentence(random) for _ in range(count))


def markdown(random: Random, paragraphs: int) -> str:
    """Return a headline and ``paragraphs`` paragraphs, as an editor writes them in rich text."""
    body = "\n\n".join(sentences(random, 3) for _ in range(paragraphs))
    return f"## {title(random)}\n\n{body}\n"


def admin_user_name(index: int) -> str:
    """Return a name that no other index has, such as ``Chloé Berg`` or ``Ada Almeida 2``."""
    given = _GIVEN_NAMES[index % len(_GIVEN_NAMES)]
    runtime, family = divmod(index // len(_GIVEN_NAMES), len(_FAMILY_NAMES))
    suffix = f" {runtime + 1}" if runtime else ""
    return f"{given} {_FAMILY_NAMES[family]}{suffix}"


def slug(text: str) -> str:
    """Return ``text`` in ASCII letters, digits and hyphens, as a uid attribute wants it."""
    kept = "".join(
        character if character.isascii() and character.isalnum() else "-"
        for character in text.lower()
    )
    return "-".join(part for part in kept.split("-") if part)
