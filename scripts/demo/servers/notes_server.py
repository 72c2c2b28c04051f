"""A server for `deno task demo:servers`, made with the SDK for Python from PyPI. argv: a file with its tool's description."""
import sys

from mcp.server.fastmcp import FastMCP

server = FastMCP("notes")


@server.tool(description=open(sys.argv[1]).read())
def save(file: str, text: str) -> str:
    with open(file, "a") as notes:
        notes.write(text + "\n")
    return "saved " + file


server.run()
