"""Calls and replies checked against GitHub's own description of its API."""

import json
import re
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from hub import Exchange, Reply, Request
from jsonschema import Draft202012Validator, FormatChecker
from packages import UnavailableError, file_of

_VERSION = "23.0.2"
ENTERPRISE = "ghes-3.17"
"""The oldest Enterprise Server that is described."""
_VERBS = frozenset({"get", "post", "patch", "put", "delete"})
_FORMATS = FormatChecker(())
_JSON = "application/json"


@_FORMATS.checks("date-time")
def _is_time(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


@_FORMATS.checks("uri")
def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or bool(urlsplit(value).scheme)


class ContractError(AssertionError):
    """A call or a reply is not as described."""


class Operation(NamedTuple):
    """One operation; ``values`` are those of the parameters in the path, decoded."""

    template: str
    definition: dict[str, Any]
    values: dict[str, str]


def fetch_description(name: str = "api.github.com") -> "Description | str":
    """The description of github.com or of an Enterprise Server, or why there is none."""
    try:
        files = [f"generated/{one}.json" for one in (name, "api.github.com", ENTERPRISE)]
        path = file_of("@octokit/openapi", _VERSION, *files)
    except UnavailableError as error:
        return str(error)
    return Description(json.loads(path.read_bytes()))


class Description:
    """An OpenAPI 3.0 document. Schemas are looked at when they are needed."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._schemas: dict[str, Any] = {}
        self._validators: dict[str, Draft202012Validator] = {}

    def check(self, exchange: Exchange) -> None:
        """Check a call, and its reply if it is meant to be GitHub's.

        Raises:
            ContractError: one of them is not as described.
        """
        if exchange.request.path.startswith(("/repositories/", "/repos/octo-org/old-name/")):
            return  # where a repository was or is, by redirects that nothing describes
        operation = self.operation(exchange.request)
        self._check_parameters(operation, exchange.request)
        self._check_body(operation, exchange.request)
        if exchange.reply is not None and not exchange.injected:
            self._check_reply(operation, exchange.request, exchange.reply)

    def operation(self, request: Request) -> Operation:
        """The operation that a call is of.

        Raises:
            ContractError: there is none.
        """
        for pattern, template in self._patterns:
            found = pattern.fullmatch(request.path)
            definition = self._document["paths"][template].get(request.method.lower())
            if found is not None and definition is not None:
                values = {name: unquote(value) for name, value in found.groupdict().items()}
                return Operation(template, definition, values)
        raise ContractError(f"no operation {request.method} {request.path}")

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], str]]:
        """Shapes of all paths, those that name most first."""
        found = []
        for template, item in self._document["paths"].items():
            if not template.startswith("/repos/"):
                continue
            wide = {
                parameter["name"]
                for verb in _VERBS & set(item)
                for parameter in map(self._resolved, item[verb].get("parameters", []))
                if parameter.get("x-multi-segment")
            }
            pattern = re.sub(
                r"\\{(\w+)\\}",
                lambda name, wide=wide: f"(?P<{name[1]}>{'.+' if name[1] in wide else '[^/]+'})",
                re.escape(template),
            )
            found.append((template.count("{"), re.compile(pattern), template))
        return [(pattern, template) for _, pattern, template in sorted(found, key=lambda f: f[0])]

    def _check_parameters(self, operation: Operation, request: Request) -> None:
        given = {("path", name): value for name, value in operation.values.items()}
        given |= {("query", name): value for name, value in request.query.items()}
        for parameter in map(self._resolved, operation.definition.get("parameters", [])):
            value = given.pop((parameter["in"], parameter["name"]), None)
            if value is None:
                if parameter.get("required"):
                    raise ContractError(f"{operation.template} lacks {parameter['name']}")
                continue
            typed = parameter["schema"].get("type") == "integer" and value.isdigit()
            where = f"{operation.template} {parameter['name']}"
            self._validate(int(value) if typed else value, parameter["schema"], where)
        if given:
            raise ContractError(f"{operation.template} takes no {', '.join(map(str, given))}")

    def _check_body(self, operation: Operation, request: Request) -> None:
        described = operation.definition.get("requestBody")
        if described is None:
            if request.body:
                raise ContractError(f"{operation.template} takes no body")
            return
        if request.headers.get("content-type") != _JSON:
            raise ContractError(f"{operation.template} takes JSON")
        schema = described["content"][_JSON]["schema"]
        self._validate(request.json, schema, f"body of {operation.template}")
        more = set(request.json) - set(schema["properties"])
        if more:
            raise ContractError(f"{operation.template} takes no {', '.join(more)} in its body")

    def _check_reply(self, operation: Operation, request: Request, reply: Reply) -> None:
        where = f"reply {reply.status} of {operation.template}"
        described = operation.definition["responses"].get(str(reply.status))
        if described is None:
            # Refusals that any call may meet are not listed with each.
            if reply.status not in (401, 403, 404, 429):
                raise ContractError(f"{where} is not described")
            described = self._document["components"]["responses"]["not_found"]
        if isinstance(reply.body, bytes):
            if "raw" not in request.headers["accept"]:
                raise ContractError(f"{where} is not what was asked for")
            return
        content = self._resolved(described)["content"]
        special = "application/vnd.github.object"
        media = special if special in content and "object" in request.headers["accept"] else _JSON
        self._validate(reply.body, content[media]["schema"], where)

    def _validate(self, value: Any, schema: dict[str, Any], where: str) -> None:
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            whole = {**self._converted(schema), "components": {"schemas": self._schemas}}
            self._validators[key] = Draft202012Validator(whole, format_checker=_FORMATS)
        problem = next(iter(self._validators[key].iter_errors(value)), None)
        if problem is not None:
            raise ContractError(f"{where} at {problem.json_path}: {problem.message[:300]}")

    def _converted(self, node: Any) -> Any:
        """A schema in the words of JSON Schema; those that it refers to are kept aside."""
        if isinstance(node, list):
            return [self._converted(item) for item in node]
        if not isinstance(node, dict):
            return node
        reference = node.get("$ref")
        if isinstance(reference, str):
            name = reference.removeprefix("#/components/schemas/")
            if name not in self._schemas:
                self._schemas[name] = {}
                found = self._document["components"]["schemas"][name]
                self._schemas[name] = self._converted(found)
        made = {key: self._converted(item) for key, item in node.items() if key != "example"}
        if made.pop("nullable", None) is True:
            return {"anyOf": [{"type": "null"}, made]}
        return made

    def _resolved(self, node: dict[str, Any]) -> dict[str, Any]:
        """A parameter or response, or what it refers to."""
        reference = node.get("$ref")
        if reference is None:
            return node
        found: Any = self._document
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
        return found
