"""``POST /api/_batch``: several writes in one request, all or none."""
