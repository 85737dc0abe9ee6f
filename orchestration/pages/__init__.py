"""Pages about recipes that show no table: the cascade map, and help. The site has their routes.

They stand apart from `orchestration.admin`, whose import registers with the site: the site could not import them there.
"""
