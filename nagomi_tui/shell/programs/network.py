"""Programs that query other machines, and programs for keys and certificates."""

from __future__ import annotations

import re
from typing import Final

from nagomi_tui.shell import options
from nagomi_tui.shell.options import Analyser, Check, Options
from nagomi_tui.shell.words import Word, Writes

_CURL: Final = Options(
    "-s -S -f -L -k -I -i -v -H= -A= -m= -w=* -e= -4 -6 -g -N -X= -o= -u= -x= -r=* -b= -D= -G -# -0 -1 -2 -y= -Y= -z=* "
    "--silent --show-error --fail --fail-with-body --location --insecure --head --include --verbose --header= "
    "--user-agent= --max-time= --write-out=* --referer= --ipv4 --ipv6 --globoff --no-buffer --request= --output= "
    "--user= --proxy= --range=* --cookie= --connect-timeout= --compressed --retry= --retry-delay= --retry-max-time= "
    "--retry-all-errors --url= --resolve= --http1.1 --http2 --http3 --max-redirs= --no-progress-meter "
    "--progress-bar --interface= --cacert= --tlsv1.2 --tlsv1.3 --get --dump-header= --version -V "
    "--path-as-is --location-trusted --no-keepalive --anyauth --basic -d= --data= --data-raw= --data-urlencode= "
    "--unix-socket= --max-filesize= --no-sessionid --ssl-reqd --retry-connrefused"
)  # fmt: skip
_HEADERS: Final = frozenset(
    {"-H", "--header", "-A", "--user-agent", "-e", "--referer", "-b", "--cookie", "-r", "--range"}
)
HEADER: Final = re.compile(
    r"(?:accept(?:-[a-z]+)?|(?:proxy-)?authorization|user-agent|content-type|host|origin|referer|cookie|range|if-[a-z-]+|from|date|via"
    r"|cache-control|pragma|connection|dnt|te|forwarded|prefer|priority|sec-[a-z-]+|traceparent|tracestate|baggage|api-?key"
    r"|(?:private|job|deploy)-token|notion-version|anthropic-[a-z-]+|openai-[a-z]+|x-(?:[a-z]+-)*(?:id|ids|version|token|key|for|host|proto"
    r"|port|ip|date|sha256|org|organization|tenant|user|client|lang|locale|timezone|debug|test|source|with|agent|prefix|name|auth)) *[:;]",
    re.IGNORECASE,
)
"""Headers that say who asks, and in what form; others may change what is asked, as those that name a method do."""
_NOWHERE: Final = frozenset({"/dev/null", "-", "/dev/stdout", "/dev/stderr"})
_ADDRESS: Final = re.compile(
    r"(?:https?://)?[^:/@\0-]*(?:@[^:/\0]*)?(?::[0-9\1]+)?(?:[/?#].*)?", re.IGNORECASE | re.DOTALL
)


