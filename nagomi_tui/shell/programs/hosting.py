"""Containers, clusters and hosting: what only lists, shows and queries, and commands run inside."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Final

from nagomi_tui.shell import options
from nagomi_tui.shell.folders import INSIDE, Asked
from nagomi_tui.shell.options import (
    Analyser,
    Check,
    Options,
    Tool,
    checks,
    plain,
    see,
    without_flags,
)
from nagomi_tui.shell.programs.network import HEADER
from nagomi_tui.shell.variables import passes
from nagomi_tui.shell.words import UNKNOWN, Word, Writes, named

_VIEWS: Final = Options(
    "-R= --repo= -q= --jq= -t= --template= -L= --limit= -s= --state= --json= -a! --author= --assignee= -l= --label= -S= "
    "--search= -B= --base= -H= --head= -A= --app= -d! --draft -m! --milestone= --mention= -c! --comments --name-only --patch "
    "--required --watch -i= --interval= --fail-fast -o= --order= --sort= --visibility= --language= --topic= --source "
    "--fork --archived? --no-archived -b= --branch= --commit= -e= --event= --user= --workflow= -u= --status= --created= "
    "--log --log-failed -v! --verbose -j= --job= --attempt= --exit-status --compact --exclude-drafts "
    "--exclude-pre-releases --ref= -y! --yaml --all --owner= --extension= --filename= --match= --size= --involves= "
    "--review= --review-requested= --reviewed-by= --checks= --merged? --merged-at= --closed? --updated= --comments= "
    "--interactions= --reactions= --include-prs --include-forks= --good-first-issues= --help-wanted-issues= --license= "
    "--stars= --followers= --forks= --number-topics= --parents= --committer= --author-date= --committer-date= --hash= "
    "--author-email= --author-name= --merge? --public --secret --include-content --filter= --files --raw -r! "
    "--format= -k= --key= --env= --org= --default --check= --color= --no-project --project= --no-assignee --no-label "
    "--team= --team-mentions= --commenter= --locked --help -h!"
)
_GH: Final = Tool(
    {
        **plain("pr view, pr list, pr status, pr diff, pr checks, issue view, issue list, issue status, repo view, "
                "repo list, run view, run watch, release list, release view, workflow list, "
                "workflow view, search code, search commits, search issues, search prs, search repos, gist list, "
                "gist view, label list, ruleset list, ruleset view, ruleset check, project list, project view, "
                "project field-list, project item-list, org list", _VIEWS),
        **plain("run list, run ls", _VIEWS._replace(known=f"{_VIEWS.known} -w= -c=")),
        **plain("auth status", Options("-h= --hostname= -a --active --json= -q= --jq= --template=")),
        **plain("secret list, variable list, variable get, cache list, codespace list, extension list, "
                "extension search, alias list, config get, config list, status, ssh-key list, gpg-key list, "
                "pr ls, issue ls, repo ls, release ls, version, help", _VIEWS),
    },
    before="-R= --repo=",
)  # fmt: skip
_GLAB: Final = Tool(
    plain("mr view, mr list, mr diff, issue view, issue list, ci list, ci status, repo view, release list, "
          "release view, version",
          Options("-R= --repo= -a= --author= --assignee= -l= --label= -m= --milestone= -P= --per-page= -p= --page= -A --all "
                  "-c --closed -M --merged -F= --output= --output-format= -c --comments -s= --source-branch= -t= "
                  "--target-branch= --search= --draft --group= --color= --raw --status= --ref= -b= --branch= --live "
                  "--compact --help")),
    before="-R= --repo=",
)  # fmt: skip
_API: Final = Options(
    "-X= -H= -q= -t= -i -p= --method= --header= --jq= --template= --cache= --hostname= --include --paginate --slurp "
    "--preview= --silent --verbose -f= -F= --field= --raw-field="
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
            value is None or not HEADER.match(value.text) or not value.known
        ):
            raise Writes("a header that is not known to leave what is asked alone", word.at)


def _only_queries(fields: list[Word | None]) -> bool:
    queries = [
        field.text for field in fields if field is not None and field.text.startswith("query=")
    ]
    return len(queries) == 1 and bool(
        re.match(r"query=\s*(?:query\b|\{)", queries[0])
        and not re.search(
            r"\b(?:mutation|subscription)\b|\0|\{(?:owner|repo|branch)\}|:(?:owner|repo|branch)\b",
            queries[0],
        )
    )


_AWS_ASKS: Final = re.compile(
    r"(?:describe|list|batch-get|batch-describe|filter|lookup|search)-[a-z0-9-]+"
)
_AWS_SERVICES: Final = named("""
accessanalyzer acm apigatewayv2 application-autoscaling athena autoscaling backup batch budgets ce cloudformation
cloudtrail cloudwatch codebuild codecommit codedeploy codepipeline cognito-idp compute-optimizer config cur datasync
directconnect dms docdb ds dynamodb dynamodbstreams ec2 ecr ecr-public ecs efs eks elasticache elasticbeanstalk elb elbv2
emr es events firehose fsx glue guardduty health iam inspector2 kafka kinesis kms lambda lightsail logs memorydb mq
neptune opensearch organizations pricing ram rds redshift resource-groups resourcegroupstaggingapi route53 route53domains
s3control scheduler secretsmanager securityhub service-quotas servicecatalog servicediscovery ses sesv2 shield sns sqs ssm
sso-admin stepfunctions sts support transfer wafv2 workspaces xray
""")
"""Services of which no command that asks keeps what it gets in a file."""
_AWS_SINGLE: Final = frozenset({
    "s3 ls", "logs tail", "dynamodb scan", "dynamodb query", "s3api list-buckets", "s3api list-objects",
    "s3api list-objects-v2", "s3api list-object-versions", "s3api list-multipart-uploads", "s3api head-object",
    "s3api head-bucket", "s3api get-bucket-location", "s3api get-bucket-policy", "s3api get-bucket-acl",
    "s3api get-bucket-versioning", "s3api get-bucket-tagging", "s3api get-bucket-encryption", "s3api get-bucket-cors",
    "s3api get-bucket-lifecycle-configuration", "s3api get-bucket-logging", "s3api get-bucket-website",
    "s3api get-bucket-notification-configuration", "s3api get-bucket-policy-status", "s3api get-public-access-block",
    "s3api get-object-tagging", "s3api get-object-attributes", "s3api get-object-acl", "cloudfront list-distributions",
    "cloudfront get-distribution", "cloudfront get-distribution-config", "cloudfront list-invalidations",
    "cloudfront get-invalidation", "appsync list-graphql-apis", "apigateway get-rest-apis", "apigateway get-rest-api",
    "apigateway get-resources", "apigateway get-stages", "apigateway get-deployments", "appconfig list-applications",
    "configure list", "configure get", "configure list-profiles",
})  # fmt: skip
_AWS_GETS: Final = {
    "acm": "certificate", "accessanalyzer": "analyzer finding finding-v2", "apigatewayv2": "api apis routes stages integrations domain-names",
    "athena": "query-execution query-results query-runtime-statistics work-group database table-metadata named-query",
    "backup": "backup-plan backup-selection", "batch": "job-queue-snapshot",
    "ce": "cost-and-usage cost-forecast dimension-values tags anomalies reservation-utilization savings-plans-utilization",
    "cloudformation": "template template-summary stack-policy", "cloudtrail": "trail trail-status event-selectors",
    "cloudwatch": "metric-data metric-statistics dashboard", "codecommit": "repository branch commit file folder differences pull-request",
    "codedeploy": "deployment deployment-group deployment-config application", "codepipeline": "pipeline pipeline-state pipeline-execution",
    "cognito-idp": "user-pool-mfa-config group", "dynamodb": "item", "ec2": "console-output ebs-encryption-by-default launch-template-data "
    "managed-prefix-list-entries security-groups-for-vpc", "ecr": "lifecycle-policy repository-policy", "ecs": "task-protection",
    "glue": "table tables database databases job jobs job-run job-runs crawler crawlers partition partitions connection connections trigger triggers",
    "guardduty": "detector findings findings-statistics",
    "iam": "user role policy policy-version role-policy user-policy group group-policy instance-profile account-summary "
    "account-authorization-details account-password-policy login-profile access-key-last-used open-id-connect-provider saml-provider "
    "service-last-accessed-details", "kinesis": "records shard-iterator", "kms": "key-policy key-rotation-status public-key",
    "lambda": "function function-configuration function-concurrency function-url-config policy alias layer-version event-source-mapping account-settings",
    "logs": "log-events query-results log-group-fields log-record", "pricing": "products attribute-values",
    "resourcegroupstaggingapi": "resources tag-keys tag-values", "route53": "hosted-zone hosted-zone-count health-check health-check-status change",
    "route53domains": "domain-detail", "s3control": "public-access-block access-point", "scheduler": "schedule",
    "secretsmanager": "secret-value resource-policy", "securityhub": "findings enabled-standards", "service-quotas": "service-quota aws-default-service-quota",
    "servicediscovery": "service namespace instance operation", "ses": "send-quota send-statistics account-sending-enabled",
    "sesv2": "account email-identity configuration-set", "sns": "topic-attributes subscription-attributes", "sqs": "queue-url queue-attributes",
    "ssm": "parameter parameters parameters-by-path parameter-history document command-invocation automation-execution inventory",
    "stepfunctions": "execution-history", "sts": "caller-identity access-key-info", "wafv2": "web-acl ip-set rule-group sampled-requests logging-configuration",
    "xray": "trace-summaries trace-graph service-graph",
}  # fmt: skip
"""What some services are known to only show by `get-…`; others make a token, send, take, or keep what they get."""


def aws_reads(service: str, command: str) -> bool:
    """Whether a command of `aws` only asks, and prints what it is told."""
    asks = service in _AWS_SERVICES and _AWS_ASKS.fullmatch(command)
    gets = (
        command.removeprefix("get-") in _AWS_GETS.get(service, "").split() and command[:4] == "get-"
    )
    return bool(asks) or gets or f"{service} {command}" in _AWS_SINGLE


_AWS_CLIENT: Final = named(
    "--cli-read-timeout --cli-connect-timeout --cli-binary-format --cli-input-json --cli-input-yaml --no-cli-pager --no-cli-auto-prompt"
)
"""What the client itself may be told; other options belong to what is asked."""


def _aws(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    tool = Tool({}, before="--no-cli-pager --debug --no-paginate --no-verify-ssl --profile= --region= --output= "
                "--endpoint-url= --query= --color=")  # fmt: skip
    if [word.text for word in words] == ["--version"]:
        return
    rest = without_flags(words, tool)
    named = [word.text for word in rest[:2]]
    if len(named) < 2 or any(not word.known or not word.single for word in rest[:2]):
        raise Writes("aws does what is not known", head.at)
    for word in rest:
        if re.match("--(?:no-)?cli", word.text) and word.text.partition("=")[0] not in _AWS_CLIENT:
            raise Writes(f"aws {word.text} is not known to only read", word.at)
    if not aws_reads(*named):
        raise Writes(f"aws {named[0]} {named[1]} is not known to only read", rest[1].at)


_AZ_GROUPS: Final = named("""
account acr ad aks apim appservice cosmosdb deployment disk eventhubs extension feature functionapp group identity image
keyvault lock logicapp monitor mysql network nic policy postgres provider redis resource role servicebus sql storage tag
vm vmss webapp containerapp container cloud
""")
_AZ_WITHIN: Final = named("""
account action-group activity-log alert app application-gateway assignment blob certificate config connection-string container
cosmosdb database db definition deployment deployments diagnostic-settings dns elastic-pool env eventhub extension file
firewall-rule flexible-server group image job key lb log log-analytics management-policy manifest member metrics namespace nic
nodepool nsg operation owner pool private-dns private-endpoint public-ip queue record-set replication repository revision
route route-table rule secret server service share slot sp sql subnet subscription table topic user vnet vpn-connection
watcher webhook workspace zone snapshot credential job-execution connection hub
""")
"""Groups within these, of which none is a command that takes what is behind it for a name."""
_AZ_VERBS: Final = named("list show")
_AZ: Final = Options(
    "-g= --resource-group= -n= --name= -o= --output= --query= --subscription= -d --show-details --ids= --only-show-errors "
    "--verbose --debug -l= --location= --all --vault-name= --account-name= --namespace-name= --server= --resource-type= "
    "--vnet-name= --nsg-name= --registry= --repository= --assignee= --scope= --help -h"
)


def _az(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Allow commands whose last word asks, such as `az vm list`; options come behind these words."""
    named = []
    for word in words:
        if word.may_be_option or not word.known or not word.single:
            break
        named.append(word.text)
    if [word.text for word in words] in (["--version"], ["version"]):
        return
    if not (
        len(named) > 1
        and named[0] in _AZ_GROUPS
        and _AZ_WITHIN.issuperset(named[1:-1])
        and named[-1] in _AZ_VERBS
    ):
        raise Writes(f"{' '.join([name, *named[:3]])} is not known to only read", head.at)
    options.check(name, words[len(named) :], _AZ)


