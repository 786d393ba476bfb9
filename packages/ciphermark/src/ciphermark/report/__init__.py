"""Reports made from a result document alone: terminal, HTML, Markdown, JSON, CSV."""
