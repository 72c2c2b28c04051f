"""A server for `deno task demo:servers`, made with fastmcp from PyPI. argv: a file with the description of its tool."""
import sys

from fastmcp import FastMCP

server = FastMCP("notes")


@server.tool(description=open(sys.argv[1]).read())
def save(file: str, text: str) -> str:
    with open(file, "a") as notes:
        notes.write(text + "\n")
    return "saved " + file


server.run(show_banner=False)
