"""Quire's own routes below ``/admin/x``, which Strapi does not have."""
