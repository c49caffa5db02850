"""A fuzzer of parsers, questions and command lines: nothing that they are given may end in more than a line.

`python -m tests.fuzz --minutes 20` gives a third of the time to each: exports of all formats, made of the golden files
and sample transcripts and then damaged; questions that are damaged, cut and mixed; and commands with options and values
that chance chooses. `--kind questions` runs one of the three, `--format whatsapp` the parser of one format.
`python -m tests.fuzz --command-line 200` takes in 200 damaged files of all formats with the command itself, and looks
at what it prints of them.

What the last runs of ten minutes found, on a machine that had other work: discord, 91,899 cases, nothing; jsonl,
28,500, nothing; evermemos, 20,900, nothing; telegram, 73,600: marks between values that JSON does not know lost the
chats behind them, and six thousand breaks took 13 s, both mended; srt, 15,000: lines with an arrow that is no time
went without a word, mended. Left as it is: a sentence straight above the time of a caption is taken for the name of
the cue.
"""
