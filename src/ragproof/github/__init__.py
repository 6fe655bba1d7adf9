"""What is read from and written to GitHub."""
