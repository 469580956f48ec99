"""The outcomes of expectations for other programs: JUnit, Markdown, annotations, a badge."""
