"""What stands in the files of a shared memory, deleted rows included."""

from pathlib import Path

import duckdb

from evermem_cli.memory.lake_address import LakeAddress
from evermem_cli.store.lake.log import Log
from evermem_cli.store.lake.visits import visited

FILES = """
    select path, encryption_key from __ducklake_metadata_lake.ducklake_data_file union all
    select path, encryption_key from __ducklake_metadata_lake.ducklake_delete_file"""


def documents_in_files(address: LakeAddress, data: Path) -> bytes:
    """All documents in the Parquet files of the folder, read with the keys that the catalogue has.

    Raises AssertionError for a file that the catalogue does not know, since nobody could read it here.
    """
    read = b""
    with visited(address, write=True, timeout=5) as visit:
        connection = Log(visit).connection
        keys = {Path(path).name: key for path, key in connection.execute(FILES).fetchall()}
        for path in data.rglob("*.parquet"):
            assert path.name in keys, f"{path} is of no table"
            read += _documents(connection, path, keys[path.name])
    return read


def _documents(connection: duckdb.DuckDBPyConnection, path: Path, key: str) -> bytes:
    config = f"{{footer_key_value: from_base64('{key}')}}"
    query = f"from read_parquet('{path}', encryption_config = {config})"
    return repr(connection.execute(query).fetchall()).encode()
