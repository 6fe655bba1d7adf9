"""English phrases."""

from ragproof.scoring.phrases import Language

# What only a system that answers from passages speaks of ...
_GIVEN = "(?:provided|given|available|retrieved|supplied)"
_PASSAGES = (
    rf"(?:contexts?(?! window)|{_GIVEN} (?:information|data|content|texts?|documents?|documentation"
    r"|articles?|materials?|sources?|passages?|excerpts?|snippets?)|(?:information|documents?"
    rf"|texts?|materials?|content|articles?|data|sources?|passages?|excerpts?) {_GIVEN})"
)
# ... and what anybody may speak of.
_DOCUMENT = (
    r"(?:documents?|documentation|docs|texts?|articles?|materials?|contents?|handbook|manual"
    r"|guides?|guidelines?|polic(?:y|ies)|pages?|website|reports?|faq|paper|instructions|transcript"
    r"|corpus|sections?|information|passages?|excerpts?|snippets?|chunks?|sources?|search results?"
    r"|knowledge base|workspace)"
)
_SOURCE = (
    r"(?:documentation|docs|documents?|handbook|manual|knowledge base|guides?|texts?|articles?"
    r"|sources?|passages?|contexts?|records)"
)
_TEXT = f"(?:{_PASSAGES}|{_DOCUMENT})"
_FACTS = (
    r"(?:information|info|details|data|answers?|mention|reference|indication|evidence|context"
    r"|guidance|documentation)"
)
_SAYS = (
    r"(?:mention|say|state|specify|indicate|tell|disclose|reveal|discuss|address|explain|describe"
    r"|clarify|answer)"
)
_SAID = (
    r"(?:mentioned|said|stated|specified|indicated|disclosed|revealed|discussed|addressed|explained"
    r"|described|found|answered)"
)
_HAS = r"(?:contain|include|provide|give|offer|have)"
# "no information on", but not "no information desk".
_ON = (
    r"(?=\W*$| (?:about|on|of|to|in|within|from|regarding|concerning|for|that|which|whether|how"
    r"|what|why|who|when|where|available|provided|given|found|here|as|related|specific|is|was|at"
    r"|i)\b)"
)
_DOES_NOT = r"(?:do(?:es)?|did)(?:n't| not)"
_DO_NOT = r"(?:do not|don't)"
_CANNOT = r"(?:cannot|can't|can not|could not|couldn't)"
_PROPER = r"(?:appropriate|ethical|respectful)"

