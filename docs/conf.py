"""How Sphinx builds the site; `byhand site` lays out what it reads."""

project = "Transformer by Hand"
language = "en"
extensions = ["myst_nb"]

# Outputs are those that the notebooks hold.
nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
# Every link must lead somewhere.
nitpicky = True

# All that a page loads lies beside it.
mathjax_path = "vendor/mathjax/tex-chtml.js"
# Without its menu a formula is no stop for the Tab key; readers of the screen get it as MathML.
mathjax3_config = {"options": {"enableMenu": False}}
# For a notebook that holds a live widget; those of the course do not.
nb_ipywidgets_js = {"vendor/widgets/require.js": {}, "vendor/widgets/embed-amd.js": {"data-jupyter-widgets-cdn": "./"}}

html_theme = "furo"
html_title = project
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
templates_path = ["_templates"]
# displays.css holds the rules of all displays, once.
html_css_files = ["displays.css", "byhand.css"]
html_js_files = [("byhand.js", {"defer": "defer"})]
html_copy_source = False
html_show_copyright = False
html_use_index = False
html_theme_options = {"top_of_page_buttons": []}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def setup(app):
    """Give the headings of the site's contents a level, which Sphinx leaves out."""

    def name_levels(app, page, template, context, doctree):
        for key in ("furo_navigation_tree", "body"):
            if context.get(key):
                context[key] = context[key].replace('role="heading">', 'role="heading" aria-level="2">')

    app.connect("html-page-context", name_levels, priority=900)
