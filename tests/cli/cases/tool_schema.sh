# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2129,SC2154
# tool-schema: what models are told of the tools.

names='["run_python", "check_python", "list_packages"]'

if "$SANDGATE" tool-schema >out 2>err; then

what='mcp'
out_json '[t["name"] for t in d["tools"]] == '"$names"
out_json 'all(t["inputSchema"]["type"] == "object" and t["outputSchema"] and t["annotations"] for t in d["tools"])'
cp out listed
what='the server lists the same'
printf '%s\n%s\n%s\n' \
	'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
	'{"jsonrpc":"2.0","method":"notifications/initialized"}' \
	'{"jsonrpc":"2.0","id":2,"method":"tools/list"}' |
	"$SANDGATE" mcp >lines 2>err
tail -n 1 lines >out
out_json 'd["id"] == 2'
out_json 'd["result"]["tools"] == json.load(open("listed"))["tools"]'

# Each format says the same in its own words.
for format in openai openai-responses anthropic gemini; do
	ran "$format" 0 tool-schema --format "$format"
	case $format in
	openai) tool='t["function"]' ; list='d' ; schema=parameters ;;
	openai-responses) tool='t' ; list='d' ; schema=parameters ;;
	anthropic) tool='t' ; list='d' ; schema=input_schema ;;
	gemini)
		tool='t'
		list='d["functionDeclarations"]'
		schema=parametersJsonSchema
		;;
	esac
	out_json "[(lambda t: [${tool}['name'], ${tool}['description'], ${tool}['$schema']])(t) for t in $list] == [[t['name'], t['description'], t['inputSchema']] for t in json.load(open('listed'))['tools']]"
done
ran 'openai' 0 tool-schema --format openai
out_json 'all(set(t) == {"type", "function"} and t["type"] == "function" for t in d)'
out_json 'all(set(t["function"]) == {"name", "description", "parameters"} for t in d)'
ran 'anthropic' 0 tool-schema --format anthropic
out_json 'all(set(t) == {"name", "description", "input_schema"} for t in d)'
ran 'with limits' 0 tool-schema --format anthropic --timeout 7 --memory 1GiB
out_json '"7 s, 1024 MiB" in d[0]["description"]'
out_json 'd[0]["input_schema"]["properties"]["timeout_s"]["maximum"] == 7'
if python3 -c 'import jsonschema' 2>/dev/null; then
	yes 'the schemas are schemas' python3 -c '
import json, jsonschema
for t in json.load(open("listed"))["tools"]:
    for key in ("inputSchema", "outputSchema"):
        jsonschema.Draft202012Validator.check_schema(t[key])'
fi
full 'a full disk' 2 tool-schema

elif [ -n "${SG_BOX_MUST_WORK:-}" ]; then
	what='tool-schema'
	fail 'does not work on this host'
fi

ran 'an unknown format' 2 tool-schema --format yaml
err_has 'none of openai'
ran 'an argument' 2 tool-schema x
ran 'no such policy' 2 tool-schema --policy nosuch
ran 'no interpreter' 2 tool-schema --python /nowhere/python3
