"""The description of the content API: one module per resource."""
