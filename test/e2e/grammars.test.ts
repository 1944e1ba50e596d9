import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import test from 'ava'
import { languages } from '../../src/daemon/knowledge/code/index/languages/language-of.js'

const beside = join(import.meta.dirname, '..', '..', 'dist', 'tree-sitter')
const inPackage = dirname(createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm'))

test('exactly the grammars of all languages are beside the bundles, complete', async t => {
  const names = languages.map(({ grammar }) => `tree-sitter-${grammar}.wasm`).sort()
  t.deepEqual(
    (await readdir(beside)).sort(),
    [...names.map(name => `${name}.gz`), 'package.json', 'tree-sitter.js', 'tree-sitter.wasm'].sort(),
  )
  for (const name of names) {
    const whole = await readFile(join(inPackage, name))
    t.true(gunzipSync(await readFile(join(beside, `${name}.gz`))).equals(whole), name)
  }
})
