"""Review workflows: stages that entries pass before they are published.

`workflows` keeps them in the tables that Strapi has for them, `entries` says where an entry is and
who may move it.
"""
