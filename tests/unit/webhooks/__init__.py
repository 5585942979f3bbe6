"""What is told of what happened, and to whom."""
