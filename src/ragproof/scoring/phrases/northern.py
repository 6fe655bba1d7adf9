"""Phrases of Northern and Central European languages in the Latin script, and Turkish."""

from ragproof.scoring.phrases import Language

_INFORMATION = r"(?:information|informasjon|oplysninger|opplysninger)"
SCANDINAVIAN = Language(
    hints=(" inte ", " inte.", " inte,", " ingen", " inga ", " inget", "ikke", "intet"),
    unable=(
        r"(?:jag (?:kan|får|kommer)|(?:kan|får) jag) <3>(?:inte|ingen|inga|inget)\b",
        r"(?:jeg (?:kan|må|vil)|(?:kan|må) jeg) <3>(?:ikke|ingen|intet|ingenting)\b",
    ),
    absent=(
        r"(?:jag (?:vet|hittar|hittade|har|kunde)|(?:vet|hittar|har) jag) <3>(?:inte|ingen|inga"
        r"|inget)\b",
        r"(?:jeg (?:ved|vet|finder|finner|fant|fandt|har|kunne)|(?:ved|vet|har|fant|fandt) jeg)"
        r" <3>(?:ikke|ingen|intet|ingenting)\b",
        r"(?:det finns|finns det|det finnes|finnes det|der er|er der|der findes|det er) (?:inte "
        rf"|ikke )?(?:ingen|inga|någon|noen|nogen) <1>{_INFORMATION}\b",
        rf"ingen <1>{_INFORMATION} <1>(?:om|hittades|funnet|fundet|tillgänglig|tilgængelig"
        r"|tilgjengelig)\b",
        r"(?:kontext|kontekst|sammanhang|dokument|text|tekst|käll|kild)\S* <1>(?:nämner"
        r"|innehåller|anger|säger|nævner|indeholder|angiver|siger|nevner|inneholder|oppgir|sier)"
        r" <1>(?:inte|ingen|inga|inget|ikke|intet|ingenting)\b",
    ),
)

FINNISH = Language(
    hints=(" en ", " ei ", " eiv"),
    unable=(r"en <1>(?:voi|pysty|osaa)\b",),
    absent=(
        r"en <1>(?:tiedä|löytänyt|löydä)\b",
        r"(?:konteksti|asiakirj|dokument|teksti|lähte)\S* (?:ei|eivät) <1>(?:mainit|sisäl"
        r"|kerro)\S*",
        r"tietoa ei (?:löytynyt|löydy|ole)\b",
    ),
)

POLISH = Language(
    hints=(" nie ", "brak "),
    unable=(r"nie (?:mogę|jestem w stanie|będę w stanie)\b",),
    absent=(
        r"nie (?:wiem|znam odpowiedzi|mam pewności|znalazł\S+|znaleziono|udało mi się znaleźć)\b",
        r"(?:nie (?:mam|posiadam|ma|zawier\S+|podan\S+)|brak) <3>(?:informacji|danych|dostępu"
        r"|odpowiedzi)\b",
        r"(?:kontekst|dokument|tekst|źród|podręcznik)\S* <2>nie (?:zawier|wspomin|podaj|określ|mówi"
        r"|wymieni)\S*",
    ),
)

CZECH = Language(
    hints=(
        " nemoh",
        " nemů",
        " nejs",
        " nevím",
        " netuš",
        " nena",
        " nemám",
        " není",
        " nebyly",
        " neobsahuj",
        " neuvád",
        " nezmiňuj",
        " neřík",
        "žádn",
    ),
    unable=(r"(?:nemohu|nemůžu|nejsem schop\w+)\b",),
    absent=(
        r"(?:nevím|netuším|nenaš(?:el|la)|nenalezl\S*)\b",
        r"(?:nemám|nejsou|není|nebyly nalezeny|žádné) <3>(?:informac\S+|údaj\S*|přístup)\b",
        r"(?:kontext|dokument|text|zdroj|příručk)\S* <3>(?:neobsahuj|neuvád|nezmiňuj|neříka)\S+",
    ),
)

ROMANIAN = Language(
    hints=(" nu ",),
    unable=(r"nu <1>(?:pot|sunt în măsură)\b",),
    absent=(
        r"nu (?:știu|ştiu|cunosc|am (?:găsit|informații|acces|date)|există informații"
        r"|sunt sigur\S?)\b",
        r"(?:context|document|text|surs)\S* <2>nu (?:menționeaz|conțin|specific|ofer)\S*",
    ),
)

HUNGARIAN = Language(
    hints=(" nem ", "nincs"),
    unable=(r"nem (?:tudok|áll módomban)\b",),
    absent=(
        r"nem (?:tudom|találtam|található)\b",
        r"nincs <3>(?:információ|adat|hozzáférés)\S*",
        r"(?:kontextus|dokumentum|szöveg|forrás)\S* <2>nem (?:említ|tartalmaz|szól)\S*",
    ),
)

TURKISH = Language(
    hints=(
        "bilmiyorum",
        "yardımcı ol",
        "cevap",
        "yanıt",
        "bulunam",
        "bilgi",
        "belirtilm",
        "emin d",
    ),
    unable=(
        r"(?:yardımcı ol|cevap ver|yanıt ver|cevapla|yanıtla)\S*(?:mam|mem|mıyorum|miyorum)\b",
    ),
    absent=(
        r"bilmiyorum\b",
        r"(?:bulamadım|bulunamadı|bilgim yok|emin değilim)\b",
        r"bilgi <2>(?:yok|bulunmuyor|bulunmamaktadır|bulamıyorum|yer almıyor|verilmemiş\S*"
        r"|içermiyor)\b",
        r"(?:belirtilmemiş\S*|bahsedilmiyor)\b",
    ),
)

NORTHERN = (SCANDINAVIAN, FINNISH, POLISH, CZECH, ROMANIAN, HUNGARIAN, TURKISH)
