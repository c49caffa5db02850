"""Which of the languages with prompts of their own a text is in."""

import re

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
LETTER = re.compile(r"[^\W\d_]")
# A Chinese character says as much as several letters, so a fifth of them is a Chinese text with foreign names in it.
HAN_SHARE = 0.2


def language(text: str) -> str:
    """`zh` for Chinese, else `en`."""
    letters = len(LETTER.findall(text))
    return "zh" if letters and len(HAN.findall(text)) / letters >= HAN_SHARE else "en"