_GCLOUD: Final = Tool(
    plain("config list, config get, config get-value, config configurations list, auth list, projects list, "
          "projects describe, info, version, help, compute instances list, compute instances describe, "
          "run services list, run services describe, container clusters list, container clusters describe, "
          "logging read, storage ls, storage buckets list, functions list, functions describe, sql instances list"),
    before="--project= --format= --account= --configuration= -q --quiet",
    always="--project= --format= --account= --configuration= --filter= --limit= --sort-by= --uri --page-size= --zone= --region= "
    "--zones= --regions= -q --quiet --verbosity= --freshness= --order= --cluster= --platform= --location= --flatten= --all "
    "-r --recursive -l --long --global --full --show-log --filter-account= --json --v2 --no-v2 --help",
)  # fmt: skip


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
    "-o= --output= -l= --selector= -A --all-namespaces? -f= --filename= -R --recursive? -w "
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
    before="--insecure-skip-tls-verify --match-server-version -n= --namespace= --context= --cluster= --user= "
    "--request-timeout= --as= --as-group= -v=",
    always="-n= --namespace= --context= --cluster= --user= --request-timeout= --as= --as-group= --as-uid= "
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
    _see_host(name, words[: len(words) - len(rest)])
    named = [word.text for word in rest[:2]]
    if named[:1] == ["compose"] and named[1:] != ["version"]:
        inner = without_flags(rest[1:], _COMPOSE) if len(rest) > 2 else rest[1:]
        if not inner or inner[0].text not in ("ls", "version", "help"):
            _see_files(analysis, name, rest[1 : len(rest) - len(inner)], head)
        if inner[:1] and inner[0].text == "exec":
            return _within(analysis, f"{name} compose exec", inner[1:], head)
        see(f"{name} compose", rest[1:], _COMPOSE)
    elif named[:1] == ["exec"] or named == ["container", "exec"]:
        _within(analysis, f"{name} exec", rest[len(named) - (named[0] == "exec") :], head)
    else:
        see(name, words, _DOCKER)
    return None


