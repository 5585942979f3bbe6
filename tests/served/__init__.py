"""Tests of a whole server: uvicorn, the protocol class, all routes, over sockets."""
