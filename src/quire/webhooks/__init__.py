"""What happened, told to those who listen once it is durable."""