def _curl(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(name, words, _CURL)
    data = given.values("-d", "--data", "--data-raw", "--data-urlencode")
    if data and not given.has("-G", "--get"):
        raise Writes("curl posts its data", head.at)
    if any(
        "@" in value.text.partition("=")[0] or "\0" in value.text[:1] and not value.own
        for value in data
    ):
        raise Writes("curl sends what a file holds", head.at)
    for option, value, word in given.options:
        text = value.text if value is not None else ""
        if value is not None and value.splits and not value.known:
            raise Writes("an option of curl that is not known", word.at)
        if "\r" in text or "\n" in text:
            raise Writes("a line end, behind which curl sends what it is told", word.at)
        if option in ("-o", "--output", "-D", "--dump-header") and text not in _NOWHERE:
            raise Writes("curl writes to a file", word.at)
        if option in ("-X", "--request") and text.upper() not in ("GET", "HEAD", "OPTIONS"):
            raise Writes("curl asks for more than to read", word.at)
        if option in ("-w", "--write-out") and (
            "%output" in text or "\0" in text or text.startswith("@")
        ):
            raise Writes("curl writes to a file", word.at)
        if option in ("-H", "--header") and not HEADER.match(text):
            raise Writes("a header that is not known to leave what is asked alone", word.at)
        if option in _HEADERS and value is not None and "\0" in text and not value.own:
            # Its text may hold line ends, behind which another request stands.
            raise Writes("a header whose text is not known", word.at)
    addresses = [value for option, value, _ in given.options if option == "--url"]
    for address in [*given.operands, *addresses]:
        if address is not None and (not _is_web(address) or re.search(r"[\r\n]", address.text)):
            raise Writes("an address that is not of the web", address.at)


def _is_web(address: Word) -> bool:
    text = address.text
    scheme, sign, _ = text.partition("://")
    if sign:
        return scheme.lower() in ("http", "https")
    return bool(re.match(r"[A-Za-z0-9.-]+(?:[:/?]|$)", text)) and not text.lower().startswith(
        ("ftp.", "dict.", "ldap.", "imap.", "smtp.", "pop3.")
    )


_X509: Final = (
    "-in= -inform= -text -noout -subject -issuer -dates -startdate -enddate -fingerprint -serial -sha256 -sha1 "
    "-ext= -checkend= -pubkey -modulus -nameopt= -purpose -hash -email -ocsp_uri -subject_hash -pubin -check"
)
_OPENSSL: Final = {
    "version": Options("-a -v -b -o -f -p -d -e -m -r -c", single_dash=True),
    "ciphers": Options("-v -V -s -stdname -tls1_2 -tls1_3", single_dash=True),
    "x509": Options(_X509, single_dash=True, most=0),
    "req": Options(_X509 + " -verify", single_dash=True, most=0),
    "pkey": Options("-in= -inform= -noout -text -pubin -check -text_pub", single_dash=True),
    "rsa": Options("-in= -inform= -noout -text -pubin -check -modulus", single_dash=True),
    "verify": Options("-CAfile= -untrusted= -CApath= -verbose -show_chain", single_dash=True),
    "dgst": Options("-sha256 -sha1 -md5 -sha512 -sha384 -hex -r -binary", single_dash=True),
    "s_client": Options("-connect= -servername= -showcerts -brief -tls1_2 -tls1_3 -CAfile= -alpn= -starttls= "
                        "-verify_return_error -quiet -no_ign_eof -status",
                        single_dash=True),
    "asn1parse": Options("-in= -inform= -i -dump", single_dash=True),
}  # fmt: skip


_FILE: Final = re.compile(r"(?:[\w.~@+-]*/|[^:\0]*$)")
"""A name of a file that has no scheme, such as that of an engine, which is a library that runs."""


def _openssl(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    table = _OPENSSL.get(words[0].text) if words else None
    if table is None:
        raise Writes("openssl that is not known to only read", head.at)
    given = options.check("openssl", words[1:], table)
    files = given.values("-in", "-CAfile", "-CApath", "-untrusted")
    for word in [*files, *given.operands]:
        if not _FILE.match(word.text):
            raise Writes("a file that openssl may take for an address: put ./ before it", word.at)
    if any(form.text.upper() not in ("PEM", "DER") for form in given.values("-inform")):
        raise Writes("a form of openssl that may run a library", head.at)
    if words[0].text == "s_client" and analysis.is_told(head):
        raise Writes("openssl sends what it is given", head.at)


_WGET: Final = Options(
    "-q -S -nv -4 -6 -O= -T= -t= -U= --quiet --no-verbose --server-response --spider --output-document= --timeout= --tries= "
    "--header= --user-agent= --no-check-certificate --no-hsts --inet4-only --inet6-only --version --help"
)


def _wget(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Allow `wget` that prints what this machine answers, of which it keeps nothing."""
    given = options.check(name, words, _WGET)
    if given.has("--version", "--help"):
        return
    if [value.text for value in given.values("-O", "--output-document")] != ["-"]:
        raise Writes("wget writes to a file", head.at)
    for _, value, word in given.options:
        if value is not None and not (value.known and value.single):
            raise Writes("an option of wget that is not known", word.at)
    for header in given.values("--header"):
        if not HEADER.match(header.text):
            raise Writes("a header that is not known to leave what is asked alone", header.at)
    for address in given.operands:
        here = re.match(r"http://(?:localhost|127\.0\.0\.1)(?::[0-9]+)?(?:/|$)", address.text)
        if not here or not address.known or not address.single or re.search(r"\s", address.text):
            raise Writes("an address of which wget may keep something", address.at)


def _ssh(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Allow `ssh -V`, and `ssh -G HOST`, which prints the settings for a host."""
    told = [word.text for word in words]
    if told != ["-V"] and not (
        told[:1] == ["-G"] and len(words) == 2 and re.fullmatch(r"[\w.][\w.@:-]*", words[1].text)
    ):
        raise Writes("ssh runs what is not known on another machine", head.at)


def _ssh_keygen(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(name, words, Options("-l -f= -E= -v"))
    if not given.has("-l"):
        raise Writes("ssh-keygen makes keys", head.at)


def _ssh_add(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    if [word.text for word in words] not in (["-l"], ["-L"]):
        raise Writes("ssh-add adds keys", head.at)


def _whois(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Allow its own port alone, since it sends its words to any server that it is told."""
    given = options.check(name, words, _WHOIS)
    if any(not re.fullmatch(r"[\w.-]+", value.text) for value in given.values("-h", "--host")):
        raise Writes("a server that is not known to be one of whois", head.at)


_WHOIS: Final = Options(
    "-h= -i= -s= -g= -t= -v= -q= -T= -H -I -a -A -b -B -c -d -f -F -G -l -L -m -M -P -Q -r -R -S -x --host= --verbose "
    "--no-recursion --help --version"
)


CHECKS: Final[dict[str, Check]] = {
    "whois": _whois, "curl": _curl, "wget": _wget, "openssl": _openssl, "ssh": _ssh, "ssh-keygen": _ssh_keygen, "ssh-add": _ssh_add,
}  # fmt: skip
