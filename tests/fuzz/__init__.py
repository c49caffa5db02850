"""A mutation fuzzer over the golden files and sample transcripts: no damage to an export may end in more than a line.

`python -m tests.fuzz --minutes 10 --format whatsapp` runs one format, without --format all of them one after the other.
"""
