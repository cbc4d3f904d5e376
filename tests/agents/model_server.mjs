// A model that asks for one shell command after the other and then says "done": Messages (Claude Code), Responses (Codex),
// Chat Completions (opencode, Copilot CLI) and generateContent (Gemini CLI), streamed or not. Each result of a command that
// an agent sends is a line of RESULTS. It listens on port 443 with DIRECTORY/server.pem and DIRECTORY/server.key.
//
//   COMMANDS='["make", "cat log"]' RESULTS=results node model_server.mjs 192.0.2.1 DIRECTORY
import fs from 'node:fs';
import https from 'node:https';

const commands = JSON.parse(process.env.COMMANDS);
const names = ['Bash', 'bash', 'exec_command', 'shell_command', 'run_shell_command', 'shell'];
const [address, directory] = process.argv.slice(2);
let told = 0;

// What a request has of results, oldest first, as text.
function resultsOf(asked) {
  const messages = asked.messages ?? asked.contents ?? (Array.isArray(asked.input) ? asked.input : []);
  return messages.flatMap((message) => {
    if (message.type === 'function_call_output') return [message.output];
    if (message.role === 'tool') return [message.content];
    if (message.parts) return message.parts.filter((part) => part.functionResponse).map((part) => part.functionResponse.response);
    const parts = Array.isArray(message.content) ? message.content : [];
    return parts.filter((part) => part.type === 'tool_result').map((part) => part.content);
  }).map((result) => typeof result === 'string' ? result : JSON.stringify(result));
}

// The next command and the tool for it; null: there is nothing left to do.
function nextCall(asked) {
  const results = resultsOf(asked);
  for (; told < results.length; ++told) fs.appendFileSync(process.env.RESULTS, JSON.stringify(results[told]) + '\n');
  const tools = (asked.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? [tool.function ?? tool]).map((tool) => tool.name);
  const tool = names.find((name) => tools.includes(name));
  const command = commands[results.length];
  if (!tool || command === undefined) return null;
  const input = {exec_command: {cmd: command}, shell: {command: ['bash', '-c', command]}}[tool] ?? {command, description: 'a step'};
  return {tool, id: `call_${results.length}`, input};
}

const event = (type, data) => `event: ${type}\ndata: ${JSON.stringify({type, ...data})}\n\n`;

function messages(asked, call) {
  const block = call ? {type: 'tool_use', id: call.id, name: call.tool, input: call.input} : {type: 'text', text: 'done'};
  const stop_reason = call ? 'tool_use' : 'end_turn';
  const message = {id: 'msg', type: 'message', role: 'assistant', model: asked.model, content: [], stop_reason: null,
                   stop_sequence: null, usage: {input_tokens: 1, output_tokens: 1}};
  if (!asked.stream) return JSON.stringify({...message, content: [block], stop_reason});
  const delta = call ? {type: 'input_json_delta', partial_json: JSON.stringify(call.input)} : {type: 'text_delta', text: 'done'};
  return event('message_start', {message}) +
    event('content_block_start', {index: 0, content_block: call ? {...block, input: {}} : {type: 'text', text: ''}}) +
    event('content_block_delta', {index: 0, delta}) + event('content_block_stop', {index: 0}) +
    event('message_delta', {delta: {stop_reason, stop_sequence: null}, usage: {output_tokens: 1}}) + event('message_stop', {});
}

function responses(call) {
  const item = call
    ? {type: 'function_call', id: 'item', call_id: call.id, name: call.tool, arguments: JSON.stringify(call.input)}
    : {type: 'message', role: 'assistant', id: 'item', content: [{type: 'output_text', text: 'done'}]};
  const usage = {input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null, total_tokens: 2};
  return event('response.created', {response: {id: 'response'}}) +
    event('response.output_item.done', {output_index: 0, item}) +
    event('response.completed', {response: {id: 'response', usage}});
}

function completions(asked, call) {
  const message = call
    ? {role: 'assistant', content: null,
       tool_calls: [{index: 0, id: call.id, type: 'function', function: {name: call.tool, arguments: JSON.stringify(call.input)}}]}
    : {role: 'assistant', content: 'done'};
  const finish_reason = call ? 'tool_calls' : 'stop';
  const all = {id: 'completion', created: 1, model: asked.model};
  const usage = {prompt_tokens: 1, completion_tokens: 1, total_tokens: 2};
  if (!asked.stream)
    return JSON.stringify({...all, object: 'chat.completion', choices: [{index: 0, message, finish_reason}], usage});
  const chunk = (choice) => 'data: ' + JSON.stringify({...all, object: 'chat.completion.chunk', choices: [{index: 0, ...choice}]}) + '\n\n';
  return chunk({delta: message, finish_reason: null}) + chunk({delta: {}, finish_reason}) + 'data: [DONE]\n\n';
}

function contents(path, call) {
  const part = call ? {functionCall: {id: call.id, name: call.tool, args: call.input}} : {text: 'done'};
  const answer = JSON.stringify({candidates: [{content: {role: 'model', parts: [part]}, finishReason: 'STOP', index: 0}],
                                 usageMetadata: {promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2}});
  return path.endsWith(':streamGenerateContent') ? `data: ${answer}\n\n` : answer;
}

function answerTo(path, asked) {
  if (path === '/v1/messages') return messages(asked, nextCall(asked));
  if (path === '/v1/messages/count_tokens') return '{"input_tokens": 1}';
  if (path === '/v1/responses') return responses(nextCall(asked));
  if (path === '/v1/chat/completions') return completions(asked, nextCall(asked));
  if (/:(streamG|g)enerateContent$/.test(path)) return contents(path, nextCall(asked));
  return null;
}

const tls = {cert: fs.readFileSync(`${directory}/server.pem`), key: fs.readFileSync(`${directory}/server.key`)};
https.createServer(tls, async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  const path = request.url.split('?')[0];
  const answer = request.method === 'POST' ? answerTo(path, JSON.parse(body || '{}')) : null;
  const type = answer?.startsWith('{') || answer === null ? 'application/json' : 'text/event-stream';
  const refusal = request.headers.upgrade ? 426 : 404; // no WebSocket: Codex asks again without
  response.writeHead(answer === null ? refusal : 200, {'content-type': type});
  response.end(answer ?? '{}');
}).listen(443, address);
