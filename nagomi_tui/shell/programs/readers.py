"""Programs that only read, except with some of their options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from nagomi_tui.shell import options
from nagomi_tui.shell.options import Analyser, Check, Given, Options
from nagomi_tui.shell.words import Word, Writes, named

_HARMLESS: Final = """
logname whoami: -[h]
cat gcat: -[AbeEnstTuvl] --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting
head ghead: -[qvz] -[nc]= --bytes= --lines= --quiet --silent --verbose --zero-terminated
tail gtail: -[fFqrvz] -[bncs]= --bytes= --lines= --follow? --pid= --sleep-interval= --max-unchanged-stats= --retry --quiet --silent --verbose
  --zero-terminated
wc gwc: -[clmwL] --bytes --chars --lines --words --max-line-length --files0-from= --total=
nl: -[p] -[bdfhilnsvw]= --body-numbering= --footer-numbering= --header-numbering= --join-blank-lines= --line-increment= --no-renumber --number-format=
  --number-separator= --number-width= --section-delimiter= --starting-line-number=
tac: -[br] -s= --before --regex --separator=
rev: -[0Vh] --zero
zcat gzcat: -[cdfhklLnNqrtvV] -S= --stdout --to-stdout --decompress --force --list --quiet --recursive --suffix= --synchronous --test --verbose
bzcat xzcat: -[cdfhHklqstvVL] -T= --stdout --to-stdout --decompress --uncompress --force --keep --list --quiet --small --test --verbose --threads=
  --no-warn --robot --memlimit= --single-stream
cut gcut: -[nswz] -[bcdf]= --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated
paste: -[sz] -d= --delimiters= --serial --zero-terminated
join: -[iz] -[12aejotv]= --ignore-case --check-order --nocheck-order --header --zero-terminated
comm: -[123iz] --check-order --nocheck-order --output-delimiter= --total --zero-terminated
column: -[tnxeLJdmSK] -[csoNlHEORWTrip]= --table --separator= --output-separator= --output-width= --table-columns= --table-columns-limit=
  --table-name= --table-order= --table-hide= --table-noextreme= --table-right= --table-truncate= --table-wrap= --table-empty-lines
  --table-header-repeat --table-noheadings --table-column= --keep-empty-lines --fillrows --json --tree= --tree-id= --tree-parent=
tr gtr: -[cCdsut] --complement --delete --squeeze-repeats --truncate-set1
expand unexpand: -[ai] -t= --all --first-only --initial --tabs=
fold: -[bs] -w= --bytes --spaces --width= --characters
fmt: -[cmnstu] -[wgplTd]= --crown-margin --goal= --prefix= --split-only --tagged-paragraph --uniform-spacing --width=
pr: -[abcdeFfiJmnrstvTp] -[DhLlNoWw]= -S? --across --columns= --date-format= --double-space --expand-tabs? --first-line-number= --form-feed --header=
  --indent= --join-lines --length= --merge --no-file-warnings --number-lines? --omit-header --omit-pagination --output-tabs? --page-width= --pages=
  --sep-string? --separator? --show-control-chars --show-nonprinting --width=
tsort: -[dlqw]
diff colordiff: -[abBcdeEilnNpqrstTuvwyZPHfjh] -[CDFILSUWXx]= --brief --color? --palette= --context? --unified? --ed --exclude-from= --exclude=
  --expand-tabs --from-file= --to-file= --horizon-lines= --ifdef= --ignore-all-space --ignore-blank-lines --ignore-case --ignore-file-name-case
  --no-ignore-file-name-case --ignore-matching-lines= --ignore-space-change --ignore-tab-expansion --ignore-trailing-space --initial-tab --label=
  --left-column --line-format= --old-line-format= --new-line-format= --unchanged-line-format= --old-group-format= --new-group-format=
  --changed-group-format= --unchanged-group-format= --minimal --new-file --unidirectional-new-file --no-dereference --normal --rcs --recursive
  --report-identical-files --show-c-function --show-function-line= --side-by-side --speed-large-files --starting-file= --strip-trailing-cr
  --suppress-blank-empty --suppress-common-lines --tabsize= --text --width= --difftype= --fakeexitcode
