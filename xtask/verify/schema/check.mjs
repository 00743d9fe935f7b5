// Holds messages against the published schema, more strictly than it is written: a member that it does not know is a fault.
// `node check.mjs MODULES SCHEMA < MESSAGES`: each line is {"from":"client"|"server","method":..,"text":..}, where `method`
// is of the request that a server's message answers. Prints one line for each fault, and at last how many it has read.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, file] = process.argv.slice(2);
const load = createRequire(join(modules, 'package.json'));
const { Ajv2020 } = load('ajv/dist/2020');
const addFormats = load('ajv-formats').default;

const schema = JSON.parse(readFileSync(file, 'utf8'));
const defs = schema.$defs;

// Erratum: schema.ts says `number` where the generated file says `integer`.
const value = defs.ElicitResult.properties.content.additionalProperties.anyOf.find(({ type }) => Array.isArray(type));
value.type = value.type.map(type => (type === 'integer' ? 'number' : type));

/** Forbids what is not named, in each object that names members. Parts of an `allOf` are open: the whole is closed. */
function close(node, open) {
  if (Array.isArray(node)) return node.forEach(each => close(each, open));
  if (typeof node !== 'object' || node === null) return;
  const { properties, allOf, ...rest } = node;
  Object.values(properties ?? {}).forEach(each => close(each, false));
  (allOf ?? []).forEach(each => close(each, true));
  Object.values(rest).forEach(each => close(each, false));
  const names = properties !== undefined && node.type === 'object' && node.additionalProperties === undefined;
  if (!open && (names || allOf !== undefined)) node.unevaluatedProperties = false;
}
for (const [name, def] of Object.entries(defs)) {
  // What a client can is "not a closed set", and those that speak older revisions too say some of it as there.
  if (name === 'ClientCapabilities') continue;
  // `_meta` has members that the protocol names and any others.
  close(def, name.endsWith('MetaObject'));
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(schema, 'mcp');
const compiled = new Map();
function against(def, message) {
  if (!compiled.has(def)) compiled.set(def, ajv.compile({ $ref: `mcp#/$defs/${def}` }));
  const fits = compiled.get(def);
  if (fits(message)) return [];
  // Of several ways to be right, each is told as wrong: a few lines are enough.
  return fits.errors.slice(0, 3).map(error => {
    const what = error.params.unevaluatedProperty ?? error.params.additionalProperty ?? '';
    return `${def}: ${error.instancePath || '/'} ${error.message} ${what}`.trim();
  });
}

/** The definition of the message with this `method`. Those that are sent by themselves have `jsonrpc` too. */
const named = method =>
  Object.keys(defs).find(name => {
    const { method: it, jsonrpc } = defs[name].properties ?? {};
    return it?.const === method && (jsonrpc !== undefined || name.endsWith('Notification'));
  });
const isCode = (def, code) => def?.properties?.code?.const === code;
/** The error object with this code, and the whole answer with it. */
const errorObject = code => Object.keys(defs).find(name => isCode(defs[name], code));
const errorAnswer = code => Object.keys(defs).find(name => defs[name].properties?.error?.allOf?.some(part => isCode(part, code)));

/** What may have several rounds, by the schema: its answer may be `InputRequiredResult`. */
const mayAsk = request => {
  const either = defs[`${request.replace(/Request$/, 'Result')}Response`]?.properties.result.anyOf ?? [];
  return either.some(({ $ref }) => $ref === '#/$defs/InputRequiredResult');
};

function faults({ from, method, text }) {
  const message = JSON.parse(text);
  if (message.method !== undefined) {
    const def = named(message.method);
    const isRequest = message.id !== undefined;
    if (!def || isRequest !== def.endsWith('Request')) return [`no such message: ${message.method}`];
    if (from === 'server' && isRequest) return [`a request by the server: ${message.method}`];
    return against(def, message);
  }
  if (from === 'client') return ['a client sent an answer'];
  if (message.error !== undefined) {
    const { code } = message.error;
    const object = errorObject(code);
    return [
      ...against(errorAnswer(code) ?? 'JSONRPCErrorResponse', message),
      ...(object ? against(object, message.error) : []),
    ];
  }
  const request = named(method);
  if (!request) return [`a result of ${method}, which there is not`];
  const { result, ...envelope } = message;
  const asks = result?.resultType === 'input_required';
  if (asks && !mayAsk(request)) return [`${method} may not ask`];
  // Prose, not schema: there is something to do.
  if (asks && !result.inputRequests && !result.requestState) return ['asks for nothing'];
  if (!asks && result?.resultType !== 'complete') return [`${method}: resultType is ${result?.resultType}`];
  return [
    ...against('JSONRPCResultResponse', { ...envelope, result: { resultType: 'complete' } }),
    ...against(asks ? 'InputRequiredResult' : request.replace(/Request$/, 'Result'), result),
  ];
}

let read = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  read += 1;
  const text = message.text.replace(/\s+/g, ' ').slice(0, 1000);
  for (const fault of faults(message)) console.log(`${message.from}: ${fault}: ${text}`);
}
console.log(read);
