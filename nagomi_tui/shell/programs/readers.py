"""Programs that only read, except with some of their options."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.shell import options
from nagomi_tui.shell.options import Given, Options
from nagomi_tui.shell.words import Writes, named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.shell.options import Analyser, Check
    from nagomi_tui.shell.words import Word

_HARMLESS: Final = named(
    "cat head tail wc nl tac rev zcat bzcat xzcat "
    "gzcat cut paste join comm column tr expand unexpand fold fmt pr "
    "tsort diff cmp colordiff md5sum md5 sha1sum sha224sum sha256sum sha384sum "
    "sha512sum shasum b2sum cksum sum crc32 od hexdump hd ls dir vdir pwd which whereis "
    "locate basename dirname readlink realpath stat whoami id groups users who w last "
    "uname lsb_release cal ncal uptime df du free vmstat iostat mpstat "
    "nproc lscpu lsblk lsusb lsmod lsns lsmem modinfo ps pgrep pidof pstree "
    "netstat nslookup dig host ping ping6 traceroute tracepath mtr "
    "printenv echo yes true false expr factor seq jot bc eza exa lsd numfmt getent "
    "getconf locale tty logname sleep findmnt getfacl getfattr lsattr getcap "
    "basenc base32 col pathchk tput shellcheck hadolint yamllint pyflakes tokei difft c++filt "
    "vdir gls gcat ghead gtail gwc gstat greadlink "
    "grealpath gcut gtr zcmp zdiff namei acpi "
    "xdpyinfo fc-list fc-match infocmp toe lslocks lsipc ipcs look ul"
)
_GREP: Final = options.arities(
    "-e= -f= -m= -A= -B= -C= -d= -D= -E -F -G -P -i -y -w -x -z -s -v -V -b -n -H -h -o -q -a -I -r -R -L -l -c -U -u -T -Z -S -p -O -J -M "
    "--regexp= --file= --max-count= --after-context= --before-context= --context --directories= --devices= --label= --binary-files= "
    "--include= --exclude= --exclude-from= --exclude-dir= --include-dir= --group-separator= --extended-regexp --fixed-strings "
    "--basic-regexp --perl-regexp --ignore-case --no-ignore-case --word-regexp --line-regexp --null-data --no-messages --invert-match "
    "--version --help --byte-offset --line-number --line-buffered --with-filename --no-filename --only-matching --quiet --silent --text "
    "--recursive --dereference-recursive --files-without-match --files-with-matches --count --initial-tab --null --no-group-separator "
    "--color --colour --binary --unix-byte-offsets --decompress"
)
"""The options of grep; those that ugrep, which stands in for it in places, has besides run programs and write files."""
_RG: Final = (
    "-e=* -A= -B= -C= -g= -t= -T= -m= -M= -r=* -f= -j= -d= -E= -i -s -S -w -x -v -n -N -l -c -o -q -H -I -L -F -P -U -p "
    "-0 -a -b -h -u -V -. --regexp=* --after-context= --before-context= --context= --glob= --iglob= --type= "
    "--type-not= --max-count= --max-columns= --replace=* --file= --threads= --max-depth= --maxdepth= --encoding= "
    "--engine? --color= --colors= --sort= --sortr= --context-separator=* --field-match-separator=* "
    "--field-context-separator=* --max-filesize= --ignore-file= --path-separator= --type-add= --type-clear= "
    "--dfa-size-limit= --regex-size-limit= --generate= --hyperlink-format= --ignore-case --case-sensitive --smart-case "
    "--word-regexp --line-regexp --invert-match --line-number --no-line-number --files-with-matches "
    "--files-without-match --count --count-matches --only-matching --quiet --with-filename --no-filename --follow "
    "--fixed-strings --pcre2 --multiline --multiline-dotall --pretty --null --null-data --text --byte-offset --help "
    "--unrestricted --version --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot "
    "--no-ignore-files --no-ignore-global --no-ignore-exclude --no-ignore-messages --no-require-git --no-messages "
    "--no-config --no-heading --heading --column --no-column --vimgrep --json --files --type-list --stats --passthru "
    "--crlf --trim --binary --no-follow --glob-case-insensitive --one-file-system --no-unicode --line-buffered "
    "--block-buffered --max-columns-preview --include-zero --auto-hybrid-regex --debug --no-mmap --mmap"
)
_SORT: Final = (
    "-k= -S= -t=* -b -d -f -g -h -i -M -n -R -r -V -c -C -m -s -u -z --key= --buffer-size= --field-separator=* "
    "--parallel= --batch-size= --sort= --random-source= --files0-from= --check? --ignore-leading-blanks "
    "--dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort "
    "--numeric-sort --random-sort --reverse --version-sort --merge --stable --unique --zero-terminated --debug --help "
    "--version"
)
_BAT: Final = (
    "-l= -H= -m= -r= -A -p -n -d -f -S -L -u -V -h --language= --highlight-line= --map-syntax= --line-range= --file-name= "
    "--diff-context= --tabs= --wrap= --terminal-width= --color= --italic-text= --decorations= --paging= --theme= --style= "
    "--ignored-suffix= --plain --number --show-all --diff --list-themes --list-languages --force-colorization "
    "--chop-long-lines --unbuffered --no-paging --version --help"
)
_TABLES: Final = {
    # `--cmd` and the like run what they are told; so might any option that is not here.
    "less": Options("-p= -P= -t= -T= -b= -h= -j= -x= -y= -z= -D= -# -a -A -B -c -C -e -E -f -F -g -G -i -I -J -K -L -m -M -n -N "
                    "-q -Q -r -R -s -S -u -U -V -w -W -X -~ -NUM --pattern= --quit-if-one-screen --quit-at-eof "
                    "--QUIT-AT-EOF --raw-control-chars --RAW-CONTROL-CHARS --chop-long-lines --LINE-NUMBERS "
                    "--line-numbers --no-init --ignore-case --IGNORE-CASE --squeeze-blank-lines --force --version --help "
                    "--no-lessopen --tabs= --window= --shift= --tilde --quiet --silent"),
    # Where it is `less` by another name, that one's options count, too.
    "more": Options("-d -l -f -p -c -s -u -e -n= -V -h -NUM --silent --logical --no-pause --print-over --clean-print --squeeze "
                    "--plain --lines= --exit-on-eof --version --help"),
    "pkg-config": Options("--cflags --libs --cflags-only-I --cflags-only-other --libs-only-l --libs-only-L --libs-only-other "
                          "--modversion --exists --list-all --list-package-names --version --static --print-errors "
                          "--silence-errors --short-errors --print-variables --print-requires --print-provides --variable=*"),
    "nc": Options("-z -v -n -4 -6 -u -w=", most=2, needs="-z"),
    "lspci": Options("-s= -d= -i= -p= -F= -m -t -v -k -x -b -D -P -n -G --version"),
    **dict.fromkeys(("rg", "ripgrep"), Options(_RG)),
    "ag": Options("-A= -B= -C= -G= -g= -m= -p= -W= -D -H -L -Q -R -S -U -V -a -c -f -h -i -l -n -o -r -s -t -u -v -w -z -0 "
                  "--after? --before? --context? --file-search-regex= --ignore= --ignore-dir= --depth= --max-count= "
                  "--width= --ackmate --all-text --all-types --column --count --color --nocolor --filename --nofilename "
                  "--heading --noheading --files-with-matches --files-without-matches --fixed-strings --literal --hidden "
                  "--ignore-case --case-sensitive --smart-case --invert-match --numbers --nonumbers --only-matching --stats "
                  "--search-binary --search-zip --unrestricted --vimgrep --word-regexp --follow --nofollow --group "
                  "--nogroup --recurse --norecurse --skip-vcs-ignores --null --one-device --list-file-types --help "
                  "--version --python --js --ts --html --css --go --rust --ruby --java --cc --cpp --md --markdown --json "
                  "--yaml --shell --php --sql --xml"),
    "ack": Options("-A? -B? -C? -m= -g -f -h -H -i -I -l -L -n -o -Q -r -R -s -S -v -w -x -1 -c -t= -T= -k "
                   "--after-context? --before-context? --context? --max-count= --type= --ignore-dir= --ignore-directory= "
                   "--ignore-file= --color --nocolor --column --count --files-with-matches --files-without-matches "
                   "--follow --nofollow --group --nogroup --heading --noheading --help --ignore-case --invert-match "
                   "--known-types --literal --no-recurse --recurse --noenv --print0 --show-types --smart-case --sort-files "
                   "--version --with-filename --no-filename --word-regexp --python --js --ts --html --css --go --rust "
                   "--ruby --java --cc --cpp --json --yaml --shell --php --sql --xml --perl"),
    **dict.fromkeys(("sort", "gsort"), Options(_SORT)),
    "uniq": Options("-f= -s= -w= -c -d -D -i -u -z -NUM --skip-fields= --skip-chars= --check-chars= --count --repeated "
                    "--all-repeated? --group? --ignore-case --unique --zero-terminated --help --version", most=1, in_order=True),
    "shuf": Options("-n= -i= -e -r -z --head-count= --input-range= --random-source= --echo --repeat --zero-terminated "
                    "--help --version"),
    "sdiff": Options("-w= -I= -a -b -B -d -E -H -i -l -s -t -W -Z -v --width= --ignore-matching-lines= --ignore-case "
                     "--ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space "
                     "--ignore-blank-lines --strip-trailing-cr --text --left-column --suppress-common-lines "
                     "--expand-tabs --minimal --help --version"),
    "diff3": Options("-L= -A -e -E -3 -x -X -a -m -T -i -v --label= --show-all --ed --show-overlap --easy-only "
                     "--overlap-only --text --merge --initial-tab --strip-trailing-cr --help --version"),
    **dict.fromkeys(("strings", "addr2line"), Options(takes_files=True)),
    "file": Options("-e= -f= -F= -m= -P= -b -c -d -E -h -i -I -k -l -L -n -N -p -r -s -S -v -z -Z -0 --exclude= "
                    "--files-from= --separator= --magic-file= --parameter= --brief --mime --mime-type --mime-encoding "
                    "--no-dereference --dereference --keep-going --list --no-buffer --no-pad --print0 --raw "
                    "--special-files --uncompress --extension --apple --version --help"),
    "ncdu": Options("-x -q -r -rr -0 -1 -2 -X= -h -v -V -L --exclude= --exclude-from= --one-file-system --cross-file-system "
                    "--follow-symlinks --help --version"),
    "xxd": Options("-c= -cols= -g= -l= -len= -o= -s=* -seek=* -n= -name= -R= -a -autoskip -b -bits -C "
                   "-capitalize -d -e -E -EBCDIC -h -help -i -include -p -ps -postscript -plain -r -revert -u -uppercase "
                   "-v -version", most=1, single_dash=True, in_order=True),
    "tree": Options("-L+ -P+ -I+ -H+ -T+ -a -d -l -f -x -q -N -Q -p -u -g -s -h -D -F -v -t -c -U -r -i -A -S -n -C -X -J "
                    "--filelimit= --charset= --timefmt= --sort= --gitfile= --infofile= --filesfrom --fromfile --matchdirs "
                    "--noreport --inodes --device --si --du --prune --dirsfirst --filesfirst --metafirst --ignore-case "
                    "--gitignore --info --nolinks --hintro= --houtro= --help --version"),
    "sar": Options("-f= -i= -s= -e= -P= -I= -n= -A -b -B -d -F -H -h -p -q -r -S -u -v -V -W -w -y -z -t -D --human --pretty "
                   "--help --iface= --dev= --fs= --dec="),
    "pidstat": Options("-p= -C= -G= -T= -d -H -h -I -l -R -r -s -t -u -V -v -w --human --dec="),
    "sensors": Options("-A -f -u -j -v -h --no-adapter --fahrenheit --bus-list --version --help -c= --config-file="),
    "arch": Options("--version --help", most=0),
    **dict.fromkeys(("whatis", "apropos"), Options(
        "-d -v -e -r -w -a -l -s= -m= -M= -L= -h -V --debug --verbose --exact --regex --wildcard --and --long --sections= "
        "--systems= --manpath= --locale= --help --usage --version")),
    "zstdcat": Options("-f -q -v -c -D= -M= -h -H -V --force --quiet --verbose --stdout --memory= --long? --no-check --no-progress "
                       "--version --help"),
    "lz4cat": Options("-f -q -v -c -d -m -h -V --force --quiet --verbose --stdout --multiple --version --help"),
    "readelf": Options(takes_files=True),
    "objdump": Options("-b= -j= -m= -M= -E= -P= -a -f -p -h -x -d -D -S -s -g -e -G -t -T -r -R -C? -F -l -w -z -i -v -V -H -L "
                       "-EB -EL --target= --section= --architecture= --disassembler-options= --start-address= "
                       "--stop-address= --prefix= --prefix-strip= --adjust-vma= --disassemble? --demangle? --source-comment? "
                       "--dwarf? --dwarf-depth= --dwarf-start= --disassembler-color= --visualize-jumps? --private= "
                       "--archive-headers --file-headers --private-headers --headers --section-headers --all-headers "
                       "--disassemble-all --source --full-contents --debugging --stabs --syms --dynamic-syms --reloc "
                       "--dynamic-reloc --line-numbers --wide --disassemble-zeroes --no-show-raw-insn --show-raw-insn "
                       "--prefix-addresses --inlines --info --version --help --no-addresses --special-syms", takes_files=True),
    "nm": Options("-t= -f= -X= -a -A -o -B -C? -D -g -h -j -l -n -v -V -p -P -r -S -s -u -U -W --radix= --format= --size-sort "
                  "--debug-syms --print-file-name --demangle? --dynamic --extern-only --line-numbers --numeric-sort --no-sort "
                  "--portability --reverse-sort --print-size --print-armap --undefined-only --defined-only --no-demangle "
                  "--just-symbols --no-weak --special-syms --synthetic --with-symbol-versions --without-symbol-versions "
                  "--no-recurse-limit --version --help", takes_files=True),
    "size": Options("-A -B -G -d -o -x -t -f -v -V --format= --radix= --common --totals --target= --help --version", takes_files=True),
    # `-n` and `-N` write a file of settings.
    "pmap": Options("-x -X -d -p -q -k -A= -V -h --extended --device --show-path --quiet --range= --version --help"),
    "lastlog": Options("-b= -t= -u= -h --before= --time= --user= --help"),
    "atop": Options("-r= -b= -e= -L= -a -A -C -M -D -N -n -g -m -d -s -v -c -u -p -y -1 -S -f -F -G -l -x -V", most=2, plain=True),
    "fuser": Options("-n= -a -i -I -l -m -s -u -v -V -4 -6 --namespace= --all --mount --verbose --user --list-signals "
                     "--silent --ipv4 --ipv6 --inode --ismountpoint --version --help"),
    "units": Options("-f= -o= -d= -m -q -s -t -v -c -e -1 -V -h --file= --output-format= --digits= --quiet --silent --strict "
                     "--terse --verbose --compact --exponential --one-line --minus --product --version --help --check"),
    **dict.fromkeys(("bat", "batcat"), Options(_BAT)),
    "fzf": Options("-f= -d= -n= -e -i -x --filter= --delimiter= --nth= --exact --no-sort"),
        "diffstat": Options("-p= -n= -w= -N= -D= -r= -s -m -l -C -c -k -q -t -u -f= -b -K -R -T -V", plain=True),
    "tldr": Options("-l -p= -L= -v -h --list --platform= --language= --version --help --search= -s=", plain=True),
    # `-D` makes a cache; a number behind some letters may be followed by more letters.
    "lsof": Options("-a -b -C -h -l -n -N -O -P -R -t -U -v -V -w -W -X -o -S -r -T -f -L -F -g -E -K -x -NUM -s? -i? -c= -d= -p= -u= -k= -m="),
    "cheat": Options("-l --list -s= --search= -p= --path= -t= --tag= -d --directories -v --version", plain=True),
    "scc": Options("-c -d -f= -i= -l -n= -p -s= -v -w -x= -M= -z --by-file --ci --no-cocomo --no-complexity --no-duplicates "
                   "--no-gitignore --no-ignore --no-gen --no-min --no-size --exclude-dir= --include-ext= --exclude-ext= "
                   "--format= --sort= --not-match= --languages --wide --verbose --uloc --min --gen --version --help", takes_files=True),
    "flake8": Options("-v -q -j= -h --verbose --quiet --count --exclude= --extend-exclude= --filename= --format= "
                      "--hang-closing --ignore= --extend-ignore= --per-file-ignores= --max-line-length= --max-doc-length= "
                      "--indent-size= --select= --extend-select= --disable-noqa --show-source --no-show-source "
                      "--statistics --exit-zero --jobs= --max-complexity= --doctests --color= --builtins= --isolated "
                      "--stdin-display-name= --version --help"),
    "glow": Options("-w= -s= -a -l -n -v -h --width= --style= --all --local --version --help"),
    "identify": Options("-verbose -format=* -ping", single_dash=True),
    "ffprobe": Options("-v= -loglevel= -show_entries= -select_streams= -print_format= -of= -i= -show_format -show_streams "
                       "-hide_banner -pretty -show_chapters -show_packets -show_frames", single_dash=True),
}  # fmt: skip

_MAN: Final = Options(
    "-s= -S= -L= -m= -M= -R= -E= -e= -f -k -K -w -W -a -d -D -h -i -I -l -V -7 --sections= --locale= --systems= "
    "--manpath= --encoding= --extension= --whatis --apropos --global-apropos --where --path --location --where-cat "
    "--all --regex --wildcard --names-only --match-case --ignore-case --local-file --no-subpages --no-hyphenation "
    "--no-justification --nh --nj --ascii --debug --warnings? --help --usage --version --default",
    plain=True,
)
_CLOC: Final = Options(
    "--json --csv --yaml --quiet --by-file --md --hide-rate --vcs= --exclude-dir= --include-lang= "
    "--exclude-lang= --version"
)


def _table(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(name, words, _TABLES[name])
    if any(value.text != "never" for value in given.values("--paging")):
        raise Writes("bat opens a pager", words[0].at)
    if name == "ffprobe":
        for word in (*given.operands, *given.values("-i")):
            if not (_PLACE.fullmatch(word.text) or word.own):
                raise Writes("ffprobe may connect: put ./ before a file", word.at)
    if name == "identify" and not all(_IMAGE.fullmatch(word.text) for word in given.operands):
        raise Writes("identify may run or delete what it is given", words[0].at)
    if name in ("less", "more") and any(
        word.text[:1] == "+" and not _is_place(word.text[1:]) for word in words
    ):
        raise Writes(f"{name} does what it is told to", head.at)
    if name in ("less", "more") and any("+" in value.text for value in _within(given)):
        raise Writes(
            f"a + within an option of {name}, behind which it does what it is told to", head.at
        )
    if name in ("less", "more") and any(
        value is not None and re.search(r"\$.|\0", value.text) for _, value, _ in given.options
    ):
        raise Writes(
            "a value of less that may end, behind which it does what it is told to", head.at
        )
    if name == "glow" and any(not re.search(r"[./]|^-$", word.text) for word in given.operands):
        raise Writes("glow does what it is told to", head.at)
    if name in ("less", "more") and any(_keeps(word.text) for word in words):
        raise Writes("less may keep what it shows in a file", head.at)
    if name in ("bat", "batcat") and words[:1] and words[0].text in ("cache", "\0"):
        raise Writes("bat changes its cache", head.at)


_PLACE: Final = re.compile(
    r"(?!.*\.m3u8?$)(?:[~./][^\0]*|[^\0:,]+|https?://[\w.-]+(?::[0-9]+)?/[^?\0]*)"
)
"""A file, or an address of the web, that ffprobe reads, and neither listens at nor goes on from."""
_IMAGE: Final = re.compile(
    r"[\w./*?-][\w./ *?+,=()-]*\.(?:png|jpe?g|gif|webp|bmp|tiff?|ico|heic|avif)", re.I
)
"""Names of which ImageMagick does not take the file for a script of its own."""


def _keeps(text: str) -> bool:
    """Whether an option of `less` may hold another one, behind a number or a `$`, in any case."""
    if text.startswith("--"):
        return any(one.startswith(text[2:].partition("=")[0].lower()) for one in _KEEPING)
    return text.startswith("-") and not set("oOk").isdisjoint(text)


_KEEPING: Final = ("log-file", "lesskey-file", "lesskey-src", "lesskey-content")


def _is_place(text: str) -> bool:
    """Whether a `+` command of `less` only moves to a place in the file."""
    return text in ("F", "G", "g") or text.isdigit() or text[:1] == "/" and text.isprintable()


def _within(given: Given) -> Iterator[Word]:
    """Yield the words of options, and their values."""
    for _, value, word in given.options:
        yield word
        if value is not None:
            yield value


def _shows_screen(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Refuse keys from a pipe, by which what fills the screen ends processes, or deletes."""
    batch = _BATCH.get(name)
    if batch and any(re.fullmatch(batch, word.text) for word in words[:1]):
        return
    if analysis.is_told(head):
        raise Writes(f"{name} does what its keys say", head.at)
    if name in _TABLES:
        _table(analysis, name, words, head)


