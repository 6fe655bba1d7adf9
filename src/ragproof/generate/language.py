"""The language of a text, where its script or its commonest words tell; else nothing."""

import re
import unicodedata
from collections import Counter

_SCRIPTS = (
    (re.compile("[\u3041-\u30ff]"), "ja"),
    (re.compile("[\uac00-\ud7a3]"), "ko"),
    (re.compile("[\u4e00-\u9fff]"), "zh"),
    (re.compile("[\u0e00-\u0e7f]"), "th"),
    (re.compile("[\u0e80-\u0eff]"), "lo"),
    (re.compile("[\u1000-\u109f]"), "my"),
    (re.compile("[\u1780-\u17ff]"), "km"),
    (re.compile("[\u0370-\u03ff]"), "el"),
    (re.compile("[\u0590-\u05ff]"), "he"),
    (re.compile("[\u10a0-\u10ff]"), "ka"),
    (re.compile("[\u0530-\u058f]"), "hy"),
    (re.compile("[\u0980-\u09ff]"), "bn"),
    (re.compile("[\u0b80-\u0bff]"), "ta"),
    (re.compile("[\u0c00-\u0c7f]"), "te"),
)
"""Scripts in which hardly any but one language is written, those that others borrow last."""

_WORDS = {
    "en": "the of and to is in that for with are was on as be by this it from which what how who"
    " when",
    "de": "der die das und ist nicht ein eine den von mit zu für auf im wird dem wie sich auch was"
    " wer",
    "fr": "le la les des est et une un pour dans que qui sur par au du pas avec sont ce",
    "es": "el los las una es que del por para con se un como más su qué cuál al fue son",
    "pt": "o os as uma é que do da em para com não um como mais dos na no ao são",
    "it": "il di che è una per con del della non sono gli nel alla dei più un si qual le",
    "nl": "de het een van en is dat niet op met voor zijn wordt aan er hoe wat worden ook te",
    "sv": "och att det är som en på av för med den till inte har ett om kan vad hur vilken",
    "da": "og at det er en af på for med den til ikke har et som kan der hvad hvor hvordan",
    "pl": "i w na z się nie jest do że to przez dla od jak są co jaki który po oraz",
    "cs": "a v na se je že s z do pro jako jsou by to od ve při který jak co",
    "tr": "ve bir bu için ile olarak da de ne olan en daha gibi kadar nasıl hangi var mi kaç her",
    "vi": "và của là có trong cho được các một những với không người khi từ đến này như về gì",
    "id": "yang dan di dari untuk dengan pada ini itu adalah dalam tidak ke oleh akan apa atau",
    "ru": "и в не на что с по это как для из от к за или его при какой является все",
    "uk": "і в не на що з та це як для від до за або його при який є у про",
    "ar": "في من على إلى أن هذا هذه التي الذي عن مع هو هي ما كان كل لا أو ماذا كيف",
    "fa": "در از به که این را با است برای آن یک می بر تا های شود یا چه هر کرد",
    "hi": "के की में है का को से और पर यह ने हैं एक लिए कि नहीं था भी हो क्या",
}
_SETS = {language: frozenset(words.split()) for language, words in _WORDS.items()}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_LETTERS = 4_000
"""How much of a text is looked at."""
_FOR_CERTAIN = 3
"""So many different common words of a language must be there."""


def detect_language(text: str) -> str | None:
    """The tag of its language, or ``None`` where there is doubt, as in most short texts."""
    sample = unicodedata.normalize("NFKC", text[:_LETTERS])
    if script := _by_script(sample):
        return script
    words = _WORD.findall(sample.casefold())
    hits = _hits(words)
    first, *others = sorted(hits, key=lambda language: (-hits[language].total(), language))
    total, second = hits[first].total(), max((hits[one].total() for one in others), default=0)
    sure = len(hits[first]) >= _FOR_CERTAIN and total * 8 >= len(words) and total > second * 1.3
    return first if sure else None


def common_words(language: str | None) -> frozenset[str]:
    """The commonest words of a language, case folded; none of one that is told by its script."""
    return _SETS.get(language or "", frozenset())


def is_other_language(question: str, language: str) -> bool:
    """Whether a question is surely not in that language."""
    script = _by_script(question)
    if script is not None or language not in _SETS:
        return script != language and not (script == "zh" and language in ("ja", "ko"))
    hits = _hits(_WORD.findall(question.casefold()))
    own = len(hits[language])
    return any(len(one) >= _FOR_CERTAIN and len(one) > 2 * own for one in hits.values())


def _by_script(sample: str) -> str | None:
    letters = sum(map(str.isalpha, sample))
    for script, language in _SCRIPTS:
        # Signs of Chinese say more than letters, and stand among Latin names.
        if letters and len(script.findall(sample)) * 3 > letters:
            return language
    return None


def _hits(words: list[str]) -> dict[str, Counter[str]]:
    return {
        language: Counter(word for word in words if word in common)
        for language, common in _SETS.items()
    }
