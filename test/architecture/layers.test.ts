import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { readSources, root, type SourceFile, sourceTree } from '../helpers/source-tree.js'

interface Layers {
  folders: Readonly<Record<string, { entry: string; mayImport: readonly string[] }>>
  /** Floors of the daemon from the bottom up: each may import those below it, and none above. */
  floors: readonly { name: string; entry: string }[]
}

/** The same data produces the tables of docs/architecture.md. */
const layers: Layers = JSON.parse(readFileSync(join(root, 'test/architecture/layers.json'), 'utf8'))
const floors = layers.floors.map(({ name }) => name)

/** Packages that only some folders may import, with these folders. */
const owners: Readonly<Record<string, readonly string[]>> = {
  ink: ['src/cli/tui/'],
  react: ['src/cli/tui/'],
  '@oclif/core': ['src/commands/', 'src/cli/'],
  '@modelcontextprotocol/sdk': ['src/mcp/'],
  '@streamparser/json': ['src/daemon/knowledge/sources/core/', 'src/daemon/ground/fetch/'],
  '@fastify/multipart': ['src/daemon/platform/http/'],
  '@fastify/send': ['src/daemon/platform/http/'],
  preact: ['src/ui/'],
  '@preact/signals': ['src/ui/'],
  uplot: ['src/ui/'],
  sigma: ['src/ui/knowledge/'],
  graphology: ['src/ui/knowledge/'],
  fastify: ['src/daemon/process/', 'src/daemon/platform/', 'src/daemon/sessions/harness/'],
  execa: [
    'src/client/daemon/launch.ts',
    'src/cli/operations/daemon/supervisor/run-command.ts',
    'src/daemon/',
  ],
  // Other programs keep their sessions in SQLite, too.
  'better-sqlite3': ['src/store/', 'src/cli/sessions/database-sessions.ts'],
  kysely: ['src/store/'],
  '@orama/orama': ['src/store/index/'],
  '@xenova/transformers': ['src/store/embedding/'],
  lowdb: ['src/store/files/'],
  '@napi-rs/keyring': ['src/store/secrets/'],
  undici: ['src/store/embedding/', 'src/daemon/'],
  'tar-stream': ['src/daemon/operations/backup/archive/'],
  ws: ['src/daemon/knowledge/sources/discord/gateway/'],
  '@firecrawl/anydoc': ['src/daemon/ground/extraction/'],
  '@mdream/js': ['src/daemon/ground/extraction/'],
  papaparse: ['src/daemon/ground/extraction/'],
  unpdf: ['src/daemon/ground/extraction/'],
  '@vscode/tree-sitter-wasm': ['src/daemon/knowledge/code/index/'],
}

/** Modules that take longer to load than a whole command; commands may only import them dynamically. */
const heavy = [
  'zod',
  'ink',
  'react',
  'fastify',
  'kysely',
  'better-sqlite3',
  '@orama/orama',
  '@xenova/transformers',
  'execa',
  'undici',
  'yaml',
  'semver',
  'fastest-levenshtein',
  'diff',
]

/** Packages that parse untrusted files. */
const readers = ['@firecrawl/anydoc', '@mdream/js', 'papaparse', 'unpdf']

/** The only contract files whose values the web page may load: they import nothing. */
const tables = ['src/contract/ground/wire-names.ts', 'src/contract/ground/wire-names.ts']

const sources = readSources('src')

test('imports follow the layers', t => {
  t.deepEqual(againstLayers(sources), [])
})

test('an import against the layers is caught', t => {
  const example = sourceTree({
    'src/store/a.ts': "import type { B } from '../daemon/ground/b.js'",
    'src/daemon/ground/b.ts': "import { c } from '../../mcp/c.js'",
    'src/mcp/c.ts': '',
    'src/daemon/platform/mcp/d.ts': "import { c } from '../../../mcp/c.js'",
  })
  t.deepEqual(againstLayers(example), [
    'src/store/a.ts imports ../daemon/ground/b.js',
    'src/daemon/ground/b.ts imports ../../mcp/c.js',
  ])
})

test('the web page imports only types and plain tables of the contract, since schemas would double its size', t => {
  t.deepEqual(valuesInPage(sources), [])
  for (const table of tables) t.deepEqual(sources.find(({ path }) => path === table)?.imports, [], table)
})

