"""What has changed in a repository, and comments on it: read from git, without changing anything there."""
