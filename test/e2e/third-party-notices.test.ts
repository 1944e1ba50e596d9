import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'

const root = join(import.meta.dirname, '..', '..')
const dist = join(root, 'dist')

/** The notices of the build by package. */
async function notices(): Promise<Map<string, string>> {
  const text = await readFile(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
  const entries = text.split(`${'='.repeat(80)}\n`).slice(1)
  return new Map(entries.map(entry => [/^\S+/u.exec(entry)?.[0] ?? '', entry]))
}

test('every package that a bundle names in its comments has its notice', async t => {
  const known = await notices()
  // The CLI's bundles are minified and contain no package names, so their main packages are listed here.
  const named = new Set(['@oclif/core', '@modelcontextprotocol/sdk', 'ink', 'react', 'yoga-layout', 'execa'])
  // Files beside the bundles, and the repositories they were compiled from.
  for (const name of ['@vscode/tree-sitter-wasm', 'tree-sitter', 'tree-sitter-cpp']) named.add(name)

  for (const file of (await readdir(dist)).filter(name => /\.c?js$/u.test(name))) {
    const text = await readFile(join(dist, file), 'utf8')
    for (const [, name = ''] of text.matchAll(
      /\/\/ node_modules\/(?:\S*\/node_modules\/)?((?:@[^/\s]+\/)?[^/\s]+)\//gu,
    ))
      named.add(name)
  }
  // An alias: its notice has the package's own name.
  t.true(named.delete('@xenova/transformers'))
  for (const name of ['@huggingface/transformers', 'onnxruntime-web']) named.add(name)
  t.true(named.size > 50, String(named.size))
  t.deepEqual(
    [...named].filter(name => !known.has(name)),
    [],
  )
})

test('the dependencies are exactly the packages that the bundles leave external', async t => {
  const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  // Only the hook uses semver, once after an update.
  t.deepEqual(Object.keys(dependencies).sort(), ['@firecrawl/anydoc', 'semver', 'unpdf'])
})

test('each notice has a licence and its text', async t => {
  const known = await notices()
  const bare = [...known].filter(([, entry]) => {
    const text = entry.slice(entry.indexOf('\n\n')).trim()
    return (
      !/^Licence: \S/mu.test(entry) || !/copyright|permission|licen[cs]e/iu.test(text) || text.length < 100
    )
  })
  t.deepEqual(bare, [])
})

test('the notices are in the published package', async t => {
  const { files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { files: string[] }
  t.true(files.includes('dist'))
})