_UNABLE = (
    r"i(?:'m| am| was) <3>(?:(?:unable|not <1>able)(?! to (?:find|locate|see)\b)|incapable|not"
    r" <1>(?:allowed|permitted|authori[sz]ed|programmed|designed|capable|qualified|equipped"
    r"|comfortable|in a position|going to))\b",
    rf"i <1>(?:{_CANNOT}|won't|will not|should not|must not)\b(?! <1>(?:help but|believe|imagine"
    r"|wait|stress|emphasi[sz]e|overstate|guarantee|deny|agree more|thank|find|locate|see)\b)",
    r"i <2>(?:decline|refuse) to\b",
    r"i(?:'d| would|'ll| will) (?:rather|prefer) (?:not|to not)\b",
    rf"i <1>{_DO_NOT} <2>(?:condone|support|encourage|promote|engage in|provide|assist"
    rf"|feel comfortable|think (?:it's|it is|that's) {_PROPER}|think i can|have the ability)\b",
    rf"i(?:'m| am) (?:just |only )?an ai <4>(?:{_DO_NOT}|{_CANNOT}|am not)\b",
    rf"this (?:model|assistant|chatbot|bot) (?:is (?:unable|not able)|{_CANNOT})\b",
    r"(?:unable to|cannot|can't) (?:answer|respond to|help with|assist with) (?:this|that|your"
    r"|based|from)\b",
    r"i can only (?:answer|help|assist|discuss|respond)\b",
    r"not (?:something|a (?:topic|subject|question|request)) (?:that )?i(?:'m| am| can)\b",
    r"not within my (?:programming|guidelines|principles|capabilities)\b",
    r"against my (?:programming|guidelines|principles)\b",
    rf"it(?:'s| is) (?:not|never) (?:{_PROPER} (?:or|and) \S+|\S+ (?:or|and) {_PROPER}) to\b",
    rf"it(?:'s| is) (?:not|never) {_PROPER} (?:for me )?to (?:provide|offer|suggest|encourage"
    r"|promote|speculate|generali[sz]e|say|ask (?:such|for|how|about)|discuss (?:or|methods|ways"
    r"|how)|make (?:assumptions|jokes|generali\S+|such|a))\b",
)
_ABSENT = (
    rf"i <2>(?:{_DO_NOT} <1>know|(?:{_DO_NOT}|did not|didn't) <1>(?:recall|find|see (?:any"
    r"|anything|that)))\b",
    rf"i <2>{_DO_NOT} <1>(?:have|possess|hold) <4>(?:information|info|access|data|knowledge|details"
    r"|context|records?|answers?|documents?|material|evidence|sources?|beliefs|opinions?)\b",
    r"i(?:'ve| have)? <2>(?:have|found|find|see|had) no <2>(?:information|info|data|knowledge"
    r"|details|context|answer|mention|idea|record|evidence|reference|way of|access)\b",
    r"i(?:'m| am) not <1>(?:aware|familiar|(?:sure|certain)(?! why))\b",
    rf"i <1>(?:{_CANNOT}|haven't|have not|haven't been able to|(?:was|am) (?:unable|not able)"
    r" to|wasn't able to) <1>(?:find|found|locate|located|see)\b",
    r"i wasn't able to\b",
    rf"(?:{_CANNOT}|unable to|not able to) find <3>{_FACTS}{_ON}",
    rf"{_FACTS} <6>{_CANNOT} be (?:found|located|determined)\b",
    rf"we <1>(?:{_CANNOT}|were unable to|were not able to|did not|didn't|haven't|have not)"
    r" (?:find|found|locate|answer)\b",
    rf"we <1>{_DO_NOT} (?:know|have <1>(?:information|data|details) (?:on|about|regarding))\b",
    rf"no <2>(?:information|info|answer|mention){_ON}",
    r"no <2>(?:details|data|guidance|evidence|documents?|reference) (?:about|on|regarding"
    r"|concerning)\b",
    rf"no <2>(?:{_FACTS}|{_TEXT}|results?|match(?:es|ing \S+)?|entry|entries|records?) <2>(?:(?:was"
    r"|were|is|are|could be|can be) )?<1>(?:found|retrieved|available|provided|given|returned"
    r"|located)\b",
    rf"{_PASSAGES}\W? <4>(?:{_DOES_NOT} <1>(?:{_SAYS}|{_HAS}|cover|list|support|allow|appear"
    r"|seem)\b|lacks? |(?:is|are) <1>insufficient\b)",
    rf"{_DOCUMENT}\W? <4>(?:{_DOES_NOT} <1>(?:{_SAYS}\b|{_HAS} <3>{_FACTS}{_ON})|(?:{_HAS}|ha)s? no"
    rf" <3>{_FACTS}{_ON})",
    rf"it (?:does not|doesn't) (?:appear|seem) that <3>{_TEXT}\b",
    r"nothing (?:about|regarding|concerning|relevant)\b",
    r"(?:it|they) (?:does|do)(?:n't| not) <1>(?:mention|say|specify|state)\b",
    rf"(?:this|that|{_FACTS}|question|topic) <6>(?:is|are|was|were)(?: not|n't) <1>(?:in|part of"
    r"|(?:covered|included|contained|provided|available|present|given|listed) (?:in|within))"
    rf" <3>{_SOURCE}\b",
    rf"{_FACTS} <3>(?:is|are|was|were)(?: not|n't) <1>(?:provided|available|given|included)\W*$",
    r"(?:not|n't) <1>(?:available|found|present|contained) in (?:our|my|the) (?:records|database"
    r"|files|data|system)\b",
    r"(?:unclear|not clear) (?:from|based on)\b",
    rf"(?:is|are|was|were)(?: not|n't) <1>{_SAID} <1>(?:in|within|by|from|on) <4>{_TEXT}\b",
    r"(?:is|are|was|were)(?: not|n't) <1>(?:mentioned|specified|stated)\W*$",
    r"not <1>(?:in|within|part of|covered|provided|contained|included|available|given|present"
    rf"|listed) <4>{_PASSAGES}\b",
    rf"none of <3>{_TEXT} <1>(?:{_SAYS}|{_HAS})s?\b",
    rf"nothing <4>(?:in|from) <3>{_TEXT}\b",
    rf"{_CANNOT} be <1>(?:answered|inferred|found\W*$|(?:determined|found|derived|established"
    r"|ascertained) <1>(?:from|based|with|in|using|given) (?:the|this|these|any|my))\b",
    r"(?:not possible|impossible) to (?:answer|determine|infer|tell|say)\b",
    rf"my (?:knowledge|training|sources?|data) <2>(?:{_DOES_NOT}|lacks?)\b",
    r"(?:not|isn't|aren't) (?:sufficient|enough) to (?:answer|determine|respond)\b",
    r"(?:(?:not|isn't|aren't) (?:enough|sufficient)|insufficient|lack of|lacks?)"
    rf" <2>(?:information|info|context|details){_ON}",
    r"(?:outside|beyond) (?:of )?(?:my|the scope of (?:my|the (?:provided|given|available)"
    r"|th(?:is|e) (?:context|conversation|assistant|knowledge)))\b",
)

ENGLISH = Language(
    hints=(
        " not ",
        " not.",
        " not,",
        "cannot",
        " nothing",
        "n't",
        " no ",
        "unable",
        "none of",
        "never",
        "impossible",
        "insufficient",
        "lack",
        "incapable",
        "decline",
        "refuse",
        "against my",
        "outside",
        "beyond",
        "can only",
        "unclear",
    ),
    unable=_UNABLE,
    absent=_ABSENT,
)
