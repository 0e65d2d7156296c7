"""Which variables a command may set, and which it must not, as they change programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.shell.parsing import descendants, text_of
from nagomi_tui.shell.printed import Form, read_from, reads_names
from nagomi_tui.shell.words import named

if TYPE_CHECKING:
    from tree_sitter import Node

COUNTED: Final = named(
    "? # $ ! UID EUID PPID BASHPID SHLVL RANDOM SECONDS LINENO COLUMNS LINES EPOCHSECONDS"
)
"""Variables that the shell sets to numbers without a sign."""
SETTLED: Final = named(
    "HOME USER LOGNAME HOSTNAME HOSTTYPE OSTYPE MACHTYPE SHELL TMPDIR PID "
    "XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR"
)
"""Variables that come from the user's own login or the shell, and that no command may set."""
PLACES: Final = named(
    "PWD OLDPWD VIRTUAL_ENV CONDA_PREFIX GOPATH GOROOT JAVA_HOME CARGO_HOME NVM_DIR"
)
"""Variables that hold one path, which may have blanks in it: folders may have any name."""
ADDRESS: Final = re.compile(r"(?:\w+_)?(?:URL|URI|ENDPOINT)")
"""Variables of the user's own that hold an address of the web."""

_PLAIN_PAGERS: Final = frozenset({"", "cat", "/bin/cat", "/usr/bin/cat"})
_HARMLESS: Final = named(
    "GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT GIT_CONFIG_NOSYSTEM GIT_LITERAL_PATHSPECS "
    "PYTHONUNBUFFERED PYTHONIOENCODING PYTHONDONTWRITEBYTECODE PYTHONHASHSEED "
    "PYTHONUTF8 NODE_ENV NODE_NO_WARNINGS RUST_LOG RUST_BACKTRACE GREP_COLOR "
    "GREP_COLORS LESSCHARSET AWS_REGION AWS_DEFAULT_REGION AWS_PROFILE "
    "AWS_DEFAULT_OUTPUT KUBE_CONTEXT GOOS GOARCH NPM_CONFIG_LOGLEVEL "
    "npm_config_loglevel npm_config_fund npm_config_audit MANWIDTH "
    "PGHOST PGPORT PGUSER PGDATABASE PGPASSWORD MYSQL_PWD REDISCLI_AUTH"
)
_WHOLE: Final = named(
    "IFS ENV PS0 PS1 PS2 PS3 PS4 HOME NLSPATH LOCPATH HOSTALIASES MORE VISUAL BROWSER "
    "CC CXX AWKPATH AWKLIBPATH WGETRC GREP_OPTIONS path fpath cdpath manpath "
    "module_path prompt POSIXLY_CORRECT USER LOGNAME TMPDIR EXECIGNORE GLOBIGNORE "
    "INPUTRC TIMEFORMAT MAIL MAILPATH OPTIND histchars ACKRC TAPE PWD OLDPWD USERNAME HOSTNAME HOSTTYPE OSTYPE MACHTYPE"
)
_COMPUTED: Final = named(
    "ARGC BAUD COLUMNS DIRSTACKSIZE EGID EPOCHREALTIME EPOCHSECONDS ERRNO EUID FUNCNEST GID KEYTIMEOUT LINENO "
    "LINES LISTMAX LOGCHECK MAILCHECK OPTIND PPID RANDOM SAVEHIST SECONDS SHLVL SRANDOM TMOUT TRY_BLOCK_ERROR "
    "TRY_BLOCK_INTERRUPT TTYIDLE UID ZSH_SUBSHELL status"
)
"""Variables whose value zsh computes, by which it may set others."""
_TABLES_OF_ZSH: Final = named(
    "aliases argv builtins commands dirstack functions functions_source galiases history historywords jobdirs "
    "jobstates jobtexts keymaps langinfo mapfile modules nameddirs options parameters patchars psvar reswords "
    "epochtime errnos fignore mailpath saliases signals sysparams termcap terminfo userdirs usergroups watch widgets zsh_eval_context NULLCMD "
    "READNULLCMD POSTEDIT SPROMPT STTY TIMEFMT WATCH WATCHFMT WORDCHARS ZLS_COLORS"
)
"""What zsh does is set by these: `functions[ls]='rm x'` defines a function."""
_BEGINNINGS: Final = tuple(
    named(
        "BASH SHELL ZDOTDIR PROMPT XDG_ LD_ DYLD_ MALLOC_ GLIBC GCONV TERMINFO GIT_ SSH_ "
        "PYTHON PERL RUBY GEM_ BUNDLE NODE_ NPM_ npm_ YARN_ CARGO RUST GO JAVA JDK_ _JAVA "
        "MAVEN GRADLE DOCKER_ KUBE HELM_ AWS_ AZURE_ GOOGLE_ CLOUDSDK_ TF_ LESS MAN FZF "
        "TAR_ RIPGREP RSYNC CVS SVN CONFIG_ JQ_ BAT_ CURL_ SSL OPENSSL NAGOMI_ "
        "UV_ PIP_ COMPOSE_ BUILDX_ CONDA_ VIRTUAL_ENV GH_ RUFF_ precmd preexec chpwd HIST "
        "EDITOR SUDO_ SYSTEMD_ RPM_ CONTAINERS_ GROFF_ zsh_ zle_ zcurses_ zgdbm_ zftp_"
    )
)
_ENDINGS: Final = tuple(
    named(
        "PATH PAGER EDITOR _COMMAND OPTIONS OPTS FLAGS _CONFIG PRELOAD _HOOK _HOME PROXY "
        "_proxy _functions NULLCMD"
    )
)