cmp: -[bhlsvxz] -[in]= --bytes= --ignore-initial= --print-bytes --quiet --silent --verbose
md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum: -[bctwzq] -l= --binary --check --ignore-missing --quiet --status --strict --tag --text
  --warn --zero --length=
shasum: -[0bchqstUvw] -a= --01 --UNIVERSAL --algorithm= --binary --check --ignore-missing --quiet --status --strict --tag --text --warn
md5: -[pqrtx] -[cs]=
cksum sum: -[crswz] -[alo]= --algorithm= --base64 --raw --check --debug --ignore-missing --length= --quiet --status --strict --tag --untagged --sysv
  --warn --zero
od: -[abcdfilosxveBDFHILOXh] -[AjNSt]= -w? --address-radix= --endian= --format= --output-duplicates --read-bytes= --skip-bytes= --strings? --traditional
  --width?
hexdump hd: -[bcCdhovVxX] -[efns]= -L? --canonical --color? --format= --format-file= --length= --skip= --no-squeezing --one-byte-char --one-byte-octal
  --two-bytes-decimal --two-bytes-hex --two-bytes-octal --one-byte-hex
ls dir vdir gls: -[1aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ@eOWPy%,] -[IwT]= --all --almost-all --author --block-size= --classify? --color? --colour?
  --context --dereference --dereference-command-line --dereference-command-line-symlink-to-dir --directory --dired --escape --file-type --format=
  --full-time --group-directories-first --hide-control-chars --hide= --human-readable --hyperlink? --ignore-backups --ignore= --indicator-style=
  --inode --kibibytes --literal --no-group --numeric-uid-gid --quote-name --quoting-style= --recursive --reverse --show-control-chars --si --size
  --sort= --tabsize= --time-style= --time= --width= --zero
pwd: -[LP] --logical --physical
which: -[as] --all --skip-alias --skip-dot --skip-functions --skip-tilde --show-dot --show-tilde --tty-only
whereis: -[abBflmMsSugqhVx]
basename: -[az] -s= --multiple --suffix= --zero
dirname: -[z] --zero
readlink greadlink: -[efmnqsvzl] --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero
realpath grealpath: -[eELmPqsz] --canonicalize --canonicalize-existing --canonicalize-missing --logical --physical --no-symlinks --strip --quiet
  --relative-base= --relative-to= --zero
stat gstat: -[fFlLnqrstx] -c= --cached= --dereference --file-system --format= --printf= --terse
id groups users: -[AFGgMnPpruzZach] --context --group --groups --name --real --user --zero
who: -[abdHlmMpqrsStTuw] --all --boot --count --dead --heading --ips --login --lookup --mesg --message --process --runlevel --short --time --users
  --writable
w: -[fhinosuVcSdpt] --from --no-header --no-current --short --ip-addr --old-style --pids --container
last: -[adFhiRwxVy] -[fnstp]= --dns --file= --fullnames --fulltimes --hostlast --ip --limit= --nohostname --present= --since= --until= --system
  --time-format=
uname: -[aimnoprsvKU] --all --hardware-platform --kernel-name --kernel-release --kernel-version --machine --nodename --operating-system --processor
lsb_release: -[acdhirsv] --all --codename --description --id --release --short
cal ncal: -[13bCejJhMNopSwyYv] -[ABdHmns]= --one --three --sunday --monday --year --week? --months= --color? --julian
uptime: -[psVhrc] --pretty --since --raw --container
df: -[abcghHiIklmnPTvY] -[Btx]= --all --block-size= --exclude-type= --human-readable --inodes --local --no-sync --output? --portability --print-type
  --si --sync --total --type=
