import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { cliWorkspace } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'
import { gitIn } from '../helpers/git.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

/** Creates a repository with a remote. */
function repository(folder: string, remote: string): string {
  mkdirSync(folder, { recursive: true })
  execFileSync('git', ['init', '-q'], { cwd: folder })
  execFileSync('git', ['remote', 'add', 'origin', remote], { cwd: folder })
  return folder
}

function start(t: ExecutionContext) {
  const home = temporaryFolder(t, 'memory-service-projects')
  const shop = repository(join(home, 'shop'), 'git@git.example:acme/shop.git')
  const api = repository(join(home, 'api'), 'https://git.example/acme/api')
  const run = async (folder: string, ...args: string[]) => {
    const result = await runHere(t, args, { folder })
    return { ...result, lines: result.stdout.split('\n') }
  }
  const listed = async (folder: string, ...flags: string[]) => {
    const { memories } = (await run(folder, 'list', '--json', ...flags)).json()
    return (memories as { content: string }[]).map(({ content }) => content).sort()
  }
  return { home, shop, api, run, listed }
}

test('commands work in the project of their folder, and flags choose others', async t => {
  const { home, shop, api, run, listed } = start(t)
  await run(shop, 'remember', 'ships on Tuesday')
  await run(api, 'remember', 'ships on Monday')
  await run(shop, 'remember', '--no-project', 'ships in the morning')
  const from = join(shop, 'src')
  mkdirSync(from)
  t.deepEqual(await listed(from), ['ships in the morning', 'ships on Tuesday'])
  t.deepEqual(await listed(shop, '--project', '../api'), ['ships on Monday'])
  t.deepEqual(await listed(shop, '--project', 'api'), ['ships on Monday'])
  t.deepEqual(await listed(shop, '--no-project'), ['ships in the morning'])
  t.is((await listed(shop, '--all-projects')).length, 3)
  const recalled = async (...flags: string[]) =>
    (await run(shop, 'recall', 'ships', '--json', ...flags))
      .json()
      .results.map(({ content }: { content: string }) => content)
  t.deepEqual(await recalled(), ['ships on Tuesday', 'ships in the morning'])
  t.deepEqual(await recalled('--no-project'), ['ships in the morning'])
  t.is((await recalled('--all-projects')).length, 3)
  const nothing = await run(home, 'recall', 'ships', '--project', 'nowhere')
  t.regex(nothing.stderr, /No memory matches/)
  t.regex((await run(api, 'recall', 'Tuesday')).stderr, /add --all-projects/)
  const preview = await run(shop, 'forget', '--query', 'ships', '--dry-run', '--json')
  t.is(preview.json().count, 2)
})

test('--branch shows what was saved on a branch, and get names branch and commit', async t => {
  const { shop, run, listed } = start(t)
  const onBranch = async (branch: string, text: string): Promise<string> => {
    gitIn(shop, 'switch', '-qc', branch)
    gitIn(shop, 'commit', '-qm', branch, '--allow-empty')
    return (await run(shop, 'remember', text, '--json')).json().id
  }
  await onBranch('stable', 'ships on Tuesday')
  const id = await onBranch('feature', 'ships on Monday')
  t.is((await listed(shop)).length, 2)
  t.deepEqual(await listed(shop, '--branch', 'feature'), ['ships on Monday'])
  const { results } = (await run(shop, 'recall', 'ships', '--json', '--branch', 'feature')).json()
  t.like(results, [{ id }])
  const shown = (await run(shop, 'get', id)).stdout
  t.regex(shown, /^ *branch +feature$/m)
  t.regex(shown, new RegExp(`^ *commit +${gitIn(shop, 'rev-parse', 'HEAD')}$`, 'm'))
})

test('a repository without a remote is shown by its name, not by its first commit', async t => {
  const { home, run } = start(t)
  const bakery = join(home, 'bakery')
  mkdirSync(bakery)
  gitIn(bakery, 'init', '-q')
  gitIn(bakery, 'commit', '-qm', 'start', '--allow-empty')
  const { id } = (await run(bakery, 'remember', 'the oven is hot at four', '--json')).json()
  const shown = await run(bakery, 'get', id)
  t.regex(shown.stdout, /^project +bakery$/mu)
  t.regex((await run(bakery, 'get', id, '--json')).json().project, /^git:/u)
})

test('a renamed project has its name wherever people see it, and a program gets its key', async t => {
  const { shop, run } = start(t)
  const { id } = (await run(shop, 'remember', 'ships on Monday', '--json')).json()
  await run(shop, 'projects', 'rename', '.', 'store')
  t.regex((await run(shop, 'get', id)).stdout, /^project +store$/mu)
  t.is((await run(shop, 'get', id, '--json')).json().project, 'git.example/acme/shop')
})

test('the home folder, a root and the folder for temporary files are not projects', async t => {
  const { run } = start(t)
  const home = cliWorkspace(t)
  for (const folder of [home, '/', tmpdir()]) await run(folder, 'remember', `noted in ${folder}`)
  const { memories } = (await run(home, 'list', '--json')).json()
  t.deepEqual(
    memories.map(({ project }: { project: string | null }) => project),
    [null, null, null],
  )
})

test('memory projects lists, shows, renames, joins, splits and forgets projects', async t => {
  const { shop, api, run, listed } = start(t)
  await run(shop, 'remember', 'rule of the shop')
  await run(api, 'remember', 'rule of the api')
  const rows = (await run(shop, 'projects')).lines.map(line => line.split('\t').slice(0, 5)).sort()
  t.deepEqual(rows, [
    ['api', 'git.example/acme/api', api, '1', '0'],
    ['shop', 'git.example/acme/shop', shop, '1', '0'],
  ])
  t.regex((await run(shop, 'projects', 'rename', '.', 'store')).stdout, /Renamed to store \(git\.example/)
  t.regex((await run(shop, 'projects', 'show', 'store')).stdout, /key +git\.example\/acme\/shop/)
  const dry = await run(shop, 'projects', 'join', 'api', 'store', '--dry-run')
  t.regex(dry.stdout, /^api \(git\.example\/acme\/api\) becomes part of store .*\n {2}1 memory, 0 sessions/)
  t.is((await run(shop, 'projects', 'join', 'api', 'store')).code, 2)
  t.deepEqual(await listed(shop), ['rule of the shop'])
  const joined = await run(shop, 'projects', 'join', 'api', 'store', '--yes', '--json')
  t.deepEqual(await listed(shop), ['rule of the api', 'rule of the shop'])
  t.is((await run(shop, 'projects', 'undo', joined.json().id)).code, 0)
  t.deepEqual(await listed(shop), ['rule of the shop'])
  const refused = await run(shop, 'projects', 'forget', 'api', '--yes')
  t.regex(refused.stderr, /has 1 memory: forget/)
  t.is((await run(shop, 'projects', 'show', 'nowhere')).code, 3)
  t.regex((await run(shop, 'projects', 'adopt')).stderr, /No projects to join/)
})
