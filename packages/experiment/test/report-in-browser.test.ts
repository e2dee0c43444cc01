import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const example = new URL('../../../examples/five-repositories/report/report.html', import.meta.url);
const installed = isInstalled();
if (!installed) console.warn('SKIPPED: the report in a browser: install chromium');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'redef-browser-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Seen {
  /** How far the page can be scrolled sideways. */
  overflow: number;
  /** Texts and marks by kind, with the lowest contrast to the page's ground. */
  contrast: Record<string, number>;
  scheme: string;
  figures: number;
}

const look = readFileSync(new URL('./fixtures/look-at-report.mjs', import.meta.url), 'utf8');

test.skipIf(!installed).each([
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const)('at %d pixels, %s: nothing runs over the page, and all of it can be read', (width, scheme) => {
  const page = join(folder, `${width}-${scheme}.html`);
  writeFileSync(
    page,
    `<!doctype html><iframe src="${example}" style="width:${width}px;height:900px"></iframe>
<script>${look}
onload = () => { document.body.innerHTML = '<pre>' + JSON.stringify(look()) + '</pre>'; };</script>`,
  );
  const dom = execFileSync(
    'chromium',
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--allow-file-access-from-files',
      `--blink-settings=preferredColorScheme=${scheme === 'dark' ? 0 : 1}`,
      `--user-data-dir=${join(folder, 'profile')}`,
      '--dump-dom',
      `file://${page}`,
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const seen: Seen = JSON.parse(/<pre>(.*)<\/pre>/.exec(dom)![1]!);
  expect(seen).toMatchObject({ overflow: 0, scheme, figures: 8 });
  expect(seen.contrast.text).toBeGreaterThan(4.5);
  expect(seen.contrast.captions).toBeGreaterThan(4.5);
  expect(seen.contrast.labels).toBeGreaterThan(4.5);
  expect(seen.contrast.legends).toBeGreaterThan(3);
});

function isInstalled(): boolean {
  try {
    execFileSync('chromium', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
