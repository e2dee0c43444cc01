// Ids of the edge strings through `fromTransformers` for one version of Transformers.js, against the goldens of the reference.
// Installs it in a temporary folder by npm, since it weighs 200 MB and more; the test suite has version 2, of which one source
// file needs no runtime.
//
//   pnpm --filter @redef/encoders build && node packages/encoders/test/transformers-version.mjs <package@version> [folder of tokenizers]
//
// for @xenova/transformers@2 and @huggingface/transformers@3 and @4. Without a folder of published tokenizers, with
// `codebert-base` in it, the small vocabulary of the fixtures alone is used.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromTransformers } from '@redef/encoders';

const fixtures = fileURLToPath(new URL('./fixtures/', import.meta.url));
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const { tags, strings, golden } = read(`${fixtures}golden-ids.json`);
golden['small-bpe'] = read(`${fixtures}small-bpe/golden-ids.json`);
const [wanted, published] = process.argv.slice(2);
const name = wanted.slice(0, wanted.lastIndexOf('@'));
const vocabularies = [['small-bpe', 'roberta', `${fixtures}small-bpe`]];
if (published) vocabularies.push(['codebert-base', 'codebert', join(published, 'codebert-base')]);

const folder = mkdtempSync(join(tmpdir(), 'redef-transformers-'));
try {
  // Version 2 asks for a sharp that is built at install; tokenizers need none.
  const overrides = name === '@xenova/transformers' ? { sharp: '0.34.4' } : {};
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }));
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', wanted], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  writeFileSync(join(folder, 'entry.mjs'), `export { AutoTokenizer, env } from '${name}';\n`);
  const { AutoTokenizer, env } = await import(join(folder, 'entry.mjs'));
  env.allowRemoteModels = false;
  env.localModelPath = `${folder}/models/`;
  const { version } = read(join(folder, 'node_modules', name, 'package.json'));
  for (const [vocabulary, preset, source] of vocabularies) {
    const model = join(folder, 'models', vocabulary);
    mkdirSync(model, { recursive: true });
    cpSync(source, model, { recursive: true });
    const config = join(model, 'tokenizer_config.json');
    if (!existsSync(config)) writeFileSync(config, '{"tokenizer_class": "RobertaTokenizer"}');
    const tokenizer = fromTransformers(await AutoTokenizer.from_pretrained(vocabulary), { preset }).addTokens(tags);
    const same = strings.filter((text, i) => tokenizer.encode(text).join() === golden[vocabulary][i].join());
    console.log(`${name} ${version}, ${vocabulary}: ids of ${same.length} of ${strings.length} strings equal`);
    if (same.length < strings.length) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
