"""The domain of life that a text is about, decided by its words. Privacy tiers depend on domains."""

import re
from functools import lru_cache

# The first domain with a word in the text wins, since one word about health weighs more than ten about work. English
# words match whole, or as prefixes where they end in a hyphen; Chinese words match anywhere.
WORDS = {
    "health": """
        abortion ache aching acupuncture addict- adhd alcoholi- allerg- ambulance anaem- anem- ankle
        antibiotic- antidepress- doctor- anxiety anxious arthritis asthma- autis- biopsy bipolar bleeding bloodwork
        bronchitis cancer chemo- cholesterol chiropract- clinic concussion contracepti- counsell- covid
        cough- dementia dentist depress- doctor- dermatolog- diabet- diagnos- disease disorder dizzy doctor dosage
        epilep- eczema fever fertility flu fracture- gp gynaecolog- gynecolog- headache- hiv hospital
        hormone- ibuprofen ill illness infect- inflamm- inhaler injur- insomnia insulin ivf medic- menopaus-
        mental migraine- miscarr- mri nausea- obes- ointment overdose pain painful painkiller- panic
        paracetamol pharmac- physio- pill pills pneumonia pregnan- prescri- psychiatr- psycholog- rash rehab
        seizure- sick sinus sober sore sprain- std sti stroke suicid- surge- swollen symptom- tablet tablets
        therap- thyroid tonsil- tumor tumour ulcer unwell vaccin- virus vitamin- vomit- wound x-ray 医生 医院 抗生素
        感冒 发烧 生病 病 药 手术 怀孕 抑郁 焦虑 癌 诊断 过敏 疼 牙医 体检 疫苗 治疗 受伤 头痛 失眠 流产
        血压 糖尿 咳嗽""",
    "finance": """
        bank banking bankrupt- bonus broke budget- credit crypto- debt debts dollars earn earned earning
        earns euros expens- income insur- invest- invoice- loan loans mortgage- overdraft owe owes paid
        payment payments pension- pounds raise refund- rent salary salaries savings tax taxes wage wages
        wealth 工资 薪水 贷款 房贷 债 银行 信用卡 投资 存款 税 收入 房租 股票 理财 保险""",
    "relationships": """
        adopt- affair anniversary boyfriend breakup bride crush cheat- custody dating divorc- engaged
        engagement ex fiance fiancee fiancé fiancée gay girlfriend groom heartbr- honeymoon husband infidel-
        intimate kiss- lesbian lover marriage married marry partner pregnan- propos- queer romantic sex
        sexual split tinder trans wedding widow- wife 男朋友 女朋友 男友 女友 老公 老婆 丈夫 妻子 约会 结婚
        离婚 分手 恋爱 出轨 爱人 婚礼""",
    "work": """
        boss career client- colleague- company contract coworker- deadline- employ- fired hired hiring
        interview- job jobs manager meeting- office payroll project- promot- recruit- resign- shift shifts
        startup team work worked working works workplace 工作 上班 公司 老板 同事 会议 面试 升职 辞职 项目
        加班 客户""",
    "travel": """
        abroad airbnb airline- airport- backpack- cruise ferry flew flight- fly flying holiday- hostel-
        hotel- itinerar- journey- luggage passport- suitcase tourist- train trains travel- trip trips
        vacation- visa 旅行 旅游 机票 航班 酒店 机场 签证 护照 度假 火车 行程""",
}
GENERAL = "general"
DOMAINS = (*WORDS, GENERAL)
# Attributes of people that are of a domain without having a word of it for a name.
ATTRIBUTES = {"health": "health", "restrictions": "health", "money": "finance", "relationship": "relationships"}
# Patterns for what no single word shows: amounts of money, and having a cold as opposed to a cold day.
_AMOUNT = re.compile(r"[£$€¥]\s?\d|\d\s?(?:[£$€¥]|[kK]\b|usd|eur|gbp|元|万)", re.IGNORECASE)
_COLD = re.compile(
    r"\b(?:ha(?:ve|s|d|ving)|got|caught|catch(?:ing)?|getting|with) a (?:\w+ )?cold"
    r"(?=\W*$|[.,;:!?]|\W+(?:and|but|so|since|now)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_PHRASES = {"finance": _AMOUNT, "health": _COLD}
_WORD = re.compile(r"\bx-ray\b|\w+")
_LONGEST = 40  # characters of a word that is remembered; a Chinese sentence or pasted code may be one word
_EUROPEAN = "\u0250"  # letters before this one are Latin
_LISTS = [words.split() for words in WORDS.values()]
_EUROPEAN_LISTS = [[word for word in words if word < _EUROPEAN] for words in _LISTS]
_WHOLE = [frozenset(word for word in words if not word.endswith("-")) for words in _EUROPEAN_LISTS]
_BEGINNINGS = [tuple(word[:-1] for word in words if word.endswith("-")) for words in _EUROPEAN_LISTS]
_ANYWHERE = [[word for word in words if word >= _EUROPEAN] for words in _LISTS]


def domain(text: str) -> str:
    """One of `DOMAINS`. Errs on the private side: "sick of this" counts as health."""
    words = _WORD.findall(text.lower())
    places = [_place(word) if len(word) <= _LONGEST else _place.__wrapped__(word) for word in words]
    places += [DOMAINS.index(name) for name, phrase in _PHRASES.items() if phrase.search(text)]
    return DOMAINS[min(places, default=-1)]


@lru_cache(maxsize=20_000)  # chats use the same words again and again
def _place(word: str) -> int:
    """The place of a word's first domain in `DOMAINS`."""
    for place, (whole, beginnings, anywhere) in enumerate(zip(_WHOLE, _BEGINNINGS, _ANYWHERE, strict=True)):
        if word in whole or word.startswith(beginnings) or any(part in word for part in anywhere):
            return place
    return DOMAINS.index(GENERAL)


def attribute_domain(attribute: str) -> str:
    """The domain of an attribute of people, by its name; general where that tells none."""
    return ATTRIBUTES.get(attribute) or domain(attribute)
