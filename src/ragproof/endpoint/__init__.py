"""Asking a RAG endpoint over HTTP and reading what it sends."""