_BATCH: Final = {"top": r"-[HScis1]*b[n0-9]*|-l[0-9]*", "iotop": r"-[oPakqt]*b[n0-9]*|--batch"}


def _tee(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check the operands of `tee`, which it writes to."""
    for word in words:
        if word.text not in ("-a", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/63"):
            raise Writes("tee writes to a file", word.at)


def _cloc(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check the value of `--vcs`, which is a command that lists files, unless it names one of these."""
    given = options.check(name, words, _CLOC)
    for value in given.values("--vcs"):
        if value.text not in ("git", "svn", "auto"):
            raise Writes("cloc runs a command", value.at)
    for word in given.operands:
        if not _COUNTED.fullmatch(word.text):
            raise Writes("cloc unpacks what may be an archive", word.at)
    for value in given.values("--vcs"):
        if any(word.text != "." for word in given.operands):
            raise Writes("cloc runs git in a folder that is not looked into", value.at)


_COUNTED: Final = re.compile(
    r"\.{0,2}/?|(?:[\w./ @+-]*/)?(?:[\w@+ -]+|\.[\w-]+|[\w.@+-]+\.(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|vue|svelte|css|scss|html|go|rs|c|h|cc|cpp|"
    r"hpp|java|kt|rb|php|sh|sql|md|json|ya?ml|toml|xml|cs|swift|scala|lua|pl|ex|exs|hs|tf))/?"
)
"""Folders and files of source, none of which cloc takes for an archive."""


def _man(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check the options of `man`, which runs its pager."""
    first = [word.text for word in words[:2]]
    rest = words[2:] if first == ["-P", "cat"] else words
    options.check(name, [word for word in rest if word.text != "--pager=cat"], _MAN)


def _ts(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Allow `ts` with formats only, since another program of that name runs its arguments."""
    for word in words:
        if not re.fullmatch(r"-[rims]+|[^\0-]*%[^\0]*", word.text):
            raise Writes("ts may run a command", word.at)


def _harmless(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    pass


def _grep(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    options.see_known(name, words, _GREP)


def _ldd(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check the operands of `ldd`, which may run a program to ask what it needs."""
    for word in words:
        if (
            not re.fullmatch(r"/(?:usr|bin|lib\w*)/[\w./+-]*|--?[druv]+|--version", word.text)
            or ".." in word.text
        ):
            raise Writes("ldd may run a program that is not the system's", word.at)


CHECKS: Final[dict[str, Check]] = {
    **dict.fromkeys(_HARMLESS, _harmless),
    **dict.fromkeys(
        named("grep egrep fgrep ggrep zgrep zegrep zfgrep bzgrep xzgrep zstdgrep"), _grep
    ),
    **dict.fromkeys(_TABLES, _table),
    **dict.fromkeys(("top", "htop", "iotop", "atop", "ncdu"), _shows_screen),
    "cloc": _cloc,
    "ldd": _ldd,
    "man": _man,
    "tee": _tee,
    "ts": _ts,
}
