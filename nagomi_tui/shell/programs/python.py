"""`python3`: its version, two modules of its own, and code that only computes and prints.

The code stands in `-c` or in a here-document.

The code is parsed, and each node of its tree has to be of a kind that is known here. Names of
modules and of what they hold are looked up in a table; on other values only methods may be called
that keep nothing, whatever they belong to. So no file can be had but one that is open for reading.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from nagomi_tui.shell import options
from nagomi_tui.shell.options import Analyser, Check, Options, see
from nagomi_tui.shell.programs.packages import PIP
from nagomi_tui.shell.words import Word, Writes, named

_ALONE: Final = (["--version"], ["-V"], ["-VV"], ["--help"], ["-h"])
_FLAGS: Final = named("-I -P -B -E -s -S -u -q")
_JSON_TOOL: Final = Options(
    "--indent= --sort-keys --no-indent --tab --compact --no-ensure-ascii --json-lines", most=1
)


def _python(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    rest = list(words)
    while rest and rest[0].text in _FLAGS:
        rest.pop(0)
    told = [word.text for word in rest]
    if told in _ALONE:
        return
    if told[:2] == ["-m", "pip"] and len(told) > 2:
        see(f"{name} -m pip", rest[2:], PIP)
    elif told[:2] == ["-m", "json.tool"]:
        options.check(f"{name} -m json.tool", rest[2:], _JSON_TOOL)
    elif told[:1] == ["-c"] and len(rest) > 1:
        _see_code(rest[1])
    elif not told or told[0] == "-":
        code = analysis.here(head)
        if code is None or _DECLARED.search(code):
            raise Writes(f"{name} runs a program that is not known", head.at)
        _see_code(Word(code, head.at))
    else:
        raise Writes(f"{name} runs a program that is not known", head.at)


_DECLARED: Final = re.compile(r"coding[:=]")
"""What in a program that is no argument may say that its letters are others than they seem."""


def _see_code(word: Word) -> None:
    if not word.known or not word.single:
        raise Writes("code of Python that is not known before it runs", word.at)
    try:
        tree = ast.parse(word.text)
    except (SyntaxError, ValueError, MemoryError):
        raise Writes("code of Python that is not understood", word.at) from None
    try:
        _Code(tree).check()
    except Writes as found:
        raise Writes(found.reason, word.at) from None


_NODES: Final = (
    ast.Module, ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.While, ast.If, ast.With,
    ast.withitem, ast.Try, ast.ExceptHandler, ast.Raise, ast.Assert, ast.Return, ast.Pass, ast.Break, ast.Continue, ast.Delete,
    ast.Import, ast.ImportFrom, ast.alias, ast.FunctionDef, ast.Lambda, ast.arguments, ast.arg, ast.keyword, ast.Call,
    ast.Attribute, ast.Subscript, ast.Slice, ast.Starred, ast.Name, ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Yield, ast.YieldFrom, ast.IfExp,
    ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.JoinedStr, ast.FormattedValue, ast.expr_context, ast.boolop,
    ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip
_BUILTINS: Final = named("""
print len sorted sum min max abs round range enumerate zip map filter list dict set frozenset tuple str int float bool bytes
bytearray repr chr ord hex bin oct any all reversed isinstance divmod pow hash iter next slice complex ascii format callable
Exception ValueError KeyError IndexError TypeError AttributeError OSError FileNotFoundError UnicodeDecodeError StopIteration
SystemExit KeyboardInterrupt ZeroDivisionError AssertionError RuntimeError ImportError exit quit
""")
"""Builtins that only compute and print, so that they may be passed on, too."""
_MODULES: Final = {
    "json": named("load loads dump dumps JSONDecodeError"),
    "sys": named("argv stdin stdout stderr version version_info platform executable maxsize exit byteorder prefix "
                 "base_prefix implementation getsizeof getrecursionlimit maxunicode getdefaultencoding getfilesystemencoding"),
    "re": named("compile search match fullmatch findall finditer sub subn split escape I IGNORECASE M MULTILINE S DOTALL X "
                "VERBOSE A ASCII"),
    "math": named("ceil floor sqrt pow log log2 log10 exp sin cos tan asin acos atan atan2 pi e inf nan isnan isinf isclose gcd "
                  "lcm factorial comb perm fsum prod hypot degrees radians trunc fabs fmod dist isqrt tau"),
    "os": named("listdir getcwd environ getenv walk stat scandir sep linesep name getpid getuid cpu_count uname pathsep fspath "
                "curdir pardir extsep get_terminal_size access R_OK F_OK"),
    "os.path": named("join exists isfile isdir islink basename dirname splitext split abspath realpath relpath normpath getsize "
                     "getmtime expanduser expandvars commonpath commonprefix isabs lexists samefile sep"),
    "collections": named("Counter defaultdict OrderedDict deque ChainMap"),
    "itertools": named("chain count cycle repeat accumulate islice groupby product permutations combinations zip_longest "
                       "takewhile dropwhile starmap tee pairwise compress filterfalse combinations_with_replacement"),
    "functools": named("reduce cmp_to_key partial"),
    "operator": named("itemgetter add mul sub"),
    "statistics": named("mean median mode stdev pstdev variance pvariance quantiles fmean multimode"),
    "datetime": named("datetime date time timedelta timezone UTC"),
    "time": named("time strftime strptime localtime gmtime ctime perf_counter monotonic mktime time_ns"),
    "csv": named("reader DictReader writer QUOTE_ALL QUOTE_MINIMAL excel excel_tab Sniffer"),
    "io": named("StringIO BytesIO TextIOWrapper"),
    "base64": named("b64encode b64decode b32encode b32decode b16encode b16decode urlsafe_b64encode urlsafe_b64decode"),
    "hashlib": named("md5 sha1 sha224 sha256 sha384 sha512 blake2b blake2s sha3_256"),
    "binascii": named("hexlify unhexlify crc32"),
    "zlib": named("crc32 adler32 decompress compress"),
    "struct": named("unpack pack calcsize unpack_from iter_unpack"),
    "string": named("ascii_letters ascii_lowercase ascii_uppercase digits punctuation hexdigits whitespace printable"),
    "textwrap": named("dedent fill wrap indent shorten"),
    "pprint": named("pprint pformat"),
    "random": named("random randint choice choices sample shuffle uniform seed randrange gauss"),
    "secrets": named("token_hex token_urlsafe randbelow choice"),
    "uuid": named("uuid4 UUID"),
    "decimal": named("Decimal"),
    "fractions": named("Fraction"),
    "unicodedata": named("name category normalize lookup east_asian_width bidirectional"),
    "urllib.parse": named("urlparse urlsplit parse_qs parse_qsl quote unquote quote_plus unquote_plus urlencode urljoin"),
    "html": named("escape unescape"),
    "ast": named("parse literal_eval dump walk iter_child_nodes iter_fields get_docstring unparse AST Module FunctionDef "
                 "AsyncFunctionDef ClassDef Import ImportFrom Call Name Attribute Assign AnnAssign Constant Return arg Expr If "
                 "For While With Try Lambda Dict List Tuple Set Subscript"),
    "platform": named("platform system machine release version python_version python_version_tuple "
                      "python_implementation node mac_ver libc_ver freedesktop_os_release"),
    "sqlite3": named("sqlite_version"),
    "tomllib": named("load loads TOMLDecodeError"),
    "glob": named("glob iglob"),
    "fnmatch": named("fnmatch filter fnmatchcase"),
    "shutil": named("which disk_usage get_terminal_size"),
    "difflib": named("unified_diff ndiff get_close_matches"),
    "ipaddress": named("ip_address ip_network"),
    "pathlib": named("Path PurePath"),
    "importlib.metadata": named("version requires"),
    # What `parse` returns has a `write` that takes a file's name, which `print` would call.
    "xml.etree.ElementTree": named("fromstring ParseError"),
    "configparser": named("ConfigParser RawConfigParser"),
}  # fmt: skip
"""The modules of Python that may be imported, and what of them may be used."""
_METHODS: Final = named("""
capitalize casefold center count encode decode endswith expandtabs find index isalnum isalpha isdigit isnumeric isdecimal islower
isupper isspace istitle isidentifier join ljust lower lstrip partition replace rfind rindex rjust rpartition rsplit rstrip
split splitlines startswith strip swapcase title translate upper zfill removeprefix removesuffix hex
append extend insert pop remove reverse sort clear copy get items keys values update setdefault fromkeys add discard union
intersection difference symmetric_difference issubset issuperset isdisjoint popleft appendleft most_common elements total
read readline readlines close seek tell buffer getvalue group groups groupdict start end span match search fullmatch findall
finditer sub subn pattern lastgroup string strftime strptime isoformat fromisoformat fromtimestamp utcfromtimestamp timestamp
now utcnow today date time year month day hour minute second microsecond weekday isoweekday isocalendar days seconds
total_seconds combine astimezone utc tzinfo hexdigest digest digest_size st_size st_mtime st_mode st_uid st_gid st_ino
st_atime st_ctime name path is_file is_dir is_symlink stat fieldnames line_num writerow writerows quantize bit_length to_bytes
from_bytes real imag numerator denominator args msg lineno colno doc pos from_iterable scheme netloc query fragment hostname
port geturl params username exists read_text read_bytes iterdir glob rglob stem suffix suffixes parent parents parts resolve
absolute relative_to as_posix with_suffix with_name joinpath is_absolute home cwd expanduser getroot iter findtext tag text
attrib tail hosts num_addresses network_address broadcast_address is_private version sections options has_section has_option
read_string read_file fromhex getint getboolean major minor micro releaselevel sysname release machine nodename total used free
normalize sniff delimiter isatty fileno columns lines body id attr func targets value module names asname arg bases
decorator_list keywords returns annotation end_lineno col_offset level
""")
"""What may be asked of any value: no such method of a type that can be had here keeps anything."""
_OF_PATHS: Final = named("replace copy")
"""Methods of texts and lists that move or copy a file where they belong to a path."""
_MODES: Final = named("r rb rt")
_OPEN_WITH: Final = named("encoding errors newline mode")


class _Code:
    """Checks a program of Python, node by node."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._modules: dict[str, str] = {}
        """The modules and their contents by the names that the program gives them."""
        self._own: set[str] = set()
        """The names that the program assigns to."""
        self._parents = {
            child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)
        }

    def check(self) -> None:
        """Check each node."""
        nodes = list(ast.walk(self._tree))
        for node in nodes:
            if not isinstance(node, _NODES):
                raise Writes(f"code of Python that is not known ({type(node).__name__})")
            self._note(node)
        own = {"open", "type", "__name__"} | _BUILTINS
        taken = self._own & (own | set(self._modules)) | own & set(self._modules)
        if taken:
            raise Writes(f"code of Python that gives {min(taken)} another meaning")
        for node in nodes:
            getattr(self, f"_see_{type(node).__name__.lower()}", _nothing)(node)

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name not in _MODULES and one.name != "xml":
                    raise Writes(f"Python's {one.name} is not known to only read")
                given = one.asname or one.name.partition(".")[0]
                self._name(given, one.name if one.asname else given)
        elif isinstance(node, ast.ImportFrom):
            for one in node.names:
                whole = f"{node.module}.{one.name}"
                held = _MODULES.get(node.module or "", frozenset())
                if node.level or one.name not in held and whole not in _MODULES:
                    raise Writes(f"Python's {whole} is not known to only read")
                self._name(one.asname or one.name, whole)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            self._own.add(node.id)
        elif isinstance(node, (ast.arg, ast.FunctionDef, ast.ExceptHandler)):
            given = node.arg if isinstance(node, ast.arg) else node.name or "_"
            self._own.add(given)

    def _name(self, given: str, whole: str) -> None:
        """Note what an import gives a name to.

        Raises:
            Writes: the name has another meaning elsewhere in the program.
        """
        if self._modules.setdefault(given, whole) != whole:
            raise Writes(f"code of Python that gives {given} another meaning")

    def _see_name(self, node: ast.Name) -> None:
        parent = self._parents[node]
        is_called = isinstance(parent, ast.Call) and parent.func is node
        if "__" in node.id and node.id != "__name__":
            raise Writes(f"{node.id} of Python")
        if not isinstance(node.ctx, ast.Load) or node.id in self._own or node.id in _BUILTINS:
            return
        if node.id in self._modules:
            self._see_environment(node)
            if _leads_to_module(self._modules[node.id]) and not isinstance(parent, ast.Attribute):
                raise Writes(f"a module of Python as a value ({node.id})")
        elif not (is_called and node.id in ("open", "type")) and node.id != "__name__":
            raise Writes(f"{node.id} of Python is not known to only read")

    def _see_attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            raise Writes("code of Python that sets an attribute")
        before = self._dotted(node.value)
        if before is not None and _leads_to_module(before):
            whole = f"{before}.{node.attr}"
            is_inner = _leads_to_module(whole) and isinstance(self._parents[node], ast.Attribute)
            is_shown = whole == "sys.path" and self._is_shown(node)
            if not (is_inner or is_shown or node.attr in _MODULES.get(before, ())):
                raise Writes(f"Python's {whole} is not known to only read")
            self._see_environment(node)
            return
        if before in ("sys.stdout", "sys.stderr") and node.attr in ("write", "flush"):
            return
        if node.attr == "__name__" and isinstance(node.value, ast.Call):
            return
        if (
            node.attr == "format"
            and isinstance(node.value, ast.Constant)
            and "_" not in str(node.value.value)
        ):
            return
        uses_paths = any(one.startswith("pathlib") for one in self._modules.values())
        if node.attr not in _METHODS or uses_paths and node.attr in _OF_PATHS:
            raise Writes(f".{node.attr} of Python is not known to only read")

    def _see_environment(self, node: ast.expr) -> None:
        """Check that the environment, which programs get that Python runs by itself, is only looked at."""
        if self._dotted(node) != "os.environ":
            return
        parent = self._parents[node]
        if isinstance(parent, ast.Attribute):
            looks = parent.attr in ("get", "items", "keys", "values", "copy")
        elif isinstance(parent, ast.Subscript):
            looks = isinstance(parent.ctx, ast.Load)
        else:
            looks = isinstance(parent, (ast.Compare, ast.FormattedValue)) or self._is_shown(node)
        if not looks:
            raise Writes("code of Python that may change its environment")

    def _see_call(self, node: ast.Call) -> None:
        if not isinstance(node.func, (ast.Name, ast.Attribute)):
            raise Writes("code of Python that calls what is not known")
        if (
            isinstance(node.func, ast.Name)
            and node.func.id == "type"
            and (len(node.args) != 1 or node.keywords)
        ):
            raise Writes("code of Python that makes a type")
        if isinstance(node.func, ast.Name) and node.func.id == "type" and not self._is_told(node):
            raise Writes("code of Python that keeps a type")
        for one in node.keywords:
            if one.arg == "file" and self._dotted(one.value) not in ("sys.stdout", "sys.stderr"):
                raise Writes("code of Python that prints into what is not known")
        if not (isinstance(node.func, ast.Name) and node.func.id == "open"):
            return
        modes = [*node.args[1:2], *(one.value for one in node.keywords if one.arg == "mode")]
        known = all(one.arg in _OPEN_WITH for one in node.keywords)
        starred = any(isinstance(one, ast.Starred) for one in node.args)
        if starred or not known or len(node.args) > 2 or not node.args:
            raise Writes("code of Python that opens a file in a way that is not known")
        if not all(isinstance(one, ast.Constant) and one.value in _MODES for one in modes):
            raise Writes("code of Python that opens a file to write")

    def _see_functiondef(self, node: ast.FunctionDef) -> None:
        if node.decorator_list or "__" in node.name:
            raise Writes("a function of Python that is not known to only read")

    def _see_arg(self, node: ast.arg) -> None:
        if "__" in node.arg:
            raise Writes(f"{node.arg} of Python")

    def _dotted(self, node: ast.expr) -> str | None:
        """Return the name of a module or of what it holds; None for other values."""
        if isinstance(node, ast.Name):
            return None if node.id in self._own else self._modules.get(node.id)
        if isinstance(node, ast.Attribute):
            before = self._dotted(node.value)
            return None if before is None else f"{before}.{node.attr}"
        return None

    def _is_shown(self, node: ast.AST) -> bool:
        """Whether a value is only printed, joined or gone through, and not kept."""
        parent = self._parents[node]
        if isinstance(parent, (ast.For, ast.comprehension)):
            return parent.iter is node
        if not isinstance(parent, ast.Call) or node not in parent.args:
            return False
        name = parent.func
        return (
            isinstance(name, ast.Name)
            and name.id in ("print", "len", "sorted", "list", "dict", "set", "str", "repr")
            or (isinstance(name, ast.Attribute) and name.attr == "join")
        )

    def _is_told(self, node: ast.AST) -> bool:
        """Whether a type is only named, compared or printed."""
        parent = self._parents[node]
        if isinstance(parent, ast.Call):
            return isinstance(parent.func, ast.Name) and parent.func.id in ("print", "str", "repr")
        return isinstance(parent, (ast.Compare, ast.FormattedValue)) or (
            isinstance(parent, ast.Attribute) and parent.attr == "__name__"
        )


def _leads_to_module(name: str) -> bool:
    return name in _MODULES or any(one.startswith(f"{name}.") for one in _MODULES)


def _nothing(node: ast.AST) -> None:
    pass


CHECKS: Final[dict[str, Check]] = dict.fromkeys(("python", "python3"), _python)