du: -[0abcDghHklLmPrsSxAn] -[BdtXI]= --all --apparent-size --block-size= --bytes --count-links --dereference --dereference-args --exclude-from=
  --exclude= --files0-from= --human-readable --inodes --max-depth= --no-dereference --null --one-file-system --separate-dirs --si --summarize
  --threshold= --time-style= --time? --total
free: -[bghklmLtvwV] -[cs]= --bytes --committed --count= --seconds= --kilo --mega --giga --tera --peta --kibi --mebi --gibi --tebi --pebi --human --si
  --lohi --line --total --wide
vmstat: -[aAdDfhimnPstwyVz] -[pScF]= --active --disk --disk-sum --forks --slabs --stats --one-header --no-first --partition= --timestamp --unit=
  --wide
iostat mpstat: -[AcdhHkmnNstuUVxyzIT] -[fgjopPw]= --compact --dec= --human --pretty
nproc: --all --ignore=
lscpu: -[aBbchJxyV] -[ep]? -s= --all --bytes --caches? --extended? --parse? --hex --json --offline --online --output-all --physical --raw --sysroot=
lsblk: -[aAbdDfhiJlmMnNOPprsStvVyz] -[EeIowxQ]= -T? --all --ascii --bytes --dedup= --discard --exclude= --fs --include= --inverse --json --list --merge
  --nodeps --noempty --noheadings --nvme --output= --output-all --pairs --paths --perms --raw --scsi --shell --sort= --sysroot= --topology --tree?
  --virtio --width= --zoned
lsusb: -[tvV] -[dDs]= --verbose --tree
lsmod: -[v] --verbose
lsns: -[JlnPruWhV] -[opt]= -T? --json --list --noheadings --notruncate --nowrap --output= --output-all --persistent --raw --task= --tree? --type=
lsmem: -[abhJnPrV] -[oSs]= --all --bytes --json --noheadings --output= --output-all --pairs --raw --split= --summary? --sysroot=
modinfo: -[0adlnphVm] -[Fbk]= --author --description --license --parameters --filename --field= --null --modname --basedir= --set-version=
ps: -[aAcdefFgHjlLmMNPrSTvVwxyXZEhJ] -[CGgkoOpqstuUDnz]= --cols= --columns= --context --cumulative --deselect --forest --format= --group= --Group=
  --headers --html --info --lines= --no-headers --noheading --pid= --ppid= --quick-pid= --rows= --sid= --signames --sort= --tty= --user= --User=
  --width=
pgrep: -[aAcfilnoqvwxIjHL] -[dFgGNOPrstuU]= --cgroup= --count --delimiter= --env= --euid= --exact --full --group= --ignore-ancestors --ignore-case
  --inverse --lightweight --list-full --list-name --logpidfile --newest --ns= --nslist= --older= --oldest --parent= --pgroup= --pidfile= --runstates=
  --session= --shell-quote --terminal= --uid=
pidof: -[cnqstwxzhV] -[doS]= --single-shot --check-root --quiet --omit-pid= --separator= --with-workers --lightweight
pstree: -[aAcghGlnpsStTuUVZw] -[CHNfd]= --arguments --ascii --color= --compact-not --hide-threads --highlight-all --highlight-pid= --long --ns-changes
  --ns-sort= --numeric-sort --security-context --show-parents --show-pgids --show-pids --thread-names --uid-changes --unicode --vt100
netstat: -[46acCefFghilLmMnNoprRsStTuUvVwWxZb] -[AIP]= --all --cache --context --continuous --extend --fib --groups --interfaces --listening
  --masquerade --numeric --numeric-hosts --numeric-ports --numeric-users --programs --raw --route --sctp --statistics --symbolic --tcp --timers --udp
  --udplite --unix --verbose --wide --inet --inet6
nslookup: -type= -query= -querytype= -q= -ty= -t= -class= -port= -timeout= -retry= -domain= -debug -nodebug -d2 -vc -novc -recurse -norecurse -search
  -nosearch -version -all -[v]
