import { RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import { parseModelAddress } from './model-address.js';
import { createOpenAIVoter } from './voter.js';

test('a model of OpenAI, or a model and the URL of a server', () => {
  expect(parseModelAddress('gpt-4o-2024-08-06')).toEqual({ model: 'gpt-4o-2024-08-06' });
  expect(parseModelAddress('ft:gpt-4o-mini:an_org::a1')).toEqual({ model: 'ft:gpt-4o-mini:an_org::a1' });
  expect(parseModelAddress('org/m:7b@http://127.0.0.1:8080/v1')).toEqual({
    model: 'org/m:7b',
    baseURL: 'http://127.0.0.1:8080/v1',
  });
  expect(parseModelAddress('@cf/m@HTTPS://example.org/v1')).toEqual({
    model: '@cf/m',
    baseURL: 'HTTPS://example.org/v1',
  });
});

test('nothing that may be a mistyped address is taken for a model of OpenAI', () => {
  for (const text of [
    'm@127.0.0.1:8899/v1',
    'm@localhost',
    'm@notaurl',
    'm@ftp://x',
    'm@http:/127.0.0.1/v1',
    'm@http://',
    'm@ http://127.0.0.1/v1',
    'm@//127.0.0.1/v1',
    'm@',
    '@',
    'http://127.0.0.1:8899/v1',
    '@http://127.0.0.1:8899/v1',
    'm http://127.0.0.1:8899/v1',
    '127.0.0.1:8899/v1',
    'm@http://user:secret@127.0.0.1/v1',
    'm@user:secret@127.0.0.1/v1',
    '',
  ]) {
    const failure = thrownBy(() => parseModelAddress(text));
    expect(failure, text).toMatchObject({ code: 'invalid-option', remedy: expect.stringMatching(/\S/) });
    expect(String(failure), text).not.toContain('secret');
  }
});

test('a voter is refused before any call where its name is an address or its base URL none of the web', () => {
  const calls: unknown[] = [];
  const fetch = async (url: unknown) => {
    calls.push(url);
    return Response.json({});
  };
  for (const options of [
    { model: 'm@127.0.0.1:8899/v1' },
    { model: 'm@HTTP://127.0.0.1:8899/v1' },
    { model: 'm', baseURL: 'ftp://127.0.0.1/v1' },
    { model: 'm', baseURL: '127.0.0.1:8899/v1' },
    { model: 'm', baseURL: 'localhost:8899/v1' },
    { model: 'm', baseURL: '' },
  ]) {
    const failure = thrownBy(() => createOpenAIVoter({ apiKey: 'k', fetch, ...options }));
    expect(failure, JSON.stringify(options)).toMatchObject({ code: 'invalid-option' });
  }
  expect(calls).toEqual([]);
});

function thrownBy(task: () => unknown): RedefError | undefined {
  try {
    task();
  } catch (error) {
    return RedefError.isInstance(error) ? error : undefined;
  }
  return undefined;
}
