import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { runHere } from '../helpers/commands-here.js'
import { filesBelow, harnessHome } from '../helpers/harness-home.js'

function logOf(cwd: string, ...prompts: string[]): string {
  return prompts
    .map((content, minute) =>
      JSON.stringify({
        type: 'user',
        sessionId: '5f0c1f0e-7c1a-4a55-9b1e-0d6f1f6d2a11',
        cwd,
        timestamp: `2026-11-20T09:0${minute}:00.000Z`,
        message: { role: 'user', content },
      }),
    )
    .join('\n')
}

/** A home folder with Claude Code, one session, a vault and a project, as a new user has them. */
function filledHome(t: ExecutionContext) {
  const home = harnessHome(t, {
    '.claude/settings.json': '{}',
    '.claude.json': '{}',
    'Notes/.obsidian/app.json': '{}',
    'Notes/Priya.md': 'Priya Rao owns the search service.\n',
    'Documents/plain/todo.md': 'buy milk\n',
    'bakery/README.md': '# Bakery\n\nThe bakery sells bread.\n',
    'bakery/docs/oven.md': 'The oven is heated at four.\n',
    'bakery/src/index.ts': 'export {}\n',
  })
  const bakery = realpathSync(join(home.home, 'bakery'))
  home.write(
    '.claude/projects/-home-bakery/5f0c1f0e-7c1a-4a55-9b1e-0d6f1f6d2a11.jsonl',
    logOf(
      bakery,
      'Never restart the oven controller during the day.',
      'We decided to use Valkey instead of Redis.',
    ),
  )
  const run = (args: readonly string[]) =>
    runHere(t, args, { folder: bakery, env: { HOME: home.home, PATH: '', SERVICE_NO_AUTOSTART: '1' } })
  return { ...home, bakery, run }
}

test('without a terminal and without --yes, setup changes nothing and says what it would do', async t => {
  const { run, files } = filledHome(t)
  const before = files()
  const { code, json } = await run(['setup', '--json'])
  t.is(code, 2)
  t.false(json().applied)
  t.deepEqual(
    json().steps.map(({ step, state }: { step: string; state: string }) => [step, state]),
    [
      ['agents', 'planned'],
      ['sessions', 'planned'],
      ['notes', 'planned'],
      ['documents', 'planned'],
    ],
  )
  t.deepEqual(files(), before)
  const shown = await run(['setup', '--dry-run'])
  t.is(shown.code, 0)
  t.regex(shown.stdout, /changes ~\/\.claude\/settings\.json \(\d+ lines? added\)/)
  t.regex(shown.stdout, /Claude Code: 1 session/)
  t.regex(shown.stdout, /~\/Notes is read and followed, never modified/)
  t.notRegex(shown.stdout, /plain/)
  t.regex(shown.stderr, /Nothing was changed\. To do all of this: memory setup --yes/)
  t.deepEqual((await run(['sources', 'list', '--json'])).json().items, [])
})

test('--yes does every step, tells what was learned, and offers nothing twice', async t => {
  const { run, read } = filledHome(t)
  const { code, stdout, stderr } = await run(['setup', '--yes'])
  t.is(code, 0, stderr)
  t.regex(stdout, /✓ Connected Claude Code/)
  t.regex(stdout, /✓ Imported 1 session of Claude Code with 2 messages/)
  t.regex(stdout, /✓ Following ~\/Notes, 1 note/)
  t.regex(stdout, /✓ Added 2 documents/)
  t.regex(stdout, /I now know about bakery\n {2}1 /)
  t.regex(stdout, /Never restart the oven controller during the day \(from a session\)/)
  t.true(Object.hasOwn(JSON.parse(read('.claude/settings.json')), 'hooks'))
  const again = (await run(['setup', '--yes', '--json'])).json()
  t.like(again, { applied: false, steps: [] })
  t.is(again.learned.name, 'bakery')
})

test('--skip leaves steps out', async t => {
  const { run, read } = filledHome(t)
  const skipped = ['agents', 'notes', 'documents'].flatMap(step => ['--skip', step])
  const { json } = await run(['setup', '--yes', '--json', ...skipped])
  t.deepEqual(
    json().steps.map(({ step }: { step: string }) => step),
    ['sessions'],
  )
  t.is(read('.claude/settings.json'), '{}')
})

test('an empty machine has nothing to set up, and a plan starts no daemon', async t => {
  const home = harnessHome(t)
  const folder = join(home.home, 'empty')
  mkdirSync(folder)
  const { code, stdout } = await home.run(['setup'], { folder })
  t.is(code, 0)
  t.regex(stdout, /^Nothing new to set up\./)
  t.deepEqual(Object.keys(filesBelow(home.home)), ['empty'])
  t.false(existsSync(join(home.home, '.memory-service')))
})