_FILLED_BY_SHELLS: Final = named(
    "_ argv match MATCH MBEGIN MEND mbegin mend REPLY MAPFILE OPTARG COPROC PIPESTATUS pipestatus GROUPS DIRSTACK "
    "FUNCNAME funcstack functrace funcfiletrace funcsourcetrace"
)


def fills(name: str) -> bool:
    """Whether a shell sets a variable by itself, such as to the last word of a command."""
    return name in _FILLED_BY_SHELLS or name.startswith(("BASH_", "ZSH_")) or name.isdigit()


def changes_programs(name: str, value: str | None) -> bool:
    """Whether setting a variable may change what programs do; `value` is None if unknown.

    It does unless the name is one that scripts give their own variables: plain words, and none that a
    shell takes for itself, as a test finds out by asking the shells.
    """
    if name in _HARMLESS:
        return False
    if name.endswith("PAGER") and value in _PLAIN_PAGERS:
        return False
    if name in _COMPUTED and (value is None or not value.isdecimal()):
        return True
    if name in _TABLES_OF_ZSH or name.startswith("dis_"):
        return True
    if name in _WHOLE or name.startswith(_BEGINNINGS) or name.endswith(_ENDINGS):
        return True
    # Shells and programs give meanings to names in capitals, more than anyone can list.
    known = name in _COMPUTED or name in _PASSED or re.fullmatch(_OWN, name)
    return not (known or _is_small(name))


_PASSED: Final = named(
    "LANG LANGUAGE TZ TERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM CI DEBUG "
    "LS_COLORS EZA_COLORS TIME_STYLE BLOCK_SIZE BLOCKSIZE DF_BLOCK_SIZE DU_BLOCK_SIZE QUOTING_STYLE "
    "DEBIAN_FRONTEND HOMEBREW_NO_AUTO_UPDATE HOMEBREW_NO_ENV_HINTS HOMEBREW_NO_ANALYTICS"
)