def _see_files(analysis: Analyser, name: str, before: list[Word], head: Word) -> None:
    """Have the files looked at that compose reads, in whatever it does: they may name others that it fetches."""
    files, inside = False, ""
    asked: list[Asked] = []
    for word, after in zip_longest(before, before[1:]):
        option, sign, value = word.text.partition("=")
        kind = _COMPOSE_FILES.get(option)
        if kind is None:
            continue
        given = word._replace(text=value) if sign else after
        if given is None or not (given.known and given.single) or given.text == "-":
            raise Writes("a file of compose that is not known", word.at)
        if kind == "compose":
            inside = given.text
        else:
            files = files or kind == "compose-file"
            asked.append(Asked(f"{name} compose", kind, given.text, head.at))
    asked.append(Asked(f"{name} compose", "compose-env" if files else "compose", inside, head.at))
    analysis.where.asked += asked


_COMPOSE_FILES: Final = {
    "-f": "compose-file", "--file": "compose-file", "--env-file": "compose-variables", "--project-directory": "compose",
}  # fmt: skip


def _see_host(name: str, before: list[Word]) -> None:
    """Refuse an address of a daemon that is not known to only be connected to: for one of ssh, docker runs that."""
    for word, after in zip_longest(before, before[1:]):
        match = re.fullmatch(r"(?:-H=?|--host=?)(.*)", word.text, re.DOTALL)
        address = match[1] or (after.text if after else "") if match else "unix://"
        if not re.fullmatch(r"(?:unix|tcp|npipe|http)://[\w./:-]*", address):
            raise Writes(f"{name} may run ssh", word.at)


