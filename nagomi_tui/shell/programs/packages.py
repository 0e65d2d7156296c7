"""Package managers and language tools: commands that list, show and query."""

from __future__ import annotations

import re
from typing import Final

from nagomi_tui.shell import options
from nagomi_tui.shell.folders import Asked
from nagomi_tui.shell.options import Analyser, Check, Options, Tool, checks, plain, see, tables
from nagomi_tui.shell.words import Word, Writes, named

PIP: Final = Tool(
    {**plain("list, search, check, freeze, help, index versions, config get, config list, config debug, "
             "cache dir, cache info, cache list, inspect, debug"), "show": Options("-f")},
    before="-q -v --quiet --verbose --disable-pip-version-check --no-color --isolated --no-input",
    always="-q -v -h -o -u -e -l -i= --quiet --verbose --disable-pip-version-check --no-color --isolated --no-input --help "
    "--outdated --uptodate --editable --exclude-editable --include-editable --local --user --path= --pre --format= "
    "--not-required --exclude= --files --all --index-url= --extra-index-url= --no-index --find-links= --global --site --json "
    "--abi= --platform= --python-version= --implementation= --timeout= --retries= --proxy= --trusted-host= --no-cache-dir "
    "--require-virtualenv --version",
)  # fmt: skip
_PM: Final = (
    "-a --all -g --global -l --long --json --parseable -p --depth= --prod --production --dev --only= --omit= --include= "
    "--workspace= -w --workspaces --include-workspace-root --link --package-lock-only --registry= --loglevel= -s --silent -d -q "
    "--quiet --no-color --color? --no-audit --no-fund --tag= --searchlimit= --searchopts= --before= --location= --offline "
    "--prefer-offline --unicode --no-unicode -r --recursive -F= --filter= -D -P --long --no-optional --lockfile-only "
    "--only-projects --exclude-peers --find-by= --pattern= --audit-level= --no-progress --non-interactive --no-default-rc "
    "--max-old-space-size= --compatible --workspace-root --include-workspace-root --pretty? -h --help "
    "-R -A --virtuals --name-only --dependents --manifest --extra= --peers --verbose --no-private --since? --from="
)
_NPM: Final = (
    "-a --all -g --global -l --long --json --parseable -p --depth= --prod --production --dev --only= --omit= --include= "
    "--workspace= -w= --workspaces --include-workspace-root --link --package-lock-only --registry= --loglevel= -s --silent -d "
    "-q --quiet --verbose --no-color --color? --no-audit --no-fund --tag= --searchlimit= --searchopts= --before= --location= "
    "--offline --prefer-offline --unicode --no-unicode --no-optional --no-progress --audit-level= -h --help"
)
_NPM_ALONE: Final = Options(_NPM.replace("=", "?"), most=0)
"""For commands that do more with a word behind them, as `npm run x` does.

Which option takes the next word differs between versions: one that does not know it takes it for a flag.
"""
_DNF: Final = (
    "-q -C -v -y --quiet --cacheonly --verbose --installed --available --updates --upgrades --all --extras --obsoletes "
    "--recent --showduplicates --enablerepo= --disablerepo= --repo= --repoid= --enabled --disabled --requires --provides "
    "--whatprovides= --whatrequires= --list --info --qf= --queryformat= --latest-limit= --resolve --recursive --arch= "
    "--userinstalled --reverse --refresh --color= --help -h --security --bugfix --assumeno"
)
_APT: Final = (
    "-q -qq -a -n -f -i -v --all-versions --installed --upgradable --manual-installed --names-only --full --no-all-versions "
    "--recurse --important --no-pre-depends --no-depends --no-recommends --no-suggests --no-conflicts --no-breaks "
    "--no-replaces --no-enhances --installed --quiet --color --no-color --help -h --version"
)
_GO_LIST: Final = Options(
    "-m -f= -json? -deps -test -e -u -versions -find -retracted -tags=",
    single_dash=True,
)

