"""Results, and their output: values, tables, text, plots, files."""