def _within(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check a command in a container as if it ran here."""
    given = options.check(name, words, _EXEC, stops=True)
    for variable in given.values("-e", "--env"):
        key, _, value = variable.text.partition("=")
        if UNKNOWN in key or not passes(key, value):
            raise Writes(f"{key} may change what the program does", variable.at)
    if len(given.operands) < 2 or not given.operands[0].single:
        raise Writes(f"{name} without a command", head.at)
    _without_keys(analysis, name, given, head)
    analysis.where.moves.append(INSIDE)
    analysis.run(list(given.operands[1:]))


def _without_keys(analysis: Analyser, name: str, given: options.Given, head: Word) -> None:
    """Refuse a terminal in a container to whoever may type there: a pager is opened in it."""
    if analysis.patterns.keyed and given.has("-t", "-i", "--tty", "--stdin", "--interactive"):
        raise Writes(f"{name} with a terminal, in which a pager may open: leave out -it", head.at)


def _kubectl(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    rest = without_flags(words, _KUBECTL) if len(words) > 1 else words
    if not rest or rest[0].text != "exec":
        command, told = see(name, words, _KUBECTL)
        for path in options.check(name, told, _RAW).values("--raw") if command == "get" else ():
            if not _RAW_PATH.fullmatch(path.text):
                raise Writes("a path of which kubectl may have something done", path.at)
        return
    marks = [index for index, word in enumerate(rest) if word.text == "--"]
    if not marks:
        raise Writes("kubectl exec without --", head.at)
    table = Options(
        "-i -t -c= -n= --stdin? --tty? --container= --namespace= -q --quiet? --context="
    )
    given = options.check("kubectl exec", rest[1 : marks[0]], table)
    # Some run what stands between the pod and the mark.
    if len(given.operands) != 1 or any(not word.single for word in rest[1 : marks[0]]):
        raise Writes("kubectl exec of what is not known", head.at)
    _without_keys(analysis, "kubectl exec", given, head)
    analysis.where.moves.append(INSIDE)
    analysis.run(rest[marks[0] + 1 :])


_RAW: Final = _KUBECTL.commands["get"].also(_KUBECTL.always)
_RAW_PATH: Final = re.compile(
    r"/(?:healthz|livez|readyz|metrics|version|openapi|apis?|apis/[\w.-]+)(?:/v\w+)?(?:/namespaces/[\w.-]+)?"
    r"(?:/[\w-]+(?:/[\w.-]+(?:/(?:status|scale|log))?)?)?(?:\?[\w=&,.%-]*)?"
)
"""What the server says of itself and its objects; behind other paths, something answers that may act."""


def _docker_compose(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check the older program that is now `docker compose`."""
    if [word.text for word in words] not in (["--version"], ["version"]):
        _docker(analysis, "docker", [head._replace(text="compose"), *words], head)


_CONTAINERS: Final[dict[str, Check]] = {
    "docker-compose": _docker_compose,
    "docker": _docker,
    "podman": _docker,
    "kubectl": _kubectl,
    **checks({"helm": _HELM}),
}

CHECKS: Final[dict[str, Check]] = {
    **_CONTAINERS,
    "gh": _gh,
    "aws": _aws,
    "az": _az,
    **checks({"glab": _GLAB, "gcloud": _GCLOUD}),
}
