"""Words that say nothing about what a sentence is on."""

_LEANING = """
this these that those it they he she such here there then also however otherwise moreover dies
diese dieser dieses das es sie er dort dabei damit außerdem jedoch ce cette ces cela il elle ils
elles este esta esto estos estas ese esa eso questo questa questi queste esso dit deze dat hij zij
это этот эта эти он она они
"""
_VAGUE = """
about after again against all along already although always among another apply applies any around
away back became because become becomes been before being below between both brings called can
cannot certain comes common contain contains could currently depending different directly does
during each effect either especially etc even every example few first follows following get gets
give given gives goes going had have having here however including instead involves just keep
keeps kept know last later least left like likely made mainly make makes many means might more
most much must need needs never new next none normal not now often once one only other others
otherwise our out over own passes per possible provides put rather really relevant same see
several shall should simply since some still such sure take takes than their them then there these
they third those through together too two under unless until upon use used user uses using usually
very via want was way well were when where whether while who whole whose why will within without
would yet you your
"""
LEANING = frozenset(_LEANING.split())
"""Words at the beginning of a sentence that lean on the one before."""

VAGUE = frozenset(_VAGUE.split())
"""English words that are rare only in small corpora."""