_WORDS: Final = """
A ACTUAL ADDR ALL ANSWER API APP APPS ARCH ARG ARGS ARR ARRAY AUTHOR AVG BACKEND BAD BAR BASE BEFORE AFTER BEGIN BIN BODY BRANCH
BRANCHES BUCKET BUILD BYTES CACHE CHANGED CHECK CHECKS CLASS CLUSTER CNT CODE COL COLOR COL COMMIT COMMITS COMPONENT CONF
CONTAINER CONTENT COUNT COUNTER CUR CURR CURRENT DATA DATE DATES DAY DAYS DB DEP DEPS DEST DEV DIFF DIR DIRS DOC DOCS DOMAIN DONE
DST DURATION ELAPSED END ENDPOINT ENTRY ERR ERROR ERRORS EXIT EXPECTED EXT EXTS FAIL FAILED FAILURES FIELD FILE FILENAME FILES
FIRST FN FOLDER FOO FOUND FRONTEND FULL FUNC GREEN RED YELLOW BLUE BOLD RESET NC GROUP HASH HEAD HEADER HERE HIT HITS HOST HOSTS
HOUR HOURS I ID IDS IDX IMAGE IMG INDEX INFO INPUT ISSUE ITEM ITEMS J JOB JOBS JSON K KEY KEYS KIND LABEL LAST LATEST LEN LENGTH
LEVEL LEFT LIB LIMIT LINE LINK LIST LOCAL LOG LOGFILE LOGS MAIN MATCHES MAX MESSAGE METHOD MIN MINUTES MISSING MODE MODULE MODULES
MONTH MSG N NAME NAMES NAMESPACE NEW NEXT NODE NOW NS NUM NUMBER OFFSET OK OLD OLDIFS ONE ORIG ORIGIN OUT OUTFILE OUTPUT OWNER P PACKAGE
PACKAGES PAGE PAGES PARENT PART PARTS PASS PASSED PATTERN PATTERNS PCT PERCENT PKG PKGS POD PODS PORT PORTS PR PREFIX PREV PRS PROJ
PROJECT PROJECTS QUERY RAW RC REF REFS REGEX REGION RELEASE REMOTE REPO REPOS REQUEST RES RESPONSE RESULT RESULTS RET RETRIES RETRY
RIGHT ROOT ROW ROWS RUN RUNS SAMPLE SCORE SCRIPT SCRIPTS SEARCH SECTION SEP SERVER SERVICE SERVICES SESSION SHA SITE SIZE SIZES SKIP
SOURCE SPEC SRC STAGE START STATE STATUS STEP STOP STR STRING SUB SUCCESS SUFFIX SUM SUMMARY TABLE TAG TAGS TARGET TARGETS TASK TASKS
TEAM TEMPLATE TERMS TEST TESTS TEXT THRESHOLD TICKET TIME TIMESTAMP TITLE TODAY TOKEN TOKENS TOP TOTAL TREE TYPE TYPES URL URLS USED VAL
VALS VALUE VALUES VAR VER VERSION VERSIONS WANT WARN WARNINGS WEEK WHERE WIDTH HEIGHT WORD WORDS WORK WORKSPACE YEAR YESTERDAY ZONE TWO
"""
_OWN: Final = rf"(?:[A-Z]|LC_[A-Z]+|(?:{'|'.join(_WORDS.split())})[0-9]*(?:_(?:{'|'.join(_WORDS.split())}|[0-9]+))*)[0-9]*"
"""Names in capitals that scripts give their own variables: a letter, or plain words. Compiled when it is used."""
_SMALL: Final = re.compile(r"_{0,2}[a-z][a-z0-9]*(?:_[a-z0-9]+)*_?|[a-z]+(?:[A-Z][a-z0-9]*)+")
"""Names in small letters, as scripts write them, with or without capitals within."""
_PARTS: Final = re.compile(r"[A-Z]?[a-z]+")
_SMALL_WORDS: Final = named(
    """
abs absent acc account accounts action active actor add added addr addrs after again age agent alias all alpha amount analysis
and answer any api app append arch archive area arg arr array artifact asset at attempt attr audit auth author auto avail
available avg back backup bad bar bare base basename bash batch before begin best beta big bin bit blob block board body book
bool both bottom bound box branch bucket buf buffer bug build builder bundle button byte cache call candidate cap card case cat
category cell cert cfg change changed changelog channel char chart check checksum child children chunk ci clean cleanup cli
client clock clone close closed cloud cls cluster cmd cnt code col collection color column comm command comment commit common
comp compare component compose cond conf config conflict conn const consumer container content context contract control copy
core cores count counter cov coverage cpp cpu created cron css csv ctx cum cur curr current custom cut cwd cycle daemon daily
dangling dashboard data database date day db dead debug dec decl def default delay deleted delta demo dep dependency depends
deploy deployment depth desc description dest dev device diff digest digit dir direct directory disk display dist distinct doc
docker dockerfile docs domain done dot down download draft driver drop dry dst dump dup duplicate dur duration each edge edit
editor elapsed elem element email empty enabled end endpoint engine entries entry enum env epoch eq err error errors even event
every exact example exclude excluded exe exist exists exit exp expected expr ext extension extra fail failed failing failure
fast feat feature fetch field fields file filename filter final find first fit fix fixed fixture flag flags flat flow fmt fn
fold folder foo for force form format found frag frame free freq fresh from front frontend full fun func function gap gate gb
gen gid git github global go goal good got grade graph green group growth guess half hash hashes head header health height help
here hex hi hidden high hist history hit home hook host hour html http https icon id idle ids idx ignore ignored image img
import imports in inc include incoming index info init inner inode input insert inside inst install installed instance int
interval invalid ip is issue item iter job join js json jsonpath kb keep key keyword kind known kube label lag lang language
large last lat latest layer layout lead leaf left legacy len length less level lib library license lim limit line lines link
lint list listen loc local locale location lock log logfile long longest loop low main major make manifest map mark master match
matched matches math max mb md mean med median mem member memory menu merge merged message meta method metric mid migration
milestone min minor minute misc missing mnt mod mode model modified module month more most mount msg much multi my name names
namespace net network new newest news next nl no node none norm not note now ns nth null num number obj object of off offset ok
old oldest on one only op open opt option or order org orig origin original other out outdated outer output over overall own
owner pack package page pair panel par param parent part parts party pass passed password pat patch path pattern pct peak
pending per percent perm pid pin ping pipeline pkg place plan platform plugin pod point policy pool port pos position post pr
pre pred prefix present prev previous price print prior private proc process prod product profile prog program progress proj
project prompt prop proto provider proxy ptr pub public pull push py python qty query queue quick quiet quota random range rank
rate raw rb rc react read ready real rec recent record red redis ref reg regex region registry rel release remain remaining
remote removed rename repeat replica repo report req request require required res reset resource resp response rest result ret
retry rev reverse revision right role root round route router row rule run runner running rust same sample save schema scope
score script scripts search sec second secret section seed seen seg selected self sep seq serial series server service session
set setting setup severity sha shard share shell short should show side sig sign simple since single site size skip skipped slot
slow slug small snap snapshot socket some sort source space spec speed split sql src ssh stack staged stale start started stat
state stats status step stop storage store str stream strict string stripped stub style sub subdir subject submodule success
suffix suite sum summary support svc switch symbol sync sys system tab table tag tail target task team temp template tenant term
test tested text that this thread threshold ticket time timeout timer timestamp tmp to today todo token tool top topic total
trace track trans tree trigger trim ts tsx turn two txt type types ui uid unique unit unknown unpushed untracked unused up
update updated upper uptime uri url usage use used user users usr utc uuid val valid value values var variant vendor ver verbose
version view violation visible vol volume wait want warn warning warnings watch web week weekly weight when where which who
width win window with word words work worker workflow workspace wrong xml yaml year yes yesterday yml zero zip zone
"""
) | named(_WORDS.lower())
"""What names in small letters are made of, so that nothing else is taken for a script's own."""


