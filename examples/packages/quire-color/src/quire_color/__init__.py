"""Colors for content types of Quire, with a picker in the admin UI."""