test('a schema that the web page would load is caught', t => {
  const example = sourceTree({
    'src/ui/a.ts':
      "import { roles } from '../contract/roles.js'\nimport type { Role } from '../contract/roles.js'",
    'src/contract/roles.ts': '',
  })
  t.deepEqual(valuesInPage(example), ['src/ui/a.ts imports ../contract/roles.js'])
})

test('lib files of the web page need no Node module', t => {
  t.deepEqual(machineInPage(sources), [])
})

test('a lib file that needs Node and that the web page would load is caught', t => {
  const example = sourceTree({
    'src/ui/a.ts': "import { b } from '../lib/b.js'",
    'src/lib/b.ts': "import { c } from './c.js'",
    'src/lib/c.ts': "import { join } from 'node:path'",
    'src/lib/d.ts': "import { join } from 'node:path'",
  })
  t.deepEqual(machineInPage(example), ['src/lib/c.ts imports node:path'])
})

test('every folder of src has a place in the layers', t => {
  const folders = new Set(sources.map(({ path }) => folderOf(path)))
  t.deepEqual(
    [...folders].filter(folder => !(folder in layers.folders)),
    [],
  )
})

test('the entry file of each folder and floor opens with 5 to 12 lines about its part', t => {
  t.deepEqual(unexplained(sources, layers), [])
})

test('an entry file that opens with code, or with a short comment, is caught', t => {
  const example = sourceTree({
    'src/store/a.ts': "import { b } from './b.js'",
    'src/store/b.ts': '/** The store. */\nexport const b = 1',
    'src/store/c.ts': `/**\n${' * A line.\n'.repeat(5)} */\nexport const c = 1`,
  })
  const entries = ['a', 'b', 'c', 'gone'].map(name => ({ name, entry: `src/store/${name}.ts` }))
  t.deepEqual(unexplained(example, { folders: {}, floors: entries }), [
    'src/store/a.ts opens with 0 lines of comment',
    'src/store/b.ts opens with 1 lines of comment',
    'src/store/gone.ts is not there',
  ])
})

test('the floors of the daemon import only lower floors, types included', t => {
  t.deepEqual(againstFloors(sources), [])
})

test('an import of a higher floor, and a file on no floor, are caught', t => {
  const example = sourceTree({
    'src/daemon/ground/a.ts': "import type { B } from '../memory/b.js'",
    'src/daemon/memory/b.ts': "import { c } from '../sessions/hooks/c.js'",
    'src/daemon/sessions/hooks/c.ts': "import { b } from '../../memory/b.js'",
    'src/daemon/loose.ts': '',
  })
  t.deepEqual(againstFloors(example), [
    'src/daemon/ground/a.ts imports ../memory/b.js',
    'src/daemon/memory/b.ts imports ../sessions/hooks/c.js',
    'src/daemon/loose.ts is on no floor',
  ])
})

test('a package is imported only by its own folders', t => {
  t.deepEqual(strangersIn(sources), [])
})

test('an import of a package from another folder is caught', t => {
  const example = sourceTree({
    'src/cli/a.ts': "import { sql } from 'kysely'",
    'src/store/b.ts': "import { sql } from 'kysely'",
  })
  t.deepEqual(strangersIn(example), ['src/cli/a.ts imports kysely'])
})

test('everyday commands load no heavy module before they need it', t => {
  t.deepEqual(heavyCommands(sources), [])
})

test('document readers are loaded by the reading process, never by the daemon', t => {
  const byPath = new Map(sources.map(file => [file.path, file]))
  const readersOf = (name: string): string[] =>
    [...packagesLoadedBy(`src/daemon/ground/extraction/${name}`, byPath)].filter(one => readers.includes(one))
  t.deepEqual(readersOf('extractor.ts'), [])
  t.deepEqual(readersOf('reading-thread.ts').sort(), ['@mdream/js', 'papaparse'])
})

test('the hook command is CommonJS, since Node’s module loader takes longer than a hook', t => {
  const text = (name: string): string => readFileSync(join(root, 'bin', name), 'utf8')
  t.is(JSON.parse(text('package.json')).type, 'commonjs')
  t.notRegex(text('run.js'), /^import /mu)
  t.regex(text('run.js'), /require\('\.\.\/dist\/hook\.cjs'\)/)
})

