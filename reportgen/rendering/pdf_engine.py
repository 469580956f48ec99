"""What setting a PDF needs, imported by the process that workers are forked from.

Where WeasyPrint or its Pango is missing, `pdf` says so.
"""

from contextlib import redirect_stdout, suppress
from io import StringIO

import reportgen.rendering.pdf

with suppress(ImportError, OSError), redirect_stdout(StringIO()):
    import weasyprint  # noqa: F401

__all__ = ["reportgen"]
