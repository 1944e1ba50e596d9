import test from 'ava'
import { readSources, type SourceFile, sourceTree } from '../helpers/source-tree.js'

const entry = 'src/daemon/process/main.ts'

/**
 * Code that no start of the daemon runs. It is loaded with `import()`, so that a start neither reads nor runs
 * it.
 */
const lateFiles = [
  'src/daemon/agents/roster/remove-agent.ts',
  'src/daemon/agents/tasks/execute-run.ts',
  'src/daemon/knowledge/code/index/watch-code.ts',
  'src/daemon/knowledge/connectors/sync-filesystem.ts',
  'src/daemon/knowledge/documents/ingest.ts',
  'src/daemon/knowledge/dreaming/schedule/run-pass.ts',
  'src/daemon/knowledge/ontology/perform-operation.ts',
  'src/daemon/knowledge/sources/core/read-snapshot.ts',
  'src/daemon/knowledge/sources/core/read-source.ts',
  'src/daemon/knowledge/transcript-import/work/run-import.ts',
  'src/daemon/memory/recall/recall.ts',
  'src/daemon/operations/backup/prepare-restore.ts',
  'src/daemon/operations/diagnostics/survey/look-ups.ts',
  'src/daemon/operations/git/run-action.ts',
  'src/daemon/operations/updates/check.ts',
  'src/daemon/operations/updates/install-latest.ts',
  'src/daemon/safety/scan.ts',
  'src/daemon/secrets/exec/run-command.ts',
]

const isLate = (path: string): boolean =>
  (path.startsWith('src/daemon/') && path.endsWith('/routes.ts')) || lateFiles.includes(path)

const sources = readSources('src')

test('a start of the daemon imports neither routes nor background work (start.md#what-makes-a-start-short)', t => {
  t.deepEqual(lateInStart(sources), [])
})

test('every late file exists', t => {
  const paths = sources.map(({ path }) => path)
  t.deepEqual(
    lateFiles.filter(path => !paths.includes(path)),
    [],
  )
})

test('late code that a start imports is caught, with its import path', t => {
  const start = "import { domain } from '../agents/roster/domain.js'"
  const example = (domain: string) =>
    sourceTree({
      [entry]: start,
      'src/daemon/agents/roster/domain.ts': domain,
      'src/daemon/agents/roster/routes.ts': '',
    })
  const bad = example("import { routes } from './routes.js'")
  t.deepEqual(lateInStart(bad), [
    'src/daemon/process/main.ts > src/daemon/agents/roster/domain.ts > src/daemon/agents/roster/routes.ts',
  ])
  t.deepEqual(lateInStart(example("const routes = () => import('./routes.js')")), [])
  t.deepEqual(lateInStart(example("import type { Routes } from './routes.js'")), [])
})

/** The late files that the entry imports statically, each with the import path that leads to it. */
function lateInStart(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map(file => [file.path, file]))
  const ways = new Map([[entry, entry]])
  for (const [path, way] of ways)
    for (const { target, typeOnly } of byPath.get(path)?.imports ?? [])
      if (!typeOnly && !ways.has(target)) ways.set(target, `${way} > ${target}`)
  return [...ways].filter(([path]) => isLate(path)).map(([, way]) => way)
}
