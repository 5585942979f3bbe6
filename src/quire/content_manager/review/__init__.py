"""Review workflows: stages that entries pass before they are published.

`workflows` reads and writes Strapi's tables for them, `entries` knows the stage of an entry and who
may move it.
"""
