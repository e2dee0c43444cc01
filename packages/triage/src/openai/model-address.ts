import { RedefError } from '@redef/core';

/** A model, and the server that is asked for it. */
export interface ModelAddress {
  model: string;
  /** Of an OpenAI-compatible server, with its version: `http://127.0.0.1:8080/v1`. Absent for OpenAI's own. */
  baseURL?: string;
}

/**
 * `MODEL` of OpenAI, or `MODEL@URL` of any compatible server.
 *
 * @throws `RedefError` of {@link serverOf}
 */
export function parseModelAddress(text: string): ModelAddress {
  const at = text.search(/@https?:\/\//i);
  const address = at < 0 ? { model: text } : { model: text.slice(0, at), baseURL: text.slice(at + 1) };
  serverOf(address);
  return address;
}

/**
 * `openai`, or the host and port of a base URL. A name that no model of OpenAI can have is refused where there is no base
 * URL: it is most likely a mistyped address, and would send the code, and OpenAI's key, to another place than was meant.
 *
 * @throws `RedefError` `invalid-option`, which repeats neither name nor URL: what was typed may hold a password
 */
export function serverOf({ model, baseURL }: ModelAddress): string {
  if (baseURL === undefined) {
    if (/^[\w.:-]+$/.test(model)) return 'openai';
    throw invalid(
      model.includes('@')
        ? 'What follows the @ of a model is no http or https URL'
        : 'The name of the model is none that OpenAI can have, and there is no URL of another server',
      'Write MODEL@http://127.0.0.1:8080/v1 (or pass the base URL by itself) for a server of your own.',
    );
  }
  if (model.trim() === '') throw invalid('There is a URL and no model', 'Name the model that the server should run.');
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw invalid('The base URL is no http or https URL', 'Pass it whole: http://127.0.0.1:8080/v1');
  }
  if (url.username || url.password) {
    throw invalid(
      'The base URL holds a user name or password',
      'Pass the credential as the key: a URL ends up in logs.',
    );
  }
  return url.host;
}

function invalid(message: string, remedy: string): RedefError {
  return new RedefError(message, { code: 'invalid-option', remedy });
}
