"""The topics to be read and formed anew when their corrections are forgotten, since what was replaced holds again."""

_WRONG = """
    select memcell_id from messages join (
      select unnest(message_ids) as id from corrections where id in (from doomed)) using (id)"""
_OF_THE_PERSON = """
    select memcell_id from messages where lower(user_id) in (
      select lower(user_id) from corrections where id in (from doomed))"""
# Those that have been formed and that stay; the removed facts are formed again.
FORMED_ANEW = f"""
    select event_id from memcells
    where model is not null and event_id in ({_WRONG}) and event_id not in (from doomed)"""
# The value of a correction is removed from all topics in which its person speaks.
READ_ANEW = (
    f"case when event_id in ({_WRONG} union {_OF_THE_PERSON}) then false else consolidated end as consolidated",
    f"case when event_id in ({FORMED_ANEW}) then 'pending' else extraction end as extraction",
    f"case when event_id in ({FORMED_ANEW}) then null else model end as model",
)