dig: -[46himrvu] -[bcfkpqtxy]=
host: -[46aACdilrsTUvVw] -[cDmNpRtW]=
ping ping6: -[346aAbBdDhHLnOqrRUvVoZ] -[cCeFgGiIlmMNpPQsStTwWkKyz]=
traceroute tracepath: -[46deFhInrSTUvVbxDE] -[AafgilmMNOpPqstwz]= --icmp --tcp --udp --max-hops= --queries= --wait= --first= --port= --as-path-lookups
mtr: -[46bCejlnrtTuwxzhv] -[aBcfFGiILmoMPQsSyUZ]= --report --report-wide --report-cycles= --no-dns --show-ips --aslookup --interval= --tcp --udp
  --sctp --port= --json --xml --csv --raw --split --order= --max-ttl= --first-ttl= --max-unknown= --psize= --bitpattern= --gracetime= --timeout=
  --address= --interface= --mpls --ipinfo= --displaymode=
printenv: -[0] --null
factor crc32 sleep pyflakes: -[h] --exponents
seq: -[wh] -[fst]= --equal-width --format= --separator= --terminator=
jot: -[cnr] -[bpsw]=
bc: -[hilqsvwcVCgGLrRP] -[eEISfAO]= --interactive --mathlib --quiet --standard --warn --expression= --file= --scale= --digit-clamp --no-digit-clamp
  --global-stacks --no-line-length --no-prompt --no-read-prompt --leading-zeroes
eza exa lsd: -[1aAbBdDfFgGhHiklmMnNoOrRSTUuvxXyZ@] -[ILstwzW]= --all --almost-all --long --grid --tree --recurse --oneline --across --classify?
  --level= --depth= --git --git-ignore --git-repos --git-repos-no-status --no-git --icons? --icon= --icon-theme= --color? --colour? --color-scale?
  --colour-scale? --color-scale-mode= --width= --list-dirs --treat-dirs-as-files --only-dirs --only-files --show-symlinks --no-symlinks --ignore-glob=
  --group-directories-first --group-directories-last --group-dirs= --sort= --timesort --sizesort --extensionsort --gitsort --versionsort --no-sort
  --reverse --binary --bytes --header --links --inode --modified --created --accessed --changed --blocks? --blocksize --group --smart-group --numeric
  --mounts --time= --time-style= --date= --total-size --permission= --size= --extended --octal-permissions --no-permissions --no-filesize --no-user
  --no-time --no-quotes --stdin --dereference --hyperlink? --absolute? --follow-symlinks --flags --context --literal --classic --no-symlink
  --human-readable --directory-only --recursive --ignore-config
numfmt: -[Mz] -[d]= --debug --delimiter= --field= --format= --from= --from-unit= --grouping --header? --invalid= --padding= --round= --suffix= --to=
  --to-unit= --unit-separator= --zero-terminated
getent: -[iA] -s= --service= --no-idn --no-addrconfig
getconf: -[a] -v=
locale: -[ackmv] --all-locales --charmaps --category-name --keyword-name --verbose
locate: -[0AbceHhiLNPpqrSVwxmst] -[dnl]= --all --basename --count --database= --existing --follow --nofollow --ignore-case --ignore-spaces --limit=
  --max-database-age= --null --quiet --regex --regexp --regextype= --statistics --wholename --print --literal
tty: -[s] --silent --quiet
findmnt: -[AabcCDefhiJkKlmnPrRsuvVxyIU] -[dFMNoOQSTtw]= --all --ascii --bytes --canonicalize --deleted --df --direction= --dfs --evaluate --filter=
  --first-only --fstab --hyperlink? --invert --json --kernel? --list --mountpoint= --mtab --nocanonicalize --nofsroot --noheadings --notruncate
  --options= --output= --output-all --pairs --pseudo --raw --real --shadowed --shell --source= --submounts --tab-file= --target= --task= --tree
  --types= --uniq --vfs-all --verbose --verify
