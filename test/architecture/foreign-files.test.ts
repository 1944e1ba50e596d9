import test from 'ava'
import { readSources, type SourceFile, sourceTree } from '../helpers/source-tree.js'

/** Functions of Node that open a file and may wait for it forever, as for a pipe. */
const opening =
  /^(?:readFile|readFileSync|createReadStream|open|openSync|openAsBlob|copyFile|copyFileSync|cp|cpSync)$/u
/** The driver of SQLite opens files too. */
const database = /\bnew (?:BetterSqlite|Database|DatabaseSync)\(/u

/**
 * Places that may open files directly, because no stranger chooses what lies there. Everything else opens
 * files with `open-foreign.ts` (security.md#foreign-folders).
 */
const ours: Readonly<Record<string, RegExp>> = {
  'it is the function for foreign files': /^src\/lib\/files\/open-foreign\.ts$/u,
  'files of the workspace, its database and its models': /^src\/(?:store|client|lib\/workspace)\//u,
  'files of this package, and files replaced by it':
    /^src\/lib\/files\/(?:packed-files?|replace-files?|package-root)\.ts$/u,
  'the system writes /proc':
    /^src\/(?:lib\/network\/port-owner|daemon\/platform\/(?:processes\/process-group|auth\/local-users))\.ts$/u,
  'the user at the terminal named the file, and can interrupt the command': /^src\/(?:cli|commands)\//u,
  'the registration and plugins of the workspace': /^src\/mcp\/offered-tools\.ts$/u,
  'uploads, spools and archives, which the daemon writes':
    /^src\/daemon\/(?:knowledge\/transcript-import|knowledge\/sources\/(?:core|snapshot)|operations\/backup|platform\/http\/bodies|sessions\/harness\/hook-spool)(?:\/|\.ts$)/u,
  'the queue of tool uses in the workspace':
    /^src\/(?:hook\/tool-use|daemon\/ground\/sessions\/tool-queue)\.ts$/u,
  'notes of the daemon to itself in .daemon':
    /^src\/daemon\/(?:ground\/(?:storage\/room|settings\/settings-record)|operations\/(?:updates\/(?:update-state|install-binary)|storage\/move\/move-note)|platform\/processes\/group-records)\.ts$/u,
  'the executable of this program': /^src\/daemon\/operations\/updates\/install-binary\.ts$/u,
  'skills that were installed, where the copy refuses pipes':
    /^src\/daemon\/agents\/skills\/move-folder\.ts$/u,
  'files of a merge in the workspace': /^src\/daemon\/operations\/git\/interrupted\.ts$/u,
  'settings of the user for npm and for password managers':
    /^src\/daemon\/(?:operations\/updates\/find-release|platform\/password-vaults\/password-vaults)\.ts$/u,
  'the mark of the code index, after its folder was checked':
    /^src\/daemon\/knowledge\/code\/index\/indexing\/indexing-thread\.ts$/u,
}

const sources = readSources('src')

test('files in foreign folders are opened with one function only', t => {
  t.deepEqual(directOpenings(sources), [])
})

test('each exception is used', t => {
  const unused = Object.entries(ours).filter(
    ([, place]) => !sources.some(file => place.test(file.path) && openingsIn(file).length > 0),
  )
  t.deepEqual(unused, [])
})

test('a direct opening is caught in every form', t => {
  const example = sourceTree({
    'src/daemon/a.ts': "import { readFile } from 'node:fs/promises'",
    'src/daemon/b.ts': "import { stat, openSync as look } from 'node:fs'",
    'src/daemon/c.ts': "import * as fs from 'node:fs'",
    'src/daemon/d.ts': "import fs, { stat } from 'fs'",
    'src/daemon/e.ts': "const { open } = await import('node:fs/promises')",
    'src/daemon/f.ts': "import { promises } from 'node:fs'",
    'src/daemon/g.ts': "import { stat, type Stats } from 'node:fs'",
    'src/daemon/i.ts': "import { copyFile, cp } from 'node:fs/promises'",
    'src/daemon/j.ts': 'const connection = new BetterSqlite(path)',
    'src/lib/workspace/h.ts': "import { readFileSync } from 'node:fs'",
  })
  t.deepEqual(directOpenings(example), [
    'src/daemon/a.ts: readFile',
    'src/daemon/b.ts: openSync',
    'src/daemon/c.ts: * as fs',
    'src/daemon/d.ts: fs',
    'src/daemon/e.ts: import()',
    'src/daemon/f.ts: promises',
    'src/daemon/i.ts: copyFile',
    'src/daemon/i.ts: cp',
    'src/daemon/j.ts: new Database',
  ])
})

function directOpenings(files: readonly SourceFile[]): string[] {
  const places = Object.values(ours)
  return files
    .filter(({ path }) => !places.some(place => place.test(path)))
    .flatMap(file => openingsIn(file).map(name => `${file.path}: ${name}`))
}

function openingsIn({ text }: SourceFile): string[] {
  const named = [...text.matchAll(/^import\s+([^'"]+?)\s+from\s+'(?:node:)?fs(?:\/promises)?'/gmu)]
  const names = named.flatMap(([, clause = '']) => {
    const whole = clause
      .replace(/\{[^}]*\}/u, '')
      .replaceAll(',', '')
      .trim()
    const inside = /\{([^}]*)\}/u.exec(clause)?.[1] ?? ''
    const single = inside.split(',').map(name => name.trim().split(' as ')[0] ?? '')
    return [...(whole && whole !== 'type' ? [whole] : []), ...single.filter(isOpening)]
  })
  if (database.test(text)) names.push('new Database')
  return /\bimport\(\s*'(?:node:)?fs(?:\/promises)?'/u.test(text) ? [...names, 'import()'] : names
}

function isOpening(name: string): boolean {
  return opening.test(name) || name === 'promises'
}
