// Answers every chat completion after a fixed latency. Runs in a process of its own: node slow-server.mjs LATENCY_MS
import { createServer } from 'node:http';

const latencyMs = Number(process.argv[2]);
const categories = ['A', 'B', 'B', 'B', 'C'];
let count = 0;
const server = createServer((request, response) => {
  const arrived = performance.now();
  request.resume();
  request.on('end', () => {
    const content = JSON.stringify({
      category: categories[count++ % categories.length],
      rationale: 'The revert names a crash that the change caused.',
      quotes: ['crashes'],
    });
    const body = JSON.stringify({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content, refusal: null } }],
      usage: { prompt_tokens: 1500, completion_tokens: 60, total_tokens: 1560 },
    });
    setTimeout(
      () => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(body);
      },
      latencyMs - (performance.now() - arrived),
    );
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
