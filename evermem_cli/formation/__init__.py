"""Formation: messages become MemCells, and MemCells become episodes, facts and foresights.

A fact is formed in four steps. A `Remark` has the sentences of one message that state something. A `Retelling` has them
in the third person, a `Claim` is one of these sentences that the messages support, and a `Fact` is a claim with an id
and times.
"""
