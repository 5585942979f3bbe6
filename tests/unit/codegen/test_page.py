"""The page on typed models shows the generated code."""

import re
from pathlib import Path

from quire.codegen import python_structs, typescript
from quire.codegen.model_classes import make_model_classes
from quire.schema.load import load_schema

ROOT = Path(__file__).parents[3]


def test_the_classes_on_the_page_are_those_of_the_example() -> None:
    schema = load_schema(ROOT / "examples" / "blog")
    page = (ROOT / "docs" / "types.md").read_text(encoding="utf-8")
    (interface,) = re.findall(r"```typescript\n(.*?)```", page, re.DOTALL)
    (class_,) = re.findall(r"```python\n(class Article\(.*?)```", page, re.DOTALL)

    in_python = python_structs.python_models(
        make_model_classes(schema, drafts=False, reserved=python_structs.RESERVED_NAMES)
    )
    in_typescript = typescript.typescript_models(
        make_model_classes(schema, drafts=False, reserved=typescript.RESERVED_NAMES)
    )

    assert class_ in in_python
    assert interface in in_typescript