getfacl: -[acdeEhLnpPRstvq] --access --default --omit-header --all-effective --no-effective --skip-base --recursive --logical --physical --tabular
  --numeric --one-file-system --absolute-names
getfattr: -[dhLPR] -[enm]= --dump --encoding= --match= --name= --no-dereference --only-values --logical --physical --recursive --absolute-names
lsattr: -[adlpRvV]
getcap: -[hlnrv]
basenc: -[dDi] -w= --base16 --base2lsbf --base2msbf --base32 --base32hex --base64 --base64url --base58 --decode --ignore-garbage --wrap= --z85
col: -[bfhpxHV] -l= --fine --lines= --no-backspaces --pass --spaces --tabs
pathchk: -[pP] --portability
tput: -[SVx] -T=
shellcheck: -[axV] -[CefiosPSW]= --check-sourced --color? --include= --exclude= --extended-analysis= --external-sources --format= --list-optional
  --norc --rcfile= --severity= --shell= --source-path= --enable= --wiki-link-count=
hadolint: -[Vhv] -[cft]= --config= --file-path-in-report= --no-fail --no-color --verbose --format= --error= --warning= --info= --style= --ignore=
  --trusted-registry= --require-label= --strict-labels --disable-ignore-pragma --failure-threshold=
yamllint: -[hsv] -[cdf]= --config-file= --config-data= --list-files --format= --strict --no-warnings
tokei: -[CfhlVv] -[ceionst]= --columns= --compact --exclude= --files --hidden --input= --languages --no-ignore --no-ignore-dot --no-ignore-parent
  --no-ignore-vcs --num-format= --output= --sort= --rsort= --streaming= --types= --type= --verbose
difft: -[hV] --background= --byte-limit= --check-only --color= --context= --display= --exit-code --graph-limit= --ignore-comments --language=
  --list-languages --missing-as-empty --override= --parse-error-limit= --skip-unchanged --sort-paths --strip-cr= --syntax-highlight= --tab-width=
  --width=
namei: -[hlmnovxVZ] --context --long --modes --mountpoints --nosymlinks --owners --vertical
acpi: -[abBcfhikpstvV] --battery --ac-adapter --thermal --cooling --everything --show-empty --fahrenheit --kelvin --details
xdpyinfo: -display= -queryExtensions -ext= -version -help
fc-list fc-match: -[abhqsvV] -f= --all --brief --format= --quiet --sort --verbose
infocmp toe: -[01aCcdDEFGgIiKLlnpqrstTUuVWxh] -[ABRSvwefQm]=
lslocks: -[bhHinruJV] -[opy]= --bytes --json --noheadings --noinaccessible --notruncate --output= --output-all --pid= --raw
lsipc ipcs: -[abceghJlmnpPqrsStuVyQ] -[iNo]= --all --bytes --creator --export --global --human --id= --json --limits --list --newline --name=
  --noheadings --notruncate --numeric-perms --output= --pid --posix-mqueues --posix-semaphores --posix-shmems --queues --raw --semaphores --shell
  --shmems --summary --time --time-format=
look: -[adfhV] -t= --alphanum --alternative --ignore-case --terminate=
ul: -[ih] -[tT]= --indicated --terminal=
c++filt: -[hinprtvR_] -s= --format= --no-params --no-recurse-limit --no-strip-underscore --no-verbose --recurse-limit --strip-underscore --types
grep egrep fgrep ggrep zgrep zegrep zfgrep bzgrep xzgrep zstdgrep: -[EFGPiywxzsvVbnHhoqaIrRLlcUuTZSpOJM] -[efmABCdD]=   --regexp= --file= --max-count=
  --after-context= --before-context= --context= --directories= --devices= --label= --binary-files=   --include= --exclude= --exclude-from=
  --exclude-dir= --include-dir= --group-separator= --extended-regexp --fixed-strings   --basic-regexp --perl-regexp --ignore-case --no-ignore-case
  --word-regexp --line-regexp --null-data --no-messages --invert-match   --byte-offset --line-number --line-buffered --with-filename --no-filename
  --only-matching --quiet --silent --text   --recursive --dereference-recursive --files-without-match --files-with-matches --count --initial-tab
  --null --no-group-separator   --color --colour --binary --unix-byte-offsets --decompress
