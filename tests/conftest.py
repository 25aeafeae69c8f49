from hypothesis import settings

settings.register_profile("untied", derandomize=True, deadline=None, database=None, print_blob=False)
settings.load_profile("untied")