def _is_small(name: str) -> bool:
    """Whether a name in small letters is made of plain words, or is a letter or two."""
    parts = [part.lower() for part in _PARTS.findall(name)] if _SMALL.fullmatch(name) else []
    known = (
        len(part) < 3 or part in _SMALL_WORDS or part.removesuffix("s") in _SMALL_WORDS
        for part in parts
    )
    return bool(parts) and all(known)


_LANGUAGE: Final = re.compile(r"['\"]?[\w.@:-]*['\"]?")


def passes(name: str, value: str | None) -> bool:
    """Whether a program may be given a variable; one that is not known may change what it does."""
    known = name in _PASSED or name in _HARMLESS or name.startswith("LC_")
    if name.startswith(("LANG", "LC_")) and not (
        value == "" or value and _LANGUAGE.fullmatch(value)
    ):
        return False  # It may be the folder of a catalogue.
    return (known or name.endswith("PAGER")) and not changes_programs(name, value)


_FILLED_WORD: Final = re.compile(r"[0-9]+|\{[0-9]+\.\.[0-9]+\}")
_FILLED: Final = frozenset({"read", "mapfile", "readarray", "getopts", "select"})
_RUN_BUILTINS: Final = frozenset({"builtin", "command", "time"})
_NO_WORDS: Final = frozenset(
    {"variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect"}
)


