// Tells the stories with the Inspector's command line: `node mcpdo.mjs MODULES STORIES REACH`. Each step is a command, as
// a person or a program types it; between them a daemon keeps the connection. Where it lives is in the environment.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [modules, stories, reach] = process.argv.slice(2);
const script = join(modules, '@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js');
const to = JSON.parse(reach);
const write = line => process.stdout.write(JSON.stringify(line) + '\n');

/** Runs one command; an error of the tool or the server is part of what it says. */
function mcpdo(...words) {
  return new Promise((resolve, reject) => {
    const options = { timeout: 60_000 };
    const child = execFile(process.execPath, [script, '--format', 'json', ...words], options, (failed, out, err) => {
      if (out.trim()) return resolve(JSON.parse(out));
      const error = err.split('\n').find(line => line.startsWith('{"error":'));
      if (error) return resolve(JSON.parse(error));
      if (failed) return reject(new Error(`${words.join(' ')}: ${failed}\n${err}`));
      resolve({});
    });
    child.stdin.end();
  });
}

async function connect(mode) {
  const name = `with-${mode}`;
  const options = ['--era', 'auto', '--elicit', mode, '--connection', name];
  const server = to.url ? [to.url, '--header', `Authorization: Bearer ${to.user}`] : ['--', ...to.command];
  await mcpdo('connect', ...options, ...server);
  return `@${name}`;
}

async function tell(story, connection) {
  const asked = [];
  const answers = [...story.answers];
  let said = await mcpdo(connection, 'tools/call', story.tool);
  while (said.elicitationPending) {
    const { elicitationId, mode, message, url, requestedSchema } = said.elicitationPending;
    asked.push(message);
    const at = answers.findIndex(({ to }) => (mode === 'url' ? to === 'url' : to in requestedSchema.properties));
    if (at < 0) throw new Error(`no answer to: ${message}`);
    const [{ action, content }] = answers.splice(at, 1);
    const accepted = mode === 'url' ? '--done' : JSON.stringify(content);
    if (url && action === 'accept') write({ open: url });
    said = await mcpdo('elicitation/respond', elicitationId, action === 'accept' ? accepted : `--${action}`);
  }
  const { content, isError, error } = said;
  // It does not say which code an error has.
  if (error) write({ story: story.story, asked, code: null, text: error.message });
  else write({ story: story.story, asked, isError, text: content.map(block => block.text).join('') });
}

const told = JSON.parse(readFileSync(stories, 'utf8')).filter(story => !story.not?.mcpdo);
try {
  const mode = ({ can }) => (can.length === 2 ? 'both' : (can[0] ?? 'off'));
  const connections = new Map();
  for (const each of new Set(told.map(mode))) connections.set(each, await connect(each));
  for (const story of told) await tell(story, connections.get(mode(story)));
} finally {
  await mcpdo('daemon', 'stop');
}
