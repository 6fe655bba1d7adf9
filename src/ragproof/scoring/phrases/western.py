"""Phrases of other Western European languages."""

from ragproof.scoring.phrases import Language

_TEXT = (
    r"(?:\S*kontext\S*|\S*dokument\S*|texte?s?|quellen?|unterlagen|handbuch|textabschnitte?n?"
    r"|\S*passagen?|auszüge?n?|wissensdatenbank|wissensbasis|informationen|materialien"
    r"|\S*richtlinien?|anleitung|artikel)"
)
_FACTS = (
    r"(?:information|informationen|infos?|angaben?|hinweise?|antwort|auskunft|daten|kenntnis"
    r"|kenntnisse|aussagen?|einzelheiten|details)"
)
_NOT = r"(?:nicht|nichts|keine?r?n?)"
_FOUND = r"(?:finden|gefunden|ermitteln|entnehmen)"
GERMAN = Language(
    hints=("nicht", "kein", "unbekannt"),
    unable=(
        rf"ich (?:kann|darf|möchte|werde) <6>(?:{_NOT}|keinerlei)\b",
        rf"(?:kann|darf|möchte|werde) ich <6>(?:{_NOT}|keinerlei)\b",
        r"(?:ich bin|bin ich) <4>nicht (?:in der lage|befugt|berechtigt|imstande|sicher)\b",
    ),
    absent=(
        r"(?:ich wei(?:ß|ss)|wei(?:ß|ss) ich) <4>(?:nicht|nichts)\b",
        r"(?:ist mir|mir ist) <3>(?:nicht bekannt|unbekannt)\b",
        r"keine ahnung\b",
        rf"(?:ich|wir) (?:konnten?|kann|können|haben?) <6>{_NOT} <4>{_FOUND}\b",
        rf"(?:konnten?|haben?) (?:ich|wir) <6>{_NOT} <4>{_FOUND}\b",
        r"(?:ich habe|habe ich|mir liegen|liegen mir|ich verfüge über|ich finde|finde ich|es gibt"
        rf"|gibt es|es liegen|liegen|wurden|konnten) <4>keine?r?n? <3>(?:{_FACTS}|zugriff|zugang"
        r"|treffer|ergebnisse)\b",
        rf"keine?r?n? <2>(?:{_FACTS}|treffer|ergebnisse|dokumente) <6>(?:gefunden|finden|vorhanden"
        r"|verfügbar|vor|entnehmen)\W*$",
        rf"{_TEXT}\W? <4>(?:enthalten|enthält|liefern|liefert|geben|gibt|bieten|bietet|machen|macht"
        r"|finden sich|findet sich|gibt es|finde ich|stehen|steht) <3>(?:nichts|keine?r?n?"
        rf" <3>{_FACTS})\b",
        rf"(?:enthält|enthalten|liefern|liefert|bieten|bietet|nennt|nennen) <4>{_TEXT}"
        rf" <3>(?:nichts|keine?r?n? <3>{_FACTS})\b",
        rf"{_TEXT}\W? <2>(?:geht|gehen|lässt|lassen) <6>{_NOT} <2>(?:hervor|entnehmen)\b",
        rf"(?:steht|stehen|findet sich|finden sich) <3>nicht (?:im|in) <3>{_TEXT}\b",
        r"fragen? <6>nicht <2>beantwort\w+",
        r"(?:informationen|angaben|kontext|dokumente) reich(?:t|en) <4>nicht\b",
        rf"{_TEXT}\W? <2>(?:erwähnt|erwähnen|nennt|nennen|beantwortet|beantworten|sagt|sagen)"
        rf" <4>{_NOT}\b",
        rf"(?:in|im|aus|von|vom) <3>{_TEXT} <6>{_NOT} <2>(?:hervor|entnehmen|ersichtlich"
        r"|enthalten|erwähnt|genannt|angegeben|beschrieben|gefunden|finden|beantwortet)\b",
        rf"nicht <4>(?:im|in|aus|von|vom) <3>{_TEXT} <1>(?:erwähnt|genannt|angegeben|enthalten"
        r"|hervor|beschrieben|beantwort\w+|zu finden)\b",
    ),
)

