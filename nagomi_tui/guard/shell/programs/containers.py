"""Container and cluster programs: what lists and shows, and commands run inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.guard.shell import options
from nagomi_tui.guard.shell.options import Options
from nagomi_tui.guard.shell.programs.subcommands import Tool, checks, plain, see, without_flags
from nagomi_tui.guard.shell.variables import passes
from nagomi_tui.guard.shell.verdict import Writes
from nagomi_tui.guard.shell.words import UNKNOWN

if TYPE_CHECKING:
    from nagomi_tui.guard.shell.programs.interface import Analyser, Check
    from nagomi_tui.guard.shell.words import Word

_DOCKER: Final = Tool(
    {
        **plain("ps, images, logs, inspect, top, stats, port, diff, history, version, info, search, events, "
                "image ls, image list, image inspect, image history, container ls, container list, container ps, "
                "container inspect, container logs, container top, container stats, container port, "
                "container diff, network ls, network list, network inspect, volume ls, volume list, "
                "volume inspect, context ls, context list, context show, context inspect, system df, system info, "
                "system events, buildx ls, buildx buildx version, buildx du, manifest inspect, "
                "node ls, node ps, node inspect, service ls, service ps, service inspect, service logs, stack ls, "
                "stack ps, stack services, config ls, config inspect, secret ls, secret inspect, plugin ls, "
                "plugin inspect, compose version, pod ls, pod ps, pod inspect, pod logs, pod stats, machine list, "
                "machine ls, machine inspect, machine info, builder help, trust inspect, scout version"),
    },
    flags="-D --debug --tls --tlsverify",
    values="-H --host -c --context -l --log-level",
    always=Options("", "", "", "runtime conmon config hooks-dir module out root runroot tmpdir network-cmd-path"),
)  # fmt: skip
_COMPOSE: Final = Tool(
    {
        **plain("ps, logs, ls, images, top, port, version, events, stats, volumes, help"),
        **plain("config, convert", Options("", "format hash", "o", "output lock-image-digests")),
    },
    flags="--compatibility --all-resources",
    values="-f --file -p --project-name --profile --env-file --project-directory --ansi --progress --parallel",
)  # fmt: skip
_EXEC: Final = Options(
    "euw",
    "env user workdir index",
    only="-i -t -e -u -w -T -d --interactive --tty --env --user --workdir --no-TTY --no-tty --index --privileged",
)

_KUBECTL: Final = Tool(
    {
        **plain("get, describe, logs, top, top pod, top pods, top node, top nodes, explain, api-resources, "
                "api-versions, version, config view, config get-contexts, config current-context, "
                "config get-clusters, config get-users, auth can-i, auth whoami, rollout status, "
                "rollout history, diff, events, wait, options, plugin list, help, cluster-info"),
        **plain("cluster-info dump", Options("", "", "", "output-directory")),
    },
    flags="--insecure-skip-tls-verify --match-server-version",
    values="-n --namespace --context --cluster --user -s --server --request-timeout --as --as-group",
    always=Options("", "", "", "profile profile-output log-file log-dir cache-dir kubeconfig"),
)  # fmt: skip

_HELM: Final = Tool(
    {
        **plain("list, ls, status, get all, get values, get manifest, get notes, get hooks, get metadata, "
                "show all, show chart, show readme, show values, show crds, inspect, history, version, env, "
                "search repo, search hub, lint, dependency list, dep list, repo list, plugin list, verify, help"),
        **plain("template", Options("", "", "", "output-dir post-renderer dependency-update")),
    },
    flags="--debug",
    values="-n --namespace --kube-context",
    always=Options("", "", "", "kubeconfig"),
)  # fmt: skip


def _docker(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    rest = without_flags(words, _DOCKER) if len(words) > 1 else words
    named = [word.text for word in rest[:2]]
    if named[:1] == ["compose"] and named[1:] != ["version"]:
        inner = without_flags(rest[1:], _COMPOSE) if len(rest) > 2 else rest[1:]
        if inner[:1] and inner[0].text == "exec":
            return _within(analysis, f"{name} compose exec", inner[1:], head)
        see(f"{name} compose", rest[1:], _COMPOSE)
    elif named[:1] == ["exec"] or named == ["container", "exec"]:
        _within(analysis, f"{name} exec", rest[len(named) - (named[0] == "exec") :], head)
    else:
        see(name, words, _DOCKER)
    return None


def _within(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check a command in a container as if it ran here."""
    given = options.check(name, words, _EXEC, stops=True)
    for variable in given.values("-e", "--env"):
        key, _, value = variable.text.partition("=")
        if UNKNOWN in key or not passes(key, value):
            raise Writes(f"{key} may change what the program does", variable.at)
    if len(given.operands) < 2 or given.operands[0].splits:
        raise Writes(f"{name} without a command", head.at)
    analysis.run(list(given.operands[1:]))


def _kubectl(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    rest = without_flags(words, _KUBECTL) if len(words) > 1 else words
    if not rest or rest[0].text != "exec":
        see(name, words, _KUBECTL)
        return
    marks = [index for index, word in enumerate(rest) if word.text == "--"]
    if not marks:
        raise Writes("kubectl exec without --", head.at)
    table = Options(
        "cn",
        "container namespace",
        only="-i -t -c -n --stdin --tty --container --namespace -q --quiet",
    )
    options.check("kubectl exec", rest[1 : marks[0]], table)
    if any(word.splits for word in rest[1 : marks[0]]):
        raise Writes("kubectl exec of what is not known", head.at)
    analysis.run(rest[marks[0] + 1 :])


def _docker_compose(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check the older program that is now `docker compose`."""
    if [word.text for word in words] not in (["--version"], ["version"]):
        _docker(analysis, "docker", [head._replace(text="compose"), *words], head)


CHECKS: Final[dict[str, Check]] = {
    "docker-compose": _docker_compose,
    "docker": _docker,
    "podman": _docker,
    "kubectl": _kubectl,
    **checks({"helm": _HELM}),
}