class Assignments:
    """All values that a command line may assign to its variables, anywhere in it."""

    def __init__(self, root: Node) -> None:
        self.values: dict[str, list[Node]] = {}
        self.unknown: set[str] = set()
        """Variables that may also get an unknown value, such as a line of input."""
        self.looped: set[str] = set()
        """Variables that may take several values, such as those of `for`."""
        self.forms: dict[str, Form] = {}
        """What is known of the variables that a loop reads into."""
        self.listed: dict[str, bool] = {}
        """Whether all that is read into a variable is the name of a file, as `find` prints it."""
        self.loops: dict[str, list[Node]] = {}
        """The loops of `for` that go through words which are not empty, by their variables."""
        self.emptied: set[str] = set()
        """Variables that are declared without a value, as by `local x`, so that they may be empty."""
        self.unforeseen = False
        """Whether a command sets a variable whose name is only known when it runs."""
        self._root = root
        nodes = [root, *descendants(root)]
        defined = [node for node in nodes if node.type == "function_definition"]
        names = [node.child_by_field_name("name") for node in defined]
        self.functions = frozenset(_bare(name) for name in names if name is not None)
        for node in nodes:
            getattr(self, f"_in_{node.type}", _nothing)(node)

    def _in_variable_assignment(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return
        text = text_of(name).partition("[")[0]
        appends = any(child.type == "+=" for child in node.children)
        if appends:
            self.unknown.add(text)
        elif value is not None:
            if value.type == "array":
                self.looped.add(text)
                self._add(text, value.named_children)
            else:
                self._add(text, [value])
        else:
            self.emptied.add(text)

    def _in_declaration_command(self, node: Node) -> None:
        for child in node.named_children:
            if child.type in ("variable_name", "word"):
                self.emptied.add(text_of(child))
            elif child.type == "variable_assignment" and re.search(r"\s-\w*A", text_of(node)):
                self.emptied.add(text_of(child).partition("=")[0])

    def has_run(self, name: str, at: int) -> bool:
        """Whether a variable's one assignment certainly ran before a place, in the same scope."""
        nodes = self.values.get(name, [])
        if len(nodes) != 1 or name in self.emptied or name in self.unknown or name in self.looped:
            return False
        assigns = nodes[0].parent
        user = self._root.descendant_for_byte_range(at, at + 1)
        if assigns is None or assigns.type != "variable_assignment" or user is None:
            return False
        return assigns.end_byte <= at and _runs_before(assigns, user, self._root)

    def _in_for_statement(self, node: Node) -> None:
        name = node.child_by_field_name("variable")
        if name is None:
            return
        self.looped.add(text_of(name))
        values = node.children_by_field_name("value")
        self._add(text_of(name), values)
        if values:
            self.loops.setdefault(text_of(name), []).append(node)
        if not values or node.children[0].type == "select":
            self.unknown.add(text_of(name))

    def _in_command(self, node: Node) -> None:
        words = [_bare(child) for child in node.named_children if child.type not in _NO_WORDS]
        computed = any(_is_computed(word) for word in words)
        if not words or not self._fills(words, computed=computed):
            return
        named = words[0] == "read" and not computed and reads_names(node, self.functions)
        for word in words:
            self.listed[word] = self.listed.get(word, True) and named
        form = read_from(node, self.functions)
        if form is not Form.ANY and self.forms.setdefault(words[-1], form) is form:
            self.looped.add(words[-1])
            return
        self.unforeseen = self.unforeseen or computed
        # A name may stand in one word with the option before it, as in `read -ax`.
        joined = [word[at:] for word in words if word[:1] == "-" for at in range(2, len(word))]
        self.unknown.update(("REPLY", "MAPFILE", *words, *joined))

    def _fills(self, words: list[str], *, computed: bool) -> bool:
        """Whether a command may set variables that are named by its words."""
        if "printf" in words:
            options = words[words.index("printf") + 1 :][:1]
            return any(option.startswith("-v") or _is_computed(option) for option in options)
        if computed and (_is_computed(words[0]) or words[0] in _RUN_BUILTINS):
            return True
        return not _FILLED.isdisjoint(words)

    def _in_expansion(self, node: Node) -> None:
        if any(child.type in ("=", ":=") for child in node.children):
            self.unknown.update(
                text_of(child).partition("[")[0]
                for child in node.named_children
                if child.type in ("variable_name", "subscript")
            )

    def _arithmetic(self, node: Node) -> None:
        """Treat variables assigned by arithmetic as having several values."""
        for child in descendants(node):
            if child.type in ("binary_expression", "variable_assignment", "postfix_expression"):
                self.looped.update(
                    text_of(one) for one in child.named_children if one.type == "variable_name"
                )

    _in_arithmetic_expansion = _in_subscript = _in_c_style_for_statement = _arithmetic

    def _in_compound_statement(self, node: Node) -> None:
        if node.children and node.children[0].type == "((":
            self._arithmetic(node)

    _in_test_command = _in_compound_statement

    def is_filled(self, name: str, at: int) -> bool:
        """Whether a variable is surely not empty at a place, since it is within the one loop that sets it."""
        values = self.in_loop(name, at)
        return bool(values) and all(_FILLED_WORD.fullmatch(text_of(value)) for value in values)

    def in_loop(self, name: str, at: int) -> list[Node]:
        """Return the words that a variable may be at a place within the one loop that sets it."""
        loops = self.loops.get(name, [])
        if len(loops) != 1 or name in self.unknown or name in self.forms or self.unforeseen:
            return []
        body = loops[0].child_by_field_name("body")
        values = loops[0].children_by_field_name("value")
        within = body is not None and body.start_byte <= at < body.end_byte
        return values if within and len(self.values[name]) == len(values) else []

    def _in_unset_command(self, node: Node) -> None:
        self.unknown.update(text_of(child) for child in node.named_children)

    def _add(self, name: str, nodes: list[Node]) -> None:
        self.values.setdefault(name, []).extend(nodes)


def is_certain(node: Node, root: Node) -> bool:
    """Whether a command or an assignment is at the top level, or begins a list that is."""
    parent = node.parent
    while parent is not None and (
        parent.type in ("list", "variable_assignments") or _is_quiet(parent)
    ):
        if parent.type == "list" and parent.named_children[0] != node:
            return False
        node, parent = parent, parent.parent
    after = node.next_sibling
    return parent == root and (after is None or after.type not in ("&", "|"))


_BLOCKS: Final = frozenset(
    {"program", "compound_statement", "do_group", "if_statement", "elif_clause", "else_clause", "case_item",
     "subshell", "command_substitution", "process_substitution", "while_statement", "variable_assignments"}
)  # fmt: skip
"""Nodes whose parts run one after the other, as far as they run at all."""
_GIVES_UP: Final = re.compile(r"\[|\$\{|\(\(|\blet\b")
"""What may fail so that bash goes on with the next line: arithmetic and some expansions."""


def _runs_before(node: Node, user: Node, root: Node) -> bool:
    """Whether an assignment ran whenever a node behind it runs."""
    begins, around = node.start_byte, set()
    above: Node | None = user
    while above is not None:
        around.add(above.id)
        above = above.parent
    succeeds = True
    """Whether the assignment ran if `node` succeeded, and not only if `node` ran."""
    always = True
    while (parent := node.parent) is not None:
        after = node.next_sibling
        if after is not None and after.type in ("&", "|", "|&"):
            return False
        if parent.id in around:
            break
        if parent.type == "list":
            joins = {child.type for child in parent.children if not child.is_named}
            if node.id != parent.named_children[0].id:
                always = False
            succeeds = succeeds and (joins == {"&&"} or always)
        elif parent.type in ("compound_statement", "variable_assignments", "declaration_command"):
            if not always and parent.type == "compound_statement":
                return False
        else:
            return False
        node = parent
    if parent is None:
        return False
    if parent.type == "list":
        joins = {child.type for child in parent.children if not child.is_named}
        if not (always or succeeds and joins == {"&&"}):
            return False
    elif parent.type not in _BLOCKS or not always:
        return False
    other = next(child for child in parent.named_children if child.id in around)
    if parent.type == "if_statement" and other.type in ("elif_clause", "else_clause"):
        return False
    source = root.text or b""
    top = node
    while top.parent is not None and top.parent.id != root.id:
        top = top.parent
    start = source.rfind(b"\n", 0, top.start_byte) + 1
    if b"\n" not in source[top.end_byte : other.start_byte]:
        return True
    return not _GIVES_UP.search(source[start:begins].decode("utf-8", "replace"))


def _is_quiet(node: Node) -> bool:
    """Whether a statement only has its output go nowhere, or with its errors, which cannot fail."""
    redirects = [child for child in node.named_children if child.type.endswith("_redirect")]
    return node.type == "redirected_statement" and all(
        re.fullmatch(r"[12]?>\s*/dev/null|2>&1|&>\s*/dev/null", text_of(one)) for one in redirects
    )


def _nothing(node: Node) -> None:
    pass


def _bare(node: Node) -> str:
    """Return a word's text without marks of quotation."""
    return re.sub(r"[\\'\"]", "", text_of(node))


def _is_computed(word: str) -> bool:
    return "$" in word or "`" in word
