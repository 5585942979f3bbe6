"""Export archives: the content of a project in the file format of ``strapi export``.

``archive_format`` has the members and lines of an archive, ``cipher`` its encryption; ``unpacking``
reads one into a folder, ``packing`` writes one. ``importing`` puts the content of an archive into a
project in one transaction, ``exporting`` reads it in one snapshot. Rows are moved as they are, by
id: no action of the document service runs, no webhook is called.
"""