_CONDA: Final = {
    "list": Options("-n= --name= -p= --prefix= -c --canonical -e --export -f --full-name --json --explicit --md5 --sha256 -r "
                    "--revisions --no-pip --show-channel-urls -v -q --verbose --quiet --reverse"),
    "info": Options("-a --all -e --envs -s --system --base --json -l --license --unsafe-channels -v -q --verbose --quiet"),
    "env list": Options("--json -v -q --verbose --quiet"),
    "search": Options("-c= --channel= --override-channels -i --info --json --envs --platform= --subdir= -f --full-name --offline "
                      "--use-local -n= --name= -p= --prefix= -v -q --verbose --quiet"),
}  # fmt: skip
_KINDS: Final = "--formula --formulae --cask --casks "
_BREW: Final = {
    **plain("list, ls", Options(_KINDS + "-1 -l -r -t --full-name --versions --multiple --pinned --installed-on-request "
                                "--installed-as-dependency --poured-from-bottle --built-from-source")),
    "info": Options(_KINDS + "--json? --installed --analytics --days= --category= --variations --sizes --eval-all"),
    "search": Options(_KINDS + "--desc --eval-all"),
    "outdated": Options(_KINDS + "--json? -g --greedy --greedy-latest --greedy-auto-updates"),
    "deps": Options(_KINDS + "-n --topological -1 --1 --direct --union --full-name --include-build --include-optional --include-test "
                    "--skip-recommended --include-requirements --tree --annotate --installed --missing --eval-all --for-each "
                    "--os= --arch="),
    "uses": Options(_KINDS + "--recursive --installed --missing --eval-all --include-build --include-test --include-optional "
                    "--skip-recommended"),
    "cat": Options(_KINDS), "desc": Options(_KINDS + "-s -n -d --search --name --description --eval-all"),
    "doctor": Options("--list-checks"), "options": Options("--compact --installed --eval-all"),
    "tap-info": Options("--json? --installed"), "services list": Options("--json"),
    "leaves": Options("-r -p --installed-on-request --installed-as-dependency"), "commands": Options("--include-aliases"),
    **plain("config, formulae, casks", Options("", most=0)),
}  # fmt: skip
_WHOSE: Final = "--user --system --columns= "
_FLATPAK: Final = {
    "list": Options(_WHOSE + "-a -d --all --app --runtime --arch= --show-details --installation="),
    "info": Options(_WHOSE + "-r -o -c -l -m -M -s --arch= --show-ref --show-commit --show-origin --show-size --show-metadata "
                    "--show-runtime --show-sdk --show-permissions --file-access= --show-extensions --show-location"),
    "search": Options(_WHOSE), "remotes": Options(_WHOSE + "-d --show-details --show-disabled"),
    "history": Options(_WHOSE + "--since= --until= --reverse"),
}  # fmt: skip

