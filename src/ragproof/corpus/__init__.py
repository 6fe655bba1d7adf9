"""Reading a corpus: from files or a server to documents, and from documents to chunks."""
