// Serves the audit of a folder in a process of its own, which the test kills, and prints the addresses.
import { serveAudit } from '../src/audit/serve.js';

const { urls } = await serveAudit(process.argv[2]!, { reviewers: ['ada', 'grace'] });
process.stdout.write(`${JSON.stringify(urls)}\n`);