_TEXT = (
    r"(?:contexte|documents?|documentation|textes?|sources?|manuel|guide|passages?|extraits?"
    r"|informations|base de connaissances|articles?)"
)
_FACTS = (
    r"(?:d'|l')?(?:informations?|réponses?|données?|mentions?|résultats?|détails?|éléments?"
    r"|renseignements?)"
)
FRENCH = Language(
    hints=(
        " pas ",
        " pas.",
        " pas,",
        "aucun",
        "impossib",
        "ignore",
        " rien",
        "incapa",
        "ne figure",
    ),
    unable=(
        r"je ne <1>(?:peux|puis|pourrai|pourrais|saurais|dois|souhaite|parviens) <2>pas\b",
        r"je ne suis <2>pas <1>(?:en mesure|capable|autorisée?|habilitée?|apte)\b",
        r"je suis <1>(?:incapable|dans l'(?:impossibilité|incapacité))\b",
        r"il m'est <1>impossible\b",
    ),
    absent=(
        r"je (?:ne )?(?:le |la |les )?(?:sais|connais|trouve|vois|dispose) <1>(?:pas|aucune?"
        r"|rien)\b",
        r"je (?:ne )?suis pas (?:sûre?|certaine?|au courant)\b",
        r"je l'ignore\b",
        r"je n'(?:ai|avais) <2>(?:pas|aucune?|rien|trouvé aucune?|pu) (?:trouver\b|trouvé\b"
        rf"|<3>(?:{_FACTS}|accès|connaissance))",
        rf"(?:il n'y a|n'y a|il n'existe) <1>(?:pas d'|pas de |aucune? )<1>{_FACTS}\b",
        rf"aucune? <1>{_FACTS} <4>(?:n'|ne |trouvée?|disponible|dans)",
        rf"{_TEXT},? <4>(?:ne|n'en) <1>(?:mentionn|contien|précis|fourni|indiqu|di[st]|donn"
        r"|répond|parl|comport|spécifi)\S* <1>(?:pas|aucune?|rien|ni)\b",
        r"n'(?:est|a|sont|ont) <1>pas (?:été )?<1>(?:mentionn|précis|indiqu|spécifi|fourni|trouv"
        rf"|disponible|présent)\S* <1>(?:dans|par) <3>{_TEXT}\b",
        rf"(?:ne figure|n'apparaît|ne se trouve) pas dans <3>{_TEXT}\b",
        r"impossible de (?:répondre|trouver)\b",
        rf"{_TEXT},? <3>ne (?:permett?\S* pas de répondre|suffi\S+ pas|sont pas suffisant)",
    ),
)

_TEXT = (
    r"(?:contexto|documentos?|documentación|textos?|fuentes?|manual|guía|pasajes?|fragmentos?"
    r"|información (?:proporcionada|disponible)|base de conocimientos?|artículos?)"
)
_FACTS = r"(?:información|datos|respuestas?|detalles|resultados|referencias?|mención|menciones)"
SPANISH = Language(
    hints=(" no ", "desconozco"),
    unable=(
        r"no (?:te |le |les |lo |la )?(?:puedo|podría|podré)\b",
        r"no (?:me es posible|soy capaz|estoy en condiciones|estoy (?:autoriz|capacit)ad[oa])\b",
    ),
    absent=(
        r"no (?:lo |la )?sé\b",
        r"desconozco\b",
        r"no (?:es|son) suficientes? para (?:responder|contestar|determinar)\b",
        r"no estoy segur[oa]\b",
        r"no (?:lo |la )?(?:he )?(?:encuentro|encontré|encontrado|pude encontrar|podido encontrar"
        r"|hallé)\b",
        rf"no <1>(?:tengo|dispongo|cuento|poseo) <4>(?:{_FACTS}|acceso|conocimientos?)\b",
        r"no (?:hay|existen?|se (?:ha |han )?(?:encontr\S+|dispone|menciona|proporciona|incluye))"
        rf" <3>{_FACTS}\b",
        rf"{_TEXT},? <4>no (?:se )?<1>(?:mencion|conten|contien|especific|indic|dice|respond|aborda"
        r"|detalla|proporcion)\S*",
        r"no (?:se |está |están |es |ha sido )?<1>(?:menciona|especifica|indica|detalla|encuentra"
        rf"|disponible|figura|aparece)\S* en <3>{_TEXT}\b",
    ),
)