test('a heavy package that a command loads indirectly is caught', t => {
  const example = sourceTree({
    'src/commands/get.ts': "import { a } from '../cli/a.js'\nimport type { Z } from 'zod'",
    'src/cli/a.ts': "import { stringify } from 'yaml'\nconst ink = () => import('ink')",
  })
  t.deepEqual(heavyCommands(example), ['src/commands/get.ts loads yaml'])
})

function againstLayers(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier, target }) => {
      if (!target.startsWith('src/')) return []
      const [from, to] = [folderOf(path), folderOf(target)]
      if (to === from || layers.folders[from]?.mayImport.includes(to)) return []
      if (to === 'mcp' && path.startsWith('src/daemon/platform/mcp/')) return []
      return [`${path} imports ${specifier}`]
    }),
  )
}

function unexplained(files: readonly SourceFile[], { folders, floors }: Layers): string[] {
  return [...Object.values(folders), ...floors].flatMap(({ entry }) => {
    const file = files.find(({ path }) => path === entry)
    if (!file) return [`${entry} is not there`]
    const [comment = ''] = /^\/\*\*.*?\*\//su.exec(file.text) ?? []
    const lines = comment.split('\n').filter(line => /\w/u.test(line)).length
    return lines >= 5 && lines <= 12 ? [] : [`${entry} opens with ${lines} lines of comment`]
  })
}

function valuesInPage(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => folderOf(path) === 'ui')
    .flatMap(({ path, imports }) =>
      imports
        .filter(
          ({ target, typeOnly }) =>
            target.startsWith('src/contract/') && !tables.includes(target) && !typeOnly,
        )
        .map(({ specifier }) => `${path} imports ${specifier}`),
    )
}

/** Packages and Node modules in the lib files that the page loads. */
function machineInPage(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map(file => [file.path, file]))
  const loaded = new Set<string>()
  const load = ({ imports }: SourceFile): void => {
    for (const { target, typeOnly } of imports) {
      const file = byPath.get(target)
      if (typeOnly || folderOf(target) !== 'lib' || !file || loaded.has(target)) continue
      loaded.add(target)
      load(file)
    }
  }
  for (const file of files) if (folderOf(file.path) === 'ui') load(file)
  return [...loaded].flatMap(path =>
    (byPath.get(path)?.imports ?? [])
      .filter(({ target }) => !target.startsWith('src/'))
      .map(({ specifier }) => `${path} imports ${specifier}`),
  )
}

function againstFloors(files: readonly SourceFile[]): string[] {
  const inDaemon = files.filter(({ path }) => folderOf(path) === 'daemon')
  return inDaemon.flatMap(({ path, imports }) => {
    const own = floorOf(path)
    if (own < 0) return [`${path} is on no floor`]
    return imports
      .filter(({ target }) => target.startsWith('src/daemon/') && floorOf(target) > own)
      .map(({ specifier }) => `${path} imports ${specifier}`)
  })
}

function strangersIn(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier, target }) => {
      const places = owners[target]
      return !places || places.some(place => path.startsWith(place)) ? [] : [`${path} imports ${specifier}`]
    }),
  )
}

function heavyCommands(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map(file => [file.path, file]))
  const entries = files.filter(
    ({ path }) => /^src\/commands\/[^/]+\.ts$/u.test(path) || path === 'src/cli/shell/main.ts',
  )
  return entries.flatMap(({ path }) =>
    [...packagesLoadedBy(path, byPath)]
      .filter(name => heavy.includes(name))
      .map(name => `${path} loads ${name}`),
  )
}

/** Packages that a file loads at once, itself or through our files. */
function packagesLoadedBy(
  path: string,
  files: ReadonlyMap<string, SourceFile>,
  seen = new Set<string>(),
): Set<string> {
  const found = new Set<string>()
  if (seen.has(path)) return found
  seen.add(path)
  for (const { specifier, target, typeOnly } of files.get(path)?.imports ?? []) {
    if (typeOnly) continue
    if (!specifier.startsWith('.')) found.add(target)
    else for (const name of packagesLoadedBy(target, files, seen)) found.add(name)
  }
  return found
}

function folderOf(path: string): string {
  return path.split('/')[1] ?? ''
}

function floorOf(path: string): number {
  return floors.indexOf(path.split('/')[2] ?? '')
}