"""
"""Programs that only read with each option of their own, and those options.

Others of their name may have more: a ugrep that stands in for `grep` runs programs and writes files,
and a `base32` of BSD writes one by `-o`.
"""
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
    **dict.fromkeys(("zdiff", "zcmp"), Options("-[abBcdeEilnNpqrstTuvwyZ] -[CDFILSUWXx]= --brief --help --version", plain=True)),
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
    "strings": Options("-[adfovVwhG] -[nteTsUF]= -NUM --all --data --print-file-name --bytes= --radix= --include-all-whitespace --encoding= "
                       "--target= --output-separator= --unicode= --version --help", takes_files=True),
    "addr2line": Options("-[aifpsrRvVhH] -[bej]= -C? --addresses --target= --exe= --inlines --section= --pretty-print --basenames --functions "
                         "--demangle? --recurse-limit --no-recurse-limit --version --help", takes_files=True),
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
    "readelf": Options("-[aehlSgtsnrudVAcDXIWTPLzvH] -[pxRUj]= -C? -w? --all --file-header --program-headers --segments --section-headers --sections "
                       "--section-groups --section-details --headers --syms --symbols --dyn-syms --lto-syms --extra-sym-info --sym-base? --notes "
                       "--relocs --unwind --dynamic --version-info --arch-specific --archive-index --use-dynamic --histogram --wide "
                       "--silent-truncation --string-dump= --hex-dump= --relocated-dump= --decompress --debug-dump? --dwarf-depth= --dwarf-start= "
                       "--demangle? --no-demangle --unicode= --version --help", takes_files=True),
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
    "pdfinfo": Options("-f= -l= -enc= -opw= -upw= -box -meta -js -struct -struct-text -url -isodates -rawdates -dests -v -h -help", single_dash=True, most=1),
    # Without the last operand it writes beside what it reads.
    "pdftotext": Options("-f= -l= -r= -x= -y= -W= -H= -fixed= -colspacing= -enc= -eol= -opw= -upw= -layout -raw -nodiag -htmlmeta -bbox "
                         "-bbox-layout -tsv -cropbox -nopgbrk -q -v -h -help", single_dash=True, most=2),
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
    if (
        name == "pdftotext"
        and [word.text for word in given.operands[1:]] != ["-"]
        and not given.has("-v", "-h", "-help")
    ):
        raise Writes("pdftotext writes a file", head.at)
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


def _says(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Allow all words of a program to which each is a text."""


_KNOWN: Final = options.rows(_HARMLESS)


def _harmless(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    options.see_known(name, words, options.arities(f"{_KNOWN[name]} --help --version"))


def _ldd(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check the operands of `ldd`, which may run a program to ask what it needs."""
    for word in words:
        if (
            not re.fullmatch(r"/(?:usr|bin|lib\w*)/[\w./+-]*|--?[druv]+|--version", word.text)
            or ".." in word.text
        ):
            raise Writes("ldd may run a program that is not the system's", word.at)


CHECKS: Final[dict[str, Check]] = {
    **dict.fromkeys(named("echo yes true false expr"), _says),
    **dict.fromkeys(_KNOWN, _harmless),
    **dict.fromkeys(_TABLES, _table),
    **dict.fromkeys(("top", "htop", "iotop", "atop", "ncdu"), _shows_screen),
    "cloc": _cloc,
    "ldd": _ldd,
    "man": _man,
    "tee": _tee,
    "ts": _ts,
}
