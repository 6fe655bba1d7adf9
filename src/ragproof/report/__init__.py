"""A saved run in the forms that people and machines read: Markdown and JUnit.

Everything here works from the run file alone. Its texts are hostile until escaped:
:mod:`~ragproof.report.escape` says how, :mod:`~ragproof.report.untrusted` sees to it
that nothing gets round it.
"""
