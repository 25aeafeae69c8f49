"""The documentation site: pages of the repository, and pages made from the package itself, built by Zensical."""
