"""Export archives: the content of a project in the file format of ``strapi export``.

`archive_format` has the members and lines of an archive, `cipher` its encryption; `unpacking` reads
one into a folder, `exporting` writes one from one snapshot of the content. `importing` stores the
content of an archive in a project in one transaction. Rows are copied unchanged, by id: no action
of the document service runs, no webhook is called.
"""
