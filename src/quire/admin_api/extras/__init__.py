"""Routes of Quire's own, below ``/admin/x``, that the reference has nothing like."""
