"""Results, and their ways out: values, tables, text, plots, files."""
