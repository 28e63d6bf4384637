"""Configuration of the site; `make docs` builds it, without a network."""

import sys
from pathlib import Path

import tabcast

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "tabcast"
author = "the tabcast developers"
copyright = "the tabcast developers"
release = version = tabcast.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    # In docs/_ext:
    "mathml",  # formulas that a browser shows without a script
    "pages",  # the API reference, pages from elsewhere, output of commands
    "links",  # names of the API are links; descriptions; tables on a phone
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = [
    "generated/site",
    "sg_execution_times*",
    "auto_examples/*.ipynb",
    "auto_examples/*.py",
]
templates_path = ["_templates"]
default_role = "code"

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings have them
autodoc_mock_imports = ["torch"]  # gigabytes
numpydoc_show_class_members = False
numpydoc_xref_param_type = False  # docs/_ext/links.py
copybutton_exclude = ".linenos, .gp, .go"

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["auto_examples"],
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"(^|/)(imbalance)\.py$",
    "reference_url": {"tabcast": None},  # names in the code are links
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 10_000,
    "abort_on_example_error": True,
    "matplotlib_animations": False,
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "tabcast"
html_favicon = "_static/favicon.svg"
html_extra_path = ["generated/site"]  # reports
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_sidebars = {"when_it_helps": []}  # no page below it
html_copy_source = False
html_use_index = False
html_theme_options = {
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
