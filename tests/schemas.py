"""Does the JSON that the program printed hold to its schema in docs/schema?

    python3 tests/schemas.py FILE...

Each file has command lines, and below each the object that it printed, in one line. Where a
command line begins with "strict" the schema must also refuse the object when a member is left
out that is not optional, or has another type. What occurs again is looked at once.

Status 77, and one line, where python3 has no jsonschema that knows draft 2020-12."""
import json
import os
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("skipped: no python3-jsonschema that knows draft 2020-12")
    sys.exit(77)

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "schema")

# Members that are there where a command line or a file asks for them, and else are not.
OPTIONAL = set("""notes offer left_out job point suggested group like observed completions
    start_s cancelled seed load chunk gamma servers predicted_step_s simulated_step_s layers_step_s
    bandwidth_bytes_per_s phases overhead accurate all elasticity types waiting_share
    profile_half_width branch order step_ends_s rates rows""".split())

# A long array is looked at so far.
ELEMENTS = 30

validators = {}


def validator_of(document):
    """That of {"schema":"sgdperf.NAME/1", ...}."""
    name = document["schema"]
    if name not in validators:
        path = os.path.join(FOLDER, name[len("sgdperf."):-len("/1")] + ".json")
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
        Draft202012Validator.check_schema(schema)
        validators[name] = Draft202012Validator(schema)
    return validators[name]


def beginning(value):
    """The value with its arrays cut."""
    if isinstance(value, dict):
        return {key: beginning(inner) for key, inner in value.items()}
    return [beginning(inner) for inner in value[:ELEMENTS]] if isinstance(value, list) else value


def damaged(document):
    """Copies of an object, each with one thing wrong, in it or in the first of its arrays."""
    for key, value in document.items():
        if key not in OPTIONAL:
            yield key + " left out", {k: v for k, v in document.items() if k != key}
        yield key + " of another type", {**document, key: {"of": "another type"}}
        first = value[0] if isinstance(value, list) and value else None
        if isinstance(first, dict):
            for what, element in damaged(first):
                yield key + ": " + what, {**document, key: [element] + value[1:]}


def faults_of(line, strict):
    """What is wrong with a line, or with its schema."""
    document = beginning(json.loads(line))
    validator = validator_of(document)
    for error in validator.iter_errors(document):
        yield "/".join(map(str, error.absolute_path)) + ": " + error.message[:300]
    if strict:
        for what, copy in damaged(document):
            if validator.is_valid(copy):
                yield "valid with " + what


def objects_of(path):
    """Pairs of a command line and the object below it."""
    command = ""
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith('{"schema":"sgdperf.'):
                yield command, line
                command = ""
            else:
                command += line


def main():
    """Counts the objects that hold."""
    seen = {}
    for path in sys.argv[1:]:
        for command, line in objects_of(path):
            seen.setdefault((line, command.startswith("strict ")), command)
    failed = 0
    for (line, strict), command in seen.items():
        faults = list(faults_of(line, strict))
        failed += bool(faults)
        if faults:
            print("failed: " + command + "    " + "\n    ".join(faults[:5]))
    print("schemas: %d passed, %d failed" % (len(seen) - failed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
