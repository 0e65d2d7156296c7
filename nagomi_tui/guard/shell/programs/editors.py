"""`sed` and `awk`, whose programs are read by parsers of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.guard.shell import options
from nagomi_tui.guard.shell.options import Options
from nagomi_tui.guard.shell.programs.awk import see_program
from nagomi_tui.guard.shell.programs.sed import see_script
from nagomi_tui.guard.shell.verdict import Writes

if TYPE_CHECKING:
    from nagomi_tui.guard.shell.programs.interface import Analyser, Check
    from nagomi_tui.guard.shell.words import Word

_SED: Final = Options(
    "-n -E -r -s -u -z -e=* -l= --quiet --silent --regexp-extended --separate --unbuffered "
    "--null-data --expression=* --line-length= --debug --posix --sandbox --help --version"
)
_AWK: Final = Options(
    "-F= -v= -n -b -c -S -P -r -M -V --field-separator= --assign= --posix --traditional --re-interval "
    "--characters-as-bytes --sandbox --version --help --csv -k"
)


def _sed(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(name, words, _SED)
    scripts = [value for option, value, _ in given.options if option in ("-e", "--expression")]
    if not scripts and given.operands:
        scripts = [given.operands[0]]
    for length in given.values("-l", "--line-length"):
        if not length.text.isdigit():
            raise Writes("an option of sed that others read differently", length.at)
    for script in scripts:
        if script is not None:
            see_script(script)


def _awk(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(name, words, _AWK, stops=True)
    if given.operands:
        if given.operands[0].splits:
            raise Writes("a program of awk that is not known", given.operands[0].at)
        see_program(given.operands[0])


CHECKS: Final[dict[str, Check]] = {
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
}
