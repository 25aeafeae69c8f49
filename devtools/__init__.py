"""What ``dev.py`` is made of; runs on a bare Python 3.11."""