_TEXT = (
    r"(?:contexto|documentos?|documentação|textos?|fontes?|manual|guia|trechos?|passagens?"
    r"|informações (?:fornecidas|disponíveis)|base de conhecimento|artigos?)"
)
_FACTS = r"(?:informação|informações|dados|respostas?|detalhes|resultados|referências?|menção)"
PORTUGUESE = Language(
    hints=("não ", "desconheço"),
    unable=(
        r"não (?:lhe |te |o |a )?(?:posso|consigo|poderei|poderia)\b(?! encontrar)",
        r"não (?:sou capaz|estou em condições|estou autorizad[oa]|me é possível)\b",
    ),
    absent=(
        r"não (?:o |a )?sei\b",
        r"desconheço\b",
        r"não (?:é|são) suficientes? para (?:responder|determinar)\b",
        r"não tenho certeza\b",
        r"não (?:o |a )?(?:encontrei|achei|localizei|(?:consegui|consigo|pude) encontrar)\b",
        rf"não <1>(?:tenho|disponho|possuo) <4>(?:{_FACTS}|acesso|conhecimento)\b",
        r"não (?:há|existem?|foi possível encontrar|(?:foi|foram) encontrad\S+|encontro)"
        rf" <3>{_FACTS}\b",
        rf"{_TEXT},? <4>não <1>(?:mencion|cont[ée]m|especific|indic|diz|respond|aborda|inform"
        r"|fornece)\S*",
        r"não (?:é|está|estão|são|foi|foram|consta|há) <1>(?:mencionad|especificad|informad|indicad"
        rf"|disponíve|encontrad|presente|descrit)\S* (?:no|na|nos|nas|em) <3>{_TEXT}\b",
    ),
)

_TEXT = (
    r"(?:contesto|document[oi]|documentazione|test[oi]|font[ei]|manuale|guida|passagg[io]+"
    r"|estratt[io]|informazioni (?:fornite|disponibili)|articol[oi])"
)
_FACTS = r"(?:informazion[ei]|dati|rispost[ae]|dettagli|risultati|riferiment[io]|menzione)"
ITALIAN = Language(
    hints=(" non ", "nessun"),
    unable=(
        r"non (?:ti |le |vi |lo |la )?(?:posso|potrei|potrò)\b",
        r"non (?:sono in grado|mi è possibile|sono autorizzat[oa]|riesco a)\b",
    ),
    absent=(
        r"non (?:lo |la )?so\b",
        r"non (?:lo )?conosco\b",
        r"non sono sicur[oa]\b",
        r"non (?:è|sono) sufficient[ei] per (?:rispondere|determinare)\b",
        r"non (?:l'|lo |la )?(?:ho trovato|trovo|ho potuto trovare|sono riuscit[oa] a trovare)\b",
        rf"non <1>(?:ho|dispongo|possiedo) <4>(?:{_FACTS}|accesso)\b",
        r"non (?:ci sono|c'è|esistono|(?:sono state|è stata) trovat[ae]|sono disponibili)"
        rf" <3>{_FACTS}\b",
        r"nessuna <1>(?:informazione|risposta) <2>(?:trovata|disponibile|pertinente)\b",
        rf"{_TEXT},? <4>non <1>(?:menzion|contien|contengon|fornisc|specific|riporta|indic|dic"
        r"|rispond|tratta)\S*",
        r"non (?:è|sono|viene|vengono) <1>(?:menzionat|specificat|indicat|disponibil|riportat"
        rf"|present|trovat)\S* (?:nel|nella|nei|nelle|dal|dai|negli) <3>{_TEXT}\b",
    ),
)

_TEXT = (
    r"(?:context|document\S*|tekst\S*|bron|bronnen|handboek|handleiding|passages?|fragmenten"
    r"|kennisbank|informatie|artikel\S*)"
)
_FACTS = r"(?:informatie|gegevens|antwoord|resultaten|details|vermelding)"
_NOT = r"(?:niet|geen|niets)"
DUTCH = Language(
    hints=("niet", "geen"),
    unable=(
        rf"ik (?:kan|mag|wil|zal) <6>{_NOT}\b",
        rf"(?:kan|mag|zal) ik <6>{_NOT}\b",
        r"ik ben <3>niet (?:in staat|bevoegd|gemachtigd|zeker)\b",
    ),
    absent=(
        r"(?:ik weet|weet ik) <3>(?:niet|niets)\b",
        rf"(?:ik (?:heb|vind|vond|kon)|(?:heb|vind|kon) ik|er is|er zijn|is er|zijn er) <4>{_NOT}"
        rf" <3>(?:{_FACTS}|toegang|vinden|gevonden)\b",
        rf"{_FACTS} (?:is|zijn) niet <1>(?:beschikbaar|gevonden|vermeld)\b",
        rf"geen <1>{_FACTS} <4>(?:gevonden|beschikbaar|over)\b",
        rf"{_TEXT} <3>(?:vermeld|noem|zeg|beantwoord|bespreek)\S* <4>{_NOT}\b",
        rf"{_TEXT} <3>(?:bevat|bevatten|geeft|geven|biedt|bieden) <3>(?:niets|geen <2>{_FACTS})\b",
        rf"niet <1>(?:vermeld|genoemd|gevonden|te vinden|beschikbaar|beschreven) in <3>{_TEXT}\b",
    ),
)

WESTERN = (GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, DUTCH)
