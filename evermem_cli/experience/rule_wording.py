"""The text of a rule in the user's own words and language: "Avoid cheap, budget or bargain items."

No language model is used: asked to word seven such rules, the default model reversed one and misread another.
"""

from collections import Counter

from evermem_cli.experience.rules import Proposal
from evermem_cli.languages.language import language
from evermem_cli.memory import AgentType, Attitude

_OPENINGS = {
    ("en", Attitude.AVOID): "Avoid",
    ("en", Attitude.PREFER): "Prefer",
    ("zh", Attitude.AVOID): "避免",
    ("zh", Attitude.PREFER): "优先",
}
# The noun that an adjective qualifies, in English and Chinese.
_NOUNS = {
    AgentType.SHOPPING: ("items", "商品"),
    AgentType.TRAVEL: ("options", "安排"),
    AgentType.COOKING: ("dishes", "菜"),
    AgentType.CODING: ("answers", "回答"),
    AgentType.HEALTH: ("suggestions", "建议"),
    AgentType.FINANCE: ("options", "方案"),
    AgentType.WRITING: ("texts", "文字"),
    AgentType.GENERAL: ("answers", "回答"),
}
_MOST_WORDS = 3


def word_rule(proposal: Proposal) -> str:
    """One instruction that names the subject as the interactions do, most frequent name first."""
    sides = Counter(preference.stance for preference in proposal.preferences)
    stance = max(sides, key=lambda side: (sides[side], side is proposal.stance))
    preferences = [preference for preference in proposal.preferences if preference.stance is stance]
    words = [word for word, _ in Counter(preference.words for preference in preferences).most_common(_MOST_WORDS)]
    chinese = language("".join(words)) == "zh"
    opening = _OPENINGS["zh" if chinese else "en", stance]
    noun = "" if preferences[0].is_noun else _NOUNS[proposal.agent_type][chinese]
    if chinese:
        return f"{opening}{'、'.join(words)}{'的' + noun if noun else ''}。"
    *rest, last = words
    listed = f"{', '.join(rest)} or {last}" if rest else last
    return f"{opening} {listed} {noun}".rstrip() + "."
