"""`gh`, `glab`, `aws`, `gcloud` and `az`: commands that only query a service."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.guard.shell import options
from nagomi_tui.guard.shell.options import Options
from nagomi_tui.guard.shell.programs.subcommands import Tool, checks, plain, see, without_flags
from nagomi_tui.guard.shell.verdict import Writes
from nagomi_tui.guard.shell.words import named

if TYPE_CHECKING:
    from nagomi_tui.guard.shell.programs.interface import Analyser, Check
    from nagomi_tui.guard.shell.words import Word

_NO_BROWSER: Final = Options("RqtLsBAaHlSbejmk", "repo json jq template limit state", "w", "web")
_GH: Final = Tool(
    {
        **plain("pr view, pr list, pr status, pr diff, pr checks, issue view, issue list, issue status, repo view, "
                "repo list, run list, run view, run watch, release list, release view, workflow list, "
                "workflow view, search code, search commits, search issues, search prs, search repos, gist list, "
                "gist view, label list, ruleset list, ruleset view, ruleset check, project list, project view, "
                "project field-list, project item-list, org list", _NO_BROWSER),
        **plain("auth status", Options("h", "hostname", "", "")),
        **plain("secret list, variable list, variable get, cache list, codespace list, extension list, "
                "extension search, alias list, config get, config list, status, ssh-key list, gpg-key list, "
                "pr ls, issue ls, run ls, repo ls, release ls, version, help", _NO_BROWSER),
    },
    values="-R --repo",
)  # fmt: skip
_GLAB: Final = Tool(
    plain("mr view, mr list, mr diff, issue view, issue list, ci list, ci status, repo view, release list, "
          "release view, version", _NO_BROWSER),
    values="-R --repo",
)  # fmt: skip
_API: Final = Options(
    "XHqtfFp",
    "method header jq template field raw-field cache hostname input preview",
    only="-X -H -q -t -i -p --method --header --jq --template --cache --hostname --include --paginate --slurp "
    "--preview --silent --verbose -f -F --field --raw-field",
)


def _gh(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    rest = without_flags(words, _GH) if len(words) > 1 else words
    if rest[:1] and rest[0].text == "api":
        _api(rest[1:], head)
    else:
        see(name, words, _GH)


def _api(words: list[Word], head: Word) -> None:
    given = options.check("gh api", words, _API)
    methods = given.values("-X", "--method")
    fields = [
        value
        for option, value, _ in given.options
        if option in ("-f", "-F", "--field", "--raw-field")
    ]
    if [word.text for word in given.operands] == ["graphql"]:
        if methods or not _only_queries(fields):
            raise Writes("a query of gh that is not known to only read", head.at)
    elif any(method.text.upper() not in ("GET", "HEAD") for method in methods):
        raise Writes("gh api that does not get", methods[0].at)
    elif fields and not methods:
        raise Writes("gh api posts its fields", head.at)
    for option, value, word in given.options:
        if option in ("-H", "--header") and (
            value is None or "method" in value.text.lower() or not value.known
        ):
            raise Writes("a header that may change what is asked", word.at)


def _only_queries(fields: list[Word | None]) -> bool:
    queries = [
        field.text for field in fields if field is not None and field.text.startswith("query=")
    ]
    return len(queries) == 1 and bool(
        re.match(r"query=\s*(?:query\b|\{)", queries[0])
        and not re.search(r"\b(?:mutation|subscription)\b|\0", queries[0])
    )


_AWS_VERB: Final = re.compile(
    r"(?:describe|list|get|head|filter|search|lookup|batch-get)-[a-z0-9-]+|scan|query|ls|tail"
)
_AWS_OTHER: Final = named(
    "get-object get-object-torrent get-export get-sdk get-job-output get-login "
    "get-login-password get-session-token get-federation-token get-authorization-token "
    "get-package-version-asset get-clip get-media get-images get-thing-shadow get-snapshot-block "
    "get-configuration get-latest-configuration get-raw-message-content get-chunk get-map-glyphs "
    "get-map-sprites get-map-style-descriptor get-map-tile get-tile get-sprites get-glyphs get-static-map "
    "get-image-frame get-image-set-metadata get-style-descriptor get-read-set get-reference get-code-binding-source get-media-for-fragment-list"
)


def _aws(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    tool = Tool({}, flags="--no-cli-pager --debug --no-paginate --no-verify-ssl",
                values="--profile --region --output --endpoint-url --query --color")  # fmt: skip
    if [word.text for word in words] == ["--version"]:
        return
    rest = without_flags(words, tool)
    named = [word.text for word in rest[:2]]
    if len(named) < 2 or any(not word.known or word.splits for word in rest[:2]):
        raise Writes("aws does what is not known", head.at)
    if named in (["configure", "list"], ["configure", "get"], ["configure", "list-profiles"]):
        return
    if not _AWS_VERB.fullmatch(named[1]) or named[1] in _AWS_OTHER:
        raise Writes(f"aws {named[0]} {named[1]} is not known to only read", rest[1].at)
    if named[1] in ("ls", "tail") and named not in (["s3", "ls"], ["logs", "tail"]):
        raise Writes(f"aws {named[0]} {named[1]} is not known to only read", rest[1].at)


_AZ_VERB: Final = re.compile(r"(?:show|list)(?:-[a-z-]+)?|version")


def _az(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Allow commands whose last word asks, such as `az vm list`; options come behind these words."""
    named = []
    for word in words:
        if word.may_be_option or not word.known:
            break
        named.append(word.text)
    told = [word.text for word in words]
    if told == ["--version"] or (named and _AZ_VERB.fullmatch(named[-1])):
        return
    raise Writes(f"{' '.join([name, *named[:3]])} is not known to only read", head.at)


_GCLOUD: Final = Tool(
    plain("config list, config get, config get-value, config configurations list, auth list, projects list, "
          "projects describe, info, version, help, compute instances list, compute instances describe, "
          "run services list, run services describe, container clusters list, container clusters describe, "
          "logging read, storage ls, storage buckets list, functions list, functions describe, sql instances list"),
    values="--project --format --account --configuration",
    always=Options("", "", "", "flags-file log-http"),
)  # fmt: skip

CHECKS: Final[dict[str, Check]] = {
    "gh": _gh,
    "aws": _aws,
    "az": _az,
    **checks({"glab": _GLAB, "gcloud": _GCLOUD}),
}