_TOOLS: Final = {
    "uv": Tool({**plain("pip list, pip show, pip freeze, pip check, pip tree, python list, python find, python dir, "
                        "tool list, tool dir, cache dir, self version, help"),
                "version": Options("", most=0)},
               before="-q -v --quiet --verbose --offline --no-progress --no-config --color=",
               always="-q -v -h -d= --quiet --verbose --offline --no-progress --no-config --color= --help --outdated --format= "
               "--editable --exclude-editable --exclude= --strict --system --no-system --files --depth= --prune= --package= "
               "--no-dedupe --invert --show-version-specifiers --all-versions --all-platforms --all-arches --only-installed "
               "--only-downloads --show-urls --show-paths --show-with --show-extras --show-python --short --output-format= "
               "--bin --managed-python --no-managed-python --no-python-downloads --no-project --no-cache -n"),
    "poetry": Tool(plain("show, check, env info, env list, search, about, list")
                   | {"config": Options("--list", needs="--list", most=0)},
                   # `--latest` and `--outdated` build what lies in a folder, to see its version.
                   always="-q -v -n -h -t -T -a -p --quiet --verbose --no-ansi --ansi --no-interaction --no-plugins --no-cache --help "
                   "--without= --with= --only= --why --tree --all --top-level --no-truncate --format= "
                   "--full-path --path --executable --lock --strict", alone="--version -V"),
    "pipx": Tool({"list": Options("--short --json --include-injected --skip-maintenance --pinned"),
                  "environment": Options("-v= --value=")}),
    "conda": Tool(_CONDA | {"config": Options("--show --show-sources", needs="--show --show-sources")}),
    "mamba": Tool(_CONDA),
    "npm": Tool(plain("list, ls, ll, la, view, info, show, v, search, outdated, root, prefix, help, config get, "
                      "config list, config ls, get, explain, why, ping, whoami, owner ls, dist-tag ls, dist-tags ls, "
                      "pkg get, query, audit signatures, team ls, profile get, token list, ",
                      Options(_NPM)) | plain("audit, run, fund, version", _NPM_ALONE),
                before="-g --global -s --silent --json --no-color --prefix=",
                alone="--version -v --help -h"),
    "pnpm": Tool(plain("list, ls, ll, why, outdated, view, info, root, config get, config list, store path", Options(""))
                 | {"audit": Options("--json --prod --audit-level=", most=0), "licenses list": Options("")},
                 before="-g -r --recursive -w -C= --dir= --filter= -F=", always=_PM,
                 alone="--version -v --help"),
    "yarn": Tool(plain("list, ls, info, show, view, help, why, config get, config list, outdated, versions, "
                       "licenses list, workspaces info, workspaces list", Options("")),
                 before="-s --silent --json --cwd=", always=_PM, alone="--version -v --help"),
    "bun": Tool(plain("pm ls, pm bin, pm hash, outdated", Options("--all -a -g --filter= -F= -h --help")),
                alone="--version -v --revision --help"),
    "cargo": Tool({**plain("search, info, help, locate-project, pkgid, verify-project, read-manifest, version, "
                           "config get", Options("")), "owner": Options("--list", needs="--list", most=1),
                   "install": Options("--list", needs="--list", most=0)},
                  always="-q -v -vv -h --quiet --verbose --locked --offline --frozen --color= --manifest-path= --limit= --registry= "
                  "--index= --message-format= --workspace -p= --package= --help",
                  before="-q -v --quiet --verbose --locked --offline --frozen", alone="--version -V --list --help -h"),
    "rustup": Tool(plain("show, show active-toolchain, show home, toolchain list, target list, component list, which, "
                         "help, check", Options("-v --verbose -q --quiet --installed --toolchain=")) | {"doc": Options("--path --toolchain= --std --book --cargo --reference", needs="--path")}),
    "go": Tool({"version": Options("-m -v", single_dash=True), "help": Options(""), "doc": Options("-all -c -cmd -short -src -u", single_dash=True),
                "env": Options("-json -changed", single_dash=True),
                "list": _GO_LIST}, alone="version help"),
    "brew": Tool(_BREW, always="-q -v -h --quiet --verbose --help",
                 alone="--version --prefix --cellar --repository --cache --help"),
    "gem": Tool(plain("list, search, environment, env, which, info, contents, specification, outdated, "
                      "dependency, help", Options("")),
                always="-i -I -v= -n= -e -d -a -l -r -b -q -V -h -p -s= -R --installed --no-installed --version= --name= --exact "
                "--details --no-details --versions --no-versions --all --local --remote --both --prerelease --no-prerelease "
                "--quiet --silent --verbose --help --yaml --ruby --marshal --prefix --no-prefix --platform= --pipe "
                "--reverse-dependencies --gems-first --lib-only --show-install-dir"),
    "apt": Tool(plain("list, show, search, policy, depends, rdepends, showsrc, help", Options("")),
                before="-q -qq", always=_APT),
    "apt-cache": Tool(plain("show, search, policy, depends, rdepends, madison, showpkg, stats, dump, pkgnames, "
                            "showsrc, unmet, dotty", Options("")), before="-q -n -f --names-only", always=_APT),
    "apt-mark": Tool(plain("showmanual, showhold, showauto", Options("")), always=_APT),
    "dnf": Tool(plain("list, info, search, repolist, provides, repoquery, history list, history info, check-update", Options("")),
                before="-q -C --quiet", always=_DNF),
    "yum": Tool(plain("list, info, search, repolist, provides, history list", Options("")), before="-q -C --quiet",
                always=_DNF),
    "apk": Tool(plain("info, list, search, policy, version, dot", Options("")),
                always="-q -v -h -a -d -e -L -P -r -R -s -t -w -W -x -o -I -O -u -l= -I --quiet --verbose --help --all --contents "
                "--depends --description --installed --exact --has-script --license --origin --provides --rdepends --size "
                "--triggers --webpage --who-owns --orphaned --available --upgradeable --manifest --no-network --no-cache"),
    "snap": Tool({**plain("list, info, find, connections, changes",
                          Options("--all --verbose --abs-time --narrow --private --color= --unicode=")),
                  "services": Options("-g -u --global --user"), **plain("version, interfaces", Options(""))}),
    "flatpak": Tool(_FLATPAK),
    "pyenv": Tool(plain("versions, version, which, root, commands, prefix, version-name", Options("--bare", plain=True))),
    "asdf": Tool(plain("plugin list, plugin-list", Options("--urls --refs", most=0))
                 | {"list": Options("", most=1, plain=True)}
                 | plain("current, where, which, info, version", Options("", plain=True))),
    "mise": Tool(plain("ls, list, current, where, which, version", Options("-c -g -i -J --current --global --installed --json "
                                                                                  "--no-header --missing --prunable --outdated")),
                 alone="--version --help"),
    "nvm": Tool(plain("ls, list, current, version, which, ls-remote", Options("--lts? --no-colors --no-alias", plain=True))),
    "terraform": Tool({"version": Options("-json", single_dash=True), **plain("workspace list, workspace show", Options("")),
                       "output": Options("-json -raw -no-color -state=", single_dash=True),
                       "state list": Options("-state= -id=", single_dash=True),
                       "state show": Options("-state=", single_dash=True), "show": Options("-json -no-color", single_dash=True),
                       "fmt": Options("-check -diff -recursive -list", needs="-check", single_dash=True)},
                      alone="version -version --version -help --help"),
}  # fmt: skip

