"""`gh`, `glab`, `aws`, `gcloud` and `az`: commands that only query a service."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.shell import options
from nagomi_tui.shell.options import Options, Tool, checks, plain, see, without_flags
from nagomi_tui.shell.words import Writes, named

if TYPE_CHECKING:
    from nagomi_tui.shell.options import Analyser, Check
    from nagomi_tui.shell.words import Word

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


_AWS_VERB: Final = re.compile(r"(?:describe|list|get|batch-get|filter|lookup|search)-[a-z0-9-]+")
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
_AWS_OTHER: Final = named(
    "get-login get-login-password get-session-token get-federation-token get-authorization-token get-log-object "
    "get-cluster-credentials get-cluster-credentials-with-iam get-instance-access-details get-credentials"
)
"""Commands that make a token, or keep what they get."""


def aws_reads(service: str, command: str) -> bool:
    """Whether a command of `aws` only asks, and prints what it is told."""
    if command in _AWS_OTHER:
        return False
    asks = service in _AWS_SERVICES and _AWS_VERB.fullmatch(command)
    return bool(asks) or f"{service} {command}" in _AWS_SINGLE


def _aws(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    tool = Tool({}, before="--no-cli-pager --debug --no-paginate --no-verify-ssl --profile= --region= --output= "
                "--endpoint-url= --query= --color=")  # fmt: skip
    if [word.text for word in words] == ["--version"]:
        return
    rest = without_flags(words, tool)
    named = [word.text for word in rest[:2]]
    if len(named) < 2 or any(not word.known or not word.single for word in rest[:2]):
        raise Writes("aws does what is not known", head.at)
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

CHECKS: Final[dict[str, Check]] = {
    "gh": _gh,
    "aws": _aws,
    "az": _az,
    **checks({"glab": _GLAB, "gcloud": _GCLOUD}),
}
