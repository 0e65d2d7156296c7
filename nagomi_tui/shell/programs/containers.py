"""Container and cluster programs: what lists and shows, and commands run inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.shell import options
from nagomi_tui.shell.options import Options, Tool, checks, plain, see, without_flags
from nagomi_tui.shell.variables import passes
from nagomi_tui.shell.words import UNKNOWN, Writes

if TYPE_CHECKING:
    from nagomi_tui.shell.options import Analyser, Check
    from nagomi_tui.shell.words import Word

_DOCKER_LISTS: Final = Options(
    "-a --all -q --quiet -s --size -l --latest -n= --last= --no-trunc -f= --filter= --format= --digests --tree "
    "--no-stream --since= --until= --limit= --verbose -v --pretty --type= --no-resolve --orchestrator= --insecure "
    "--tree --sort= --noheading --pod --ns --external --short --platform= --json"
)
_DOCKER: Final = Tool(
    {
        **plain("logs, container logs, service logs, pod logs",
                Options("-f --follow -t --timestamps --details -n= --tail= --since= --until= --no-trunc --no-resolve "
                        "--no-task-ids --raw -l --latest --names --color")),
        **plain("diff, history, image history, top, container top, container diff, port, container port",
                Options("-H --human? --no-trunc -q --quiet --format= -l --latest")),
        **plain("ps, images, inspect, stats, version, info, search, events, "
                "image ls, image list, image inspect, container ls, container list, container ps, "
                "container inspect, container stats, network ls, network list, network inspect, volume ls, volume list, "
                "volume inspect, context ls, context list, context show, context inspect, system df, system info, "
                "system events, buildx ls, buildx buildx version, buildx du, manifest inspect, "
                "node ls, node ps, node inspect, service ls, service ps, service inspect, stack ls, "
                "stack ps, stack services, config ls, config inspect, secret ls, secret inspect, plugin ls, "
                "plugin inspect, compose version, pod ls, pod ps, pod inspect, pod stats, machine list, "
                "machine ls, machine inspect, machine info, builder help, trust inspect, scout version", _DOCKER_LISTS),
    },
    before="-D --debug --tls --tlsverify -H= --host= -c= --context= -l= --log-level=",
)  # fmt: skip
_COMPOSE: Final = Tool(
    {
        **plain("ps, logs, ls, images, top, port, version, events, stats, volumes, help",
                Options("-a --all -q --quiet --format= --filter= --services --status= --no-trunc --orphans? -f --follow -t "
                        "--timestamps -n= --tail= --since= --until= --no-color --no-log-prefix --index= --protocol= "
                        "--json --short --no-stream --dry-run")),
        **plain("config, convert", Options("-q --quiet --format= --hash= --services --volumes --images --profiles --networks "
                                           "--models --environment --variables --no-interpolate --no-normalize "
                                           "--no-path-resolution --no-consistency --no-env-resolution "
                                           "--resolve-image-digests")),
    },
    before="--compatibility --all-resources -f= --file= -p= --project-name= --profile= --env-file= --project-directory= "
    "--ansi= --progress= --parallel=",
)  # fmt: skip
_EXEC: Final = Options(
    "-i -t -e= -u= -w= -T -d --interactive --tty --env= --user= --workdir= --no-TTY --no-tty --index= --privileged"
)

_KUBECTL_LISTS: Final = Options(
    "-o= --output= -l= --selector= -A --all-namespaces? -f= --filename= -k= --kustomize= -R --recursive? -w "
    "--watch? --watch-only? --show-labels? --show-kind? --no-headers? --sort-by= --field-selector= "
    "-L= --label-columns= --ignore-not-found? --chunk-size= --template= --subresource= "
    "--show-events? --show-managed-fields? --output-watch-events? --server-print? --containers? "
    "--sum? --sort-by= --namespaced? --api-group= --verbs= --categories= --no-headers? --cached? "
    "--recursive? --api-version= --client? --short? --minify? --flatten? --merge? --list? -q "
    "--quiet? --revision= --timeout= --for= --types= --all? --namespaces= --name-only? --for= "
    "--server-side? --field-manager= --force-conflicts? --prune? --use-protocol-buffers?"
)
_KUBECTL: Final = Tool(
    {
        "get": _KUBECTL_LISTS.also("--raw="),
        "config view": _KUBECTL_LISTS.also("--raw"),
        **plain("logs", Options("-f --follow? -p --previous? -c= --container= --tail= --since= --since-time= --timestamps? --limit-bytes= "
                                "--all-containers? --max-log-requests= --prefix? --ignore-errors? --pod-running-timeout= "
                                "-l= --selector= --all-pods? --insecure-skip-tls-verify-backend?")),
        **plain("describe, top, top pod, top pods, top node, top nodes, explain, api-resources, "
                "api-versions, version, config get-contexts, config current-context, "
                "config get-clusters, config get-users, auth can-i, auth whoami, rollout status, "
                "rollout history, diff, events, wait, options, plugin list, help, cluster-info, cluster-info dump",
                _KUBECTL_LISTS),
    },
    before="--insecure-skip-tls-verify --match-server-version -n= --namespace= --context= --cluster= --user= -s= --server= "
    "--request-timeout= --as= --as-group= -v=",
    always="-n= --namespace= --context= --cluster= --user= -s= --server= --request-timeout= --as= --as-group= --as-uid= "
    "--insecure-skip-tls-verify? --match-server-version? --warnings-as-errors? -v= -h --help",
)  # fmt: skip

_HELM: Final = Tool(
    {
        **plain("list, ls, status, get all, get values, get manifest, get notes, get hooks, get metadata, "
                "show all, show chart, show readme, show values, show crds, inspect, history, version, env, "
                "search repo, search hub, lint, dependency list, dep list, repo list, plugin list, verify, help, template",
                Options("-a! --all -A --all-namespaces -q! --short -o= --output= -m= --max= --offset= -r! --reverse -d! --date -l! "
                        "--selector= -f= --filter= --values= --set= --set-string= --set-file= --set-json= --set-literal= --revision= --version= "
                        "--versions --devel --jsonpath= --deployed --failed --pending --superseded --uninstalled "
                        "--uninstalling --time-format= --no-headers --strict --with-subcharts --quiet --kube-version= "
                        "--show-resources --show-desc --template= --client --max-col-width= --regexp --fail-on-no-result "
                        "--list-repo-url --keyring= -s= --show-only= --include-crds --is-upgrade --name-template= "
                        "--no-hooks --skip-tests --skip-crds --api-versions= --release-name --validate --repo= "
                        "--username= --insecure-skip-tls-verify --generate-name -g --description= --wait --atomic "
                        "--disable-openapi-validation --namespace=")),
    },
    before="--debug -n= --namespace= --kube-context=",
    always="--debug -n= --namespace= --kube-context= -h --help",
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
    if len(given.operands) < 2 or not given.operands[0].single:
        raise Writes(f"{name} without a command", head.at)
    analysis.where.moves.append(UNKNOWN)
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
        "-i -t -c= -n= --stdin? --tty? --container= --namespace= -q --quiet? --context="
    )
    options.check("kubectl exec", rest[1 : marks[0]], table)
    if any(not word.single for word in rest[1 : marks[0]]):
        raise Writes("kubectl exec of what is not known", head.at)
    analysis.where.moves.append(UNKNOWN)
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