_DPKG: Final = Options(
    "-l -L -s -S -p -I -c -V -C -W -f --list --listfiles --status --search --info --contents --verify --audit "
    "--print-architecture --print-foreign-architectures --get-selections --show --showformat= --compare-versions "
    "--version --help --no-pager"
)
_RPM: Final = Options(
    "-q -a -c -d -f -g -i -l -p -s -v -R -V --query --all --info --list --changelog --scripts --requires "
    "--provides --whatprovides --whatrequires --queryformat=* --qf=* --last --nosignature --nodigest --file --verify "
    "--version --obsoletes --conflicts --recommends --suggests"
)


def _dpkg(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(name, words, _DPKG)
    if not given.options:
        raise Writes(f"{name} that does not ask", head.at)


def _rpm(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    first = words[0].text if words else ""
    if not re.fullmatch(r"-[qV][A-Za-z]*|--(?:query|verify|version)", first):
        raise Writes("rpm that does not ask", head.at)
    given = options.check(name, words, _RPM)
    if given.has("-V", "--verify") and given.has("-p"):
        raise Writes("rpm runs the script by which a package verifies itself", head.at)


def _pacman(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    first = words[0].text if words else ""
    if not re.fullmatch(r"-Q[cdegiklmnopqstuv]*|-S[silg]|-Fl?|--version", first):
        raise Writes("pacman that does not ask", head.at)
    options.check(name, words[1:], Options("-q --quiet --color="))


CARGO: Final = named("tree metadata fmt clippy") | {
    name.split()[0] for name in _TOOLS["cargo"].commands
}
"""The commands of cargo that are known here, of which some cargo may have one only by a project's alias."""
_CARGO_TREE: Final = Options(
    "-q -v -e= -i= -p= -d -F= -h -f= --quiet --verbose --locked --frozen --offline --color= --edges= --invert= --package= --exclude= "
    "--workspace --depth= --prefix= --no-dedupe --duplicates --charset= --format= --features= --all-features "
    "--no-default-features --target= --manifest-path= --no-deps --format-version= --filter-platform= --prune= --help"
)


def _cargo(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Require `--locked` where cargo could write its lock file, ."""
    told = [word.text for word in words]
    if any(not word.known for word in words):
        raise Writes("an argument of cargo that is not known", head.at)
    if told[:1] in (["tree"], ["metadata"]) and {"--locked", "--frozen"} & set(told):
        options.check("cargo", words[1:], _CARGO_TREE)
    elif told[:1] == ["fmt"] and "--check" in told:
        options.check("cargo fmt", words[1:], Options("--all --check -p= --package="))
        if any("config" in text or "emit" in text for text in told):
            raise Writes("cargo fmt with settings of its own", head.at)
    elif told in (["clippy", "--version"], ["clippy", "-V"]):
        return
    elif told[:1] in (["tree"], ["metadata"]):
        raise Writes(f"cargo {told[0]} that may write its lock file: add --locked", head.at)
    else:
        see(name, words, _TOOLS["cargo"])


def _brew(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Refuse formulae of other taps, which are fetched, and of files, which are Ruby programs."""
    see(name, words, _TOOLS["brew"])
    for word in words[1:]:
        if word.text[:1] != "-" and not re.fullmatch(r"(?!.*\.rb$)[\w@.+-]+", word.text):
            raise Writes("a formula that brew may fetch or run", word.at)


_VIEWS: Final = named("view info show v outdated") | {"owner ls", "dist-tag ls", "dist-tags ls"}
_SPEC: Final = re.compile(
    r"\.|(?:@[\w.-]+/)?[\w.-]+(?:@[\w.^~<>=*| -]*)?|[\w.-]+(?:\[[\w.-]*\][\w.]*)*"
)
"""A package of the registry with a version, or a field of what it says; other packages are cloned by git."""


def _node_packages(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    command, given = see(name, words, _TOOLS[name])
    for word in given if command in _VIEWS else ():
        if not word.may_be_option and not (word.known and _SPEC.fullmatch(word.text)):
            raise Writes("a package that is not known to be the registry's", word.at)


def _terraform(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Refuse options with a value, with which `-check=false` would write."""
    see(name, words, _TOOLS["terraform"])
    if words[:1] and words[0].text == "fmt":
        # An option behind a folder is none.
        table = _TOOLS["terraform"].commands["fmt"]
        options.check("terraform fmt", words[1:], table, stops=True)
        if any("=" in word.text for word in words):
            raise Writes("terraform fmt rewrites files", head.at)


def _uv(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    told = [word.text for word in words]
    if told[:1] == ["tree"] and "--frozen" not in told:
        raise Writes("uv tree that may build the project: add --frozen", head.at)
    if told[:1] == ["tree"]:
        options.check("uv tree", words[1:], Options("--frozen --depth= --package= --all-groups --no-dev "
                                                    "--outdated --invert --universal --no-dedupe -d="))  # fmt: skip
    else:
        command, given = see(name, words, _TOOLS["uv"])
        for word in given if command in ("python find", "python list") else ():
            # Another word may be a folder, whose Python is asked for its version.
            if word.text[:1] != "-" and not re.fullmatch(r"(?:[<>=~!]=?)?[0-9][0-9.]*", word.text):
                raise Writes("uv runs a Python that is not known", word.at)


def _node(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    told = [word.text for word in words]
    if told in (["--version"], ["-v"], ["--help"], ["-h"]):
        return
    asks = len(told) == 2 and told[0] in ("-p", "-e", "--print", "--eval")
    match = _NODE_SHOWS.fullmatch(told[1]) if asks else None
    if match is None:
        raise Writes("node runs a program that is not known", head.at)
    if place := match["place"]:
        # If there is no such file, node takes another one or a folder, whose program runs.
        other = [f"./{place}{ending}" for ending in (".js", ".json", ".node")]
        within = [f"./{place}/{one}" for one in ("package.json", "index.js", "index.node")]
        analysis.where.asked.append(Asked(name, " ".join([*other, *within]), "", head.at))
        analysis.where.asked.append(Asked(name, "json", place, head.at))


_NODE_SHOWS: Final = re.compile(
    r"""(?x)(?:console\.log\()?(?:process\.(?:version|versions(?:\.\w+)?|platform|arch)
    |(?:Object\.(?:keys|values|entries)\()?require\((['"])\./(?P<place>[\w-]+(?:/[\w-]+)*\.json)\1\)(?:\.[A-Za-z]\w*|\[['"][\w@/.-]+['"]\])*\)?)\)?;?"""
)
"""Programs of node that show its version or what a file of JSON says."""


CHECKS: Final[dict[str, Check]] = {
    **checks({**_TOOLS, "pip": PIP, "pip3": PIP}),
    **tables({"gofmt": Options("-l -d -s -e -r=*", single_dash=True)}),
    **dict.fromkeys(("dpkg", "dpkg-query", "dpkg-deb"), _dpkg),
    **dict.fromkeys(("npm", "pnpm", "yarn"), _node_packages),
    "brew": _brew, "terraform": _terraform, "rpm": _rpm, "pacman": _pacman, "cargo": _cargo, "uv": _uv, "node": _node,
}  # fmt: skip
