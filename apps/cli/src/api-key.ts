import type { CliContext } from './context.js';

/** Keys come from the environment: `OPENAI_API_KEY` goes to OpenAI alone, `REDEF_SERVER_KEY` to the others. */
export function apiKeyFrom(env: CliContext['env']): (baseURL: string | undefined) => string | undefined {
  return (baseURL) => (baseURL === undefined ? env.OPENAI_API_KEY : env.REDEF_SERVER_KEY);
}
