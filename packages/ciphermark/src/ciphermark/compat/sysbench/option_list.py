"""Every option that sysbench 1.0 knows, and those that Ciphermark adds.

Names stand as sysbench's help prints them; `-` and `_` are the same in a name.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = [
    "DEPRECATED",
    "GENERAL",
    "SCRIPT",
    "TESTS",
    "Kind",
    "Option",
    "OptionGroup",
    "key_of",
    "script_options",
]


class Kind(Enum):
    """What an option takes."""

    INTEGER = "integer"
    REAL = "real"
    FLAG = "flag"
    TEXT = "text"
    LIST = "list"
    SIZE = "size"
    FILE = "file"


_PLACES = {
    Kind.INTEGER: "=N",
    Kind.REAL: "=N",
    Kind.FLAG: "[=on|off]",
    Kind.TEXT: "=STRING",
    Kind.LIST: "=[LIST,...]",
    Kind.SIZE: "=SIZE",
    Kind.FILE: "=FILENAME",
}


@dataclass(frozen=True, slots=True)
class Option:
    """An option with its default, as it would be typed; None has no default."""

    name: str
    kind: Kind
    default: str | None
    description: str

    @property
    def key(self) -> str:
        """The name under which its value is found."""
        return key_of(self.name)

    @property
    def usage(self) -> str:
        """Name and value as help prints them, such as "--threads=N"."""
        return f"--{self.name}{_PLACES[self.kind]}"


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """Options under a heading of the help text."""

    heading: str
    options: tuple[Option, ...]


def key_of(name: str) -> str:
    """A name with its dashes as underscores."""
    return name.replace("-", "_")


_N, _R, _B, _S, _L = Kind.INTEGER, Kind.REAL, Kind.FLAG, Kind.TEXT, Kind.LIST

DEPRECATED = {
    "num_threads": "threads",
    "max_requests": "events",
    "max_time": "time",
    "tx_rate": "rate",
}
"""Old names that are still taken, and what they are called now."""

_GENERAL = (
    Option("threads", _N, "1", "worker threads, each with a connection of its own"),
    Option("events", _N, "0", "events of all threads after which the run ends, 0 for no limit"),
    Option("time", _N, "10", "seconds after which the run ends, 0 for no limit"),
    Option("warmup-time", _N, "0", "seconds of load before anything is counted"),
    Option(
        "forced-shutdown",
        _S,
        "off",
        "seconds after the time limit, or a percentage of it, when the run is cut off",
    ),
    Option("thread-stack-size", Kind.SIZE, "64K", "has no effect here"),
    Option("rate", _N, "0", "events a second that are started, 0 for as many as possible"),
    Option("report-interval", _N, "0", "seconds between lines of progress, 0 for none"),
    Option("report-checkpoints", _L, "", "seconds at which a full report is printed and reset"),
    Option("debug", _B, "off", "print everything that is known"),
    Option("validate", _B, "off", "has no effect in these tests"),
    Option("help", _B, "off", "print this text"),
    Option("version", _B, "off", "print the version"),
    Option("config-file", Kind.FILE, None, "file with a name=value pair in each line"),
    *(
        Option(old.replace("_", "-"), _N, None, f"old name of --{new}")
        for old, new in DEPRECATED.items()
    ),
    Option("test", _S, None, "old way to name the test"),
)

_RANDOM = (
    Option(
        "rand-type", _S, "special", "distribution: uniform, gaussian, special, pareto or zipfian"
    ),
    Option("rand-spec-iter", _N, "12", "uniform values averaged for one value of a bell"),
    Option("rand-spec-pct", _N, "1", "width of the hot window of 'special', percent of the rows"),
    Option("rand-spec-res", _N, "75", "percent of the accesses that fall into the hot window"),
    Option("rand-seed", _N, "0", "seed of the run, 0 takes the clock"),
    Option("rand-pareto-h", _R, "0.2", "parameter h of 'pareto'"),
    Option("rand-zipfian-exp", _R, "0.8", "exponent of 'zipfian'"),
)

_LOG = (
    Option("verbosity", _N, "3", "from 0, fatal errors only, to 5, everything"),
    Option("percentile", _N, "95", "percentile of the latency, 1 to 100, 0 for none"),
    Option("histogram", _B, "off", "print all latencies as a histogram"),
)

_DATABASE = (
    Option("db-driver", _S, "mysql", "the database: sqlite"),
    Option("db-ps-mode", _S, "auto", "prepared statements: auto or disable"),
    Option("db-debug", _B, "off", "has no effect here"),
)

_SQLITE = (
    Option("sqlite-db", Kind.FILE, None, "database file; prepare creates it if it is not there"),
    Option("sqlite-key-file", Kind.FILE, None, "file with the key of an encrypted database"),
    Option("sqlite-cipher", _S, "chacha20", "cipher of an encrypted database"),
    Option("sqlite-synchronous", _S, "full", "durability: off, normal, full or extra"),
)

_MYSQL = (
    Option("mysql-host", _L, "localhost", "server"),
    Option("mysql-port", _L, "3306", "port"),
    Option("mysql-socket", _L, None, "socket"),
    Option("mysql-user", _S, "sbtest", "user"),
    Option("mysql-password", _S, "", "password"),
    Option("mysql-db", _S, "sbtest", "database"),
    Option("mysql-ssl", _B, "off", "encrypt the connection"),
    Option("mysql-ssl-cipher", _S, "", "cipher of the connection"),
    Option("mysql-compression", _B, "off", "compress the connection"),
    Option("mysql-debug", _B, "off", "trace calls of the client library"),
    Option("mysql-ignore-errors", _L, "1213,1020,1205", "errors that restart an event, or 'all'"),
    Option("mysql-dry-run", _B, "off", "send nothing"),
)

_PGSQL = (
    Option("pgsql-host", _S, "localhost", "server"),
    Option("pgsql-port", _N, "5432", "port"),
    Option("pgsql-user", _S, "sbtest", "user"),
    Option("pgsql-password", _S, "", "password"),
    Option("pgsql-db", _S, "sbtest", "database"),
)

GENERAL = (
    OptionGroup("General options", _GENERAL),
    OptionGroup("Random number options", _RANDOM),
    OptionGroup("Log options", _LOG),
    OptionGroup("Database options", _DATABASE),
    OptionGroup("sqlite options", _SQLITE),
    OptionGroup("mysql options (the driver is not there yet)", _MYSQL),
    OptionGroup("pgsql options (the driver is not there yet)", _PGSQL),
)
"""The options of sysbench itself, by heading."""

SCRIPT = (
    Option("auto_inc", _B, "on", "ids come from the database; off: from the client"),
    Option("create_secondary", _B, "on", "index on column k"),
    Option("delete_inserts", _N, "1", "DELETE and INSERT of a row, times in an event"),
    Option("distinct_ranges", _N, "1", "SELECT DISTINCT over a range, times in an event"),
    Option("index_updates", _N, "1", "UPDATE of column k, times in an event"),
    Option("mysql_storage_engine", _S, "innodb", "storage engine of MySQL tables"),
    Option("non_index_updates", _N, "1", "UPDATE of column c, times in an event"),
    Option("order_ranges", _N, "1", "SELECT ORDER BY over a range, times in an event"),
    Option("pgsql_variant", _S, None, "variant of PostgreSQL"),
    Option("point_selects", _N, "10", "SELECT of one row, times in an event"),
    Option("range_selects", _B, "on", "off: none of the four queries over a range"),
    Option("range_size", _N, "100", "ids that a range spans"),
    Option("secondary", _B, "off", "index that is not unique in place of the primary key"),
    Option("simple_ranges", _N, "1", "SELECT over a range, times in an event"),
    Option("skip_trx", _B, "off", "no BEGIN and COMMIT, each statement by itself"),
    Option("sum_ranges", _N, "1", "SELECT SUM() over a range, times in an event"),
    Option("table_size", _N, "10000", "rows of each table"),
    Option("tables", _N, "1", "number of tables"),
)
"""The options that all OLTP tests share."""

_OWN = {
    "select_random_points": (
        Option("random_points", _N, "10", "values in the IN list of a query"),
    ),
    "select_random_ranges": (
        Option("delta", _N, "5", "width of a BETWEEN range"),
        Option("number_of_ranges", _N, "10", "BETWEEN ranges of a query"),
    ),
}

TESTS = (
    "bulk_insert",
    "oltp_delete",
    "oltp_insert",
    "oltp_point_select",
    "oltp_read_only",
    "oltp_read_write",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_write_only",
    "select_random_points",
    "select_random_ranges",
)


def script_options(test: str) -> tuple[Option, ...]:
    """The options of a test, in the order of their names."""
    return tuple(sorted((*SCRIPT, *_OWN.get(test, ())), key=lambda option: option.name))
