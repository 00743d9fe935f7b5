"""Tells the stories with a client from PyPI: `python python.py mcp|fastmcp STORIES REACH`."""

import asyncio
import json
import sys

import fastmcp
import httpx2
import mcp
import mcp_types
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from mcp.client.streamable_http import streamable_http_client

name, stories, reach = sys.argv[1:]
reach = json.loads(reach)
headers = {"Authorization": f"Bearer {reach.get('user')}"}


def write(**line):
    print(json.dumps(line), flush=True)


class User:
    """Answers what it is asked, as the story says."""

    def __init__(self, story):
        self.answers = list(story["answers"])
        self.asked = []

    def answer(self, params):
        self.asked.append(params.message)
        page = params.mode == "url"
        fits = (lambda to: to == "url") if page else (lambda to: to in params.requested_schema["properties"])
        found = next((answer for answer in self.answers if fits(answer["to"])), None)
        if not found:
            raise LookupError(f"no answer to: {params.message}")
        self.answers.remove(found)
        if page and found["action"] == "accept":
            write(open=params.url)
        return mcp_types.ElicitResult(action=found["action"], content=found.get("content"))


async def by_mcp(story, user):
    async def answer(context, params):
        return user.answer(params)

    options = {"elicitation_callback": answer} if story["can"] else {}
    if command := reach.get("command"):
        server = mcp.StdioServerParameters(command=command[0], args=command[1:])
        async with mcp.Client(server, **options) as client:
            await call(client.call_tool, story, user)
        return
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        server = streamable_http_client(reach["url"], http_client=http)
        async with mcp.Client(server, **options) as client:
            await call(client.call_tool, story, user)


async def by_fastmcp(story, user):
    async def answer(message, response_type, params, context):
        return user.answer(params)

    options = {"elicitation_handler": answer} if story["can"] else {}
    if command := reach.get("command"):
        server = StdioTransport(command=command[0], args=command[1:], keep_alive=False)
    else:
        server = StreamableHttpTransport(reach["url"], headers=headers)
    async with fastmcp.Client(server, **options) as client:
        await call(client.call_tool_mcp, story, user)


async def call(tool, story, user):
    try:
        result = await tool(story["tool"], {})
        text = "".join(block.text for block in result.content)
        write(story=story["story"], asked=user.asked, isError=bool(result.is_error), text=text)
    except mcp.MCPError as error:
        write(story=story["story"], asked=user.asked, code=error.error.code, text=str(error))


async def main():
    with open(stories, encoding="utf-8") as file:
        told = json.load(file)
    for story in told:
        if name not in story.get("not", {}):
            await {"mcp": by_mcp, "fastmcp": by_fastmcp}[name](story, User(story))


asyncio.run(main())
