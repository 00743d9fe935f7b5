// Tells the stories with the client of the TypeScript SDK: `node typescript.mjs MODULES STORIES REACH`.
// The other drivers take the same arguments after their own and write the same lines.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, stories, reach] = process.argv.slice(2);
const sdk = join(modules, '@modelcontextprotocol/client/dist');
const { Client, StreamableHTTPClientTransport } = await import(pathToFileURL(join(sdk, 'index.mjs')));
const { StdioClientTransport } = await import(pathToFileURL(join(sdk, 'stdio.mjs')));

const write = line => process.stdout.write(JSON.stringify(line) + '\n');
const to = JSON.parse(reach);

function transport() {
  if (to.url) {
    const headers = { Authorization: `Bearer ${to.user}` };
    return new StreamableHTTPClientTransport(new URL(to.url), { requestInit: { headers } });
  }
  const [command, ...args] = to.command;
  return new StdioClientTransport({ command, args });
}

async function tell(story) {
  const asked = [];
  const answers = [...story.answers];
  const can = story.can.map(mode => [mode, {}]);
  const capabilities = can.length ? { elicitation: Object.fromEntries(can) } : {};
  const client = new Client(
    { name: 'typescript', version: '1.0.0' },
    { capabilities, versionNegotiation: { mode: 'auto' } },
  );
  if (can.length) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      const fits = ({ to }) => (params.mode === 'url' ? to === 'url' : to in params.requestedSchema.properties);
      const at = answers.findIndex(fits);
      if (at < 0) throw new Error(`no answer to: ${params.message}`);
      const [{ action, content }] = answers.splice(at, 1);
      if (params.mode === 'url' && action === 'accept') write({ open: params.url });
      return { action, ...(content && { content }) };
    });
  }
  try {
    await client.connect(transport());
    const { content, isError = false } = await client.callTool({ name: story.tool, arguments: {} });
    write({ story: story.story, asked, isError, text: content.map(block => block.text).join('') });
  } catch (error) {
    write({ story: story.story, asked, code: error.code ?? 0, text: String(error) });
  } finally {
    await client.close();
  }
}

for (const story of JSON.parse(readFileSync(stories, 'utf8'))) {
  if (!story.not?.typescript) await tell(story);
}
