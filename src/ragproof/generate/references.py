"""Questions that speak of the passage they were made from, which nobody else has before them."""

import re

from ragproof.scoring.text import fold

# Words that can only mean what was shown; and words that mean it after "this" or "according to",
# but are things that documents tell of elsewhere.
_ENGLISH = (
    r"\b(?:the|this|that|given|provided) (?:passage|excerpt|snippet|extract|paragraph|chunk"
    r"|quote|quotation)s?\b|\bth(?:is|e given|e above) sentence\b",
    r"\b(?:this|these|the (?:given|above|provided|following|present)|the aforementioned)"
    r" (?:text|document|article|section|context|source|page|quote|information|content|table"
    r"|description|example)s?\b",
    r"\b(?:according to|as (?:stated|described|mentioned|given|shown|explained) in|based on"
    r"|mentioned in|described in|stated in|listed in|discussed in)"
    r" (?:the|this|your) (?:text|document|article|section|context|source|page|author|information"
    r"|content|description|documentation|table)s?\b",
    r"\bin the (?:text|context|article)\b",
    r"\b(?:does|did|do) the (?:text|author|article|context)\b",
    r"\b(?:mentioned|described|stated|listed|shown) (?:above|below|here)\b",
    r"\bpassages? (?:1|2|one|two)\b|\bboth (?:passages|texts|documents)\b",
)
_OTHERS = (
    # German
    r"\b(?:im|in dem|in diesem|laut|gemäß|laut dem|dem|der|des|dieser|dieses)"
    r" (?:obigen |vorliegenden |gegebenen )?(?:text|textes|absatz|absatzes|abschnitt"
    r"|abschnitts|textabschnitt|textauszug|auszug|passage|textpassage|autor|autors|artikel|artikels)\b",
    r"\b(?:im|laut|gemäß|in diesem|dieses|dieser) (?:dem )?(?:dokument|dokuments|kontext|quelle)\b",
    r"\b(?:oben|hier) (?:genannt|erwähnt|beschrieben)",
    # French
    r"\b(?:le|du|ce|au|dans le|selon le) (?:texte|passage|extrait|paragraphe)\b",
    r"\b(?:selon|d['’]après|dans|de) (?:cet? |cette |le |l['’])(?:document|article|auteur|contexte"
    r"|section)\b",
    r"\b(?:ci-dessus|ci-dessous)\b",
    # Spanish, Portuguese, Italian
    r"\b(?:el|del|al|este|según el) (?:texto|pasaje|fragmento|párrafo|extracto)\b",
    r"\b(?:según|en) (?:el|este|la|esta) (?:documento|artículo|autor|contexto|sección)\b",
    r"\b(?:o|do|no|ao|este|neste|deste|segundo o) (?:texto|trecho|parágrafo|excerto)\b",
    r"\b(?:segundo|de acordo com|conforme) (?:o|este|a|esta) (?:documento|artigo|autor|contexto)\b",
    r"\b(?:il|nel|del|dal|al|questo|secondo il) (?:testo|brano|passaggio|paragrafo|estratto)\b",
    r"\bsecondo (?:il|questo|la|l['’]) ?(?:documento|articolo|autore|contesto)\b",
    # Dutch, Swedish, Danish, Norwegian
    r"\b(?:de|deze|in de|volgens de) (?:tekst|passage|alinea|fragment)\b",
    r"\bvolgens (?:het|dit|de) (?:document|artikel|fragment|auteur)\b",
    r"\b(?:texten|stycket|avsnittet|teksten|afsnittet|avsnittet|utdraget)\b",
    # Polish, Czech, Russian, Ukrainian, Turkish
    r"\b(?:w|według|tego|z) (?:tekście|tekstu|fragmencie|fragmentu|akapicie|dokumencie)\b",
    r"\b(?:v|podle|tohoto) (?:textu|úryvku|odstavci|odstavce|dokumentu)\b",
    r"\b(?:в|согласно|из|этом|данном|у|згідно з) (?:тексте|тексту|текста|отрывке|отрывка|абзаце"
    r"|документе|документу|статье|уривку|тексті)\b",
    r"\b(?:metne|metinde|metnin|paragrafta|paragrafa|pasajda|belgeye) ?(?:göre)?\b",
    # Arabic, Hindi
    r"(?:في|حسب|وفق[اً]*|بحسب) (?:هذا )?(?:ال)?(?:نص|مقطع|فقرة|مستند)",
    r"(?:गद्यांश|अनुच्छेद|परिच्छेद|पाठ के अनुसार|दस्तावेज़ के अनुसार)",
    # Chinese, Japanese, Korean, Thai, Vietnamese, Indonesian
    r"(?:本文|文中|上文|原文|这段|该段|此段|段落|这篇|该文|根据(?:文章|文本|文档|上下文|资料|段落|内容)"
    r"|文章中|文档中提到)",
    r"(?:この(?:文章|文|段落|テキスト|文書|記事)|本文|文中|上記の|パッセージ|文章によ[るれ])",
    r"(?:이 (?:글|문서|문단|단락|텍스트|지문)|본문|지문|위 글|글에 따르면|문서에 따르면)",
    r"(?:ข้อความ(?:นี้|ข้างต้น|ดังกล่าว)|บทความนี้|เนื้อหานี้|ย่อหน้านี้|ตามข้อความ)",
    r"\b(?:đoạn văn|văn bản này|bài viết này|theo đoạn)\b",
    r"\b(?:teks|bacaan|paragraf|dokumen) (?:ini|di atas|tersebut)\b|\bmenurut (?:teks|bacaan)\b",
)
_ANY = re.compile("|".join((*_ENGLISH, *_OTHERS)))


def names_passage(question: str) -> str:
    """The words by which a question speaks of its passage; empty if it does not."""
    match = _ANY.search(fold(question))
    return match[0] if match else ""
