import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { execa } from 'execa'
import { commandGroups, coreCommands, replacedNames } from '../../src/cli/shell/command-groups.js'
import { cliWorkspace, environmentOf, registeredPid, runCli } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'

const root = join(import.meta.dirname, '..', '..')

test('an unknown command exits with 2 and a suggestion', async t => {
  const { code, stdout, stderr } = await runCli(t, ['recal', 'x'])
  t.is(code, 2)
  t.is(stdout, '')
  t.regex(stderr, /'recal' is not a command\nnext: did you mean: memory recall/)
})

test('an unknown subcommand is named with its topic', async t => {
  const { code, json } = await runCli(t, ['daemon', 'stat', '--json'])
  t.is(code, 2)
  t.like(json(), { error: "'daemon stat' is not a command", code: 'unknown_command' })
  t.true(json().nextSteps.includes('did you mean: memory daemon start'))
})

test('an unknown flag exits with 2 and a suggestion', async t => {
  const { code, stderr } = await runCli(t, ['daemon', 'logs', '--line', '3'])
  t.is(code, 2)
  t.regex(stderr, /unknown flag --line/)
  t.regex(stderr, /did you mean: --lines/)
})

test('an invalid value is a JSON error on stdout with --json', async t => {
  const { code, json, stderr } = await runCli(t, ['daemon', 'logs', '--lines', 'many', '--json'])
  t.is(code, 2)
  t.is(json().code, 'usage')
  t.is(json().error, '--lines: "many" is not a whole number')
  t.is(stderr, '')
})

test('a number out of range names its flag and the range', async t => {
  const { code, stderr } = await runCli(t, ['recall', 'deploy', '--limit', '0'])
  t.is(code, 2)
  t.regex(stderr, /^error: --limit: "0" is not a whole number, 1 or more$/mu)
})

test('a flag before the command is explained', async t => {
  const { code, stderr } = await runCli(t, ['--json', 'status'])
  t.is(code, 2)
  t.regex(stderr + (await runCli(t, ['-x', 'status'])).stderr, /flags go after it/)
})

test('help for the program, a topic and a command goes to stdout', async t => {
  for (const args of [['--help'], ['help']]) {
    const { code, stdout } = await runCli(t, args)
    t.is(code, 0)
    t.regex(stdout, /^Usage: memory COMMAND\./)
  }
  t.regex((await runCli(t, ['help', 'all'])).stdout, /\$ memory \[COMMAND\]/)
  t.regex((await runCli(t, ['daemon'])).stdout, /daemon start/)
  t.regex((await runCli(t, ['help', 'daemon', 'logs'])).stdout, /--follow/)
  t.regex((await runCli(t, ['daemon', 'logs', '-h'])).stdout, /--follow/)
})

test('help fits a small terminal and has every command once, in groups', async t => {
  const { stdout } = await runCli(t, ['help'], { env: { COLUMNS: '80' } })
  const lines = stdout.trimEnd().split('\n')
  t.true(lines.length <= 24, `${lines.length} lines`)
  t.deepEqual(
    lines.filter(line => line.length > 80),
    [],
  )
  const manifest = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8'))
  const commands = Object.values(manifest.commands as Record<string, { id: string; hidden?: boolean }>)
  const names = new Set(commands.flatMap(({ id, hidden }) => (hidden ? [] : [id.split(':')[0]!])))
  const listed = [...Object.keys(coreCommands), ...Object.values(commandGroups).flat()]
  t.deepEqual([...listed, ...Object.keys(replacedNames)].sort(), [...names].sort())
  for (const name of Object.values(replacedNames)) t.true(listed.includes(name), name)
})

test('memory alone shows eight commands, the state and the next step, and starts no daemon', async t => {
  const { code, stdout } = await runCli(t, [], { env: { COLUMNS: '60' } })
  t.is(code, 0)
  t.is(stdout.match(/^ {2}memory \w+/gm)?.length, 8)
  t.regex(stdout, /State {2}nothing is set up yet\nNext {3}memory setup/)
  t.is(registeredPid(cliWorkspace(t)), undefined)
  t.true(stdout.split('\n').every(line => line.length <= 60))
  await runHere(t, ['remember', 'the kiln is fired on Mondays'])
  t.regex((await runCli(t, [])).stdout, /State {2}1 memory, healthy/)
})

test('other names of a command work, alone and after a topic', async t => {
  await runHere(t, ['add', 'the kiln is fired on Mondays'])
  const [{ id }] = (await runHere(t, ['ls', '--json'])).json().items
  const removed = await runHere(t, ['rm', id, '--reason', 'wrong', '--yes'])
  t.is(removed.code, 0, removed.stderr)
  t.is((await runHere(t, ['tasks', 'ls'])).code, 0)
  t.regex((await runCli(t, ['help', 'rm'])).stdout, /\$ memory forget/)
})

test('a replaced name works, and its help names the new one', async t => {
  t.is((await runHere(t, ['status'])).code, 0)
  t.regex((await runCli(t, ['help', 'status'])).stdout, /This is part of memory health now/)
  const health = await runHere(t, ['health', '--json'])
  t.is(health.json().status.memories, 0)
  t.true(health.json().findings.length > 20)
  t.is((await runHere(t, ['health', 'index', '--json'])).json().domain, 'index')
})

test('a wrong value, setting or word of a topic exits with a suggestion', async t => {
  for (const [args, guess] of [
    [['list', '--type', 'rul'], 'rule'],
    [['completion', 'bsh'], 'bash'],
    [['config', 'get', 'daemn'], 'daemon'],
    [['srch'], 'memory search'],
    [['sources', 'add', 'githb', 'x/y'], 'memory sources add github'],
    [['blackbox'], 'memory sessions blackbox'],
  ] as const) {
    const { code, stderr } = await runCli(t, args)
    t.true(code === 2 || code === 3, stderr)
    t.true(stderr.includes(`did you mean: ${guess}\n`), stderr)
  }
  const { stderr } = await runCli(t, ['sources', 'add', 'notion', 'x'])
  t.regex(stderr, /'sources add notion' is not a command\nnext: memory help sources add/)
})

test('--version and version print one line', async t => {
  for (const word of ['--version', 'version'])
    t.regex((await runCli(t, [word])).stdout, /^memory-service\/\d+\.\d+\.\d+\S* \S+ node-v\d+\S*$/, word)
})

test('errors are coloured on request and plain otherwise', async t => {
  const plain = await runCli(t, ['nope'])
  t.false(plain.stderr.includes('\u001b['))
  const coloured = await runCli(t, ['nope'], { env: { FORCE_COLOR: '1' } })
  t.true(coloured.stderr.includes('\u001b['))
})

test('manifest, man pages and command reference match the commands', t => {
  t.notThrows(() =>
    execFileSync(process.execPath, [join(root, 'scripts', 'build.js'), '--check'], { cwd: root }),
  )
  // npm links only listed pages, and man memory would find nothing.
  const { man } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  t.deepEqual(
    man,
    readdirSync(join(root, 'man'))
      .map(page => `man/${page}`)
      .sort(),
  )
})

test('every deleting command gives the same error without a terminal', async t => {
  await runHere(t, ['remember', 'all of it'])
  await runHere(t, ['agents', 'create', 'maya'])
  for (const args of [
    ['agents', 'remove', 'maya'],
    ['agents', 'remove', 'maya', '--purge'],
    ['forget', '--query', 'all of it'],
  ]) {
    const { code, json } = await runHere(t, [...args, '--json'])
    t.is(code, 2)
    t.like(json(), {
      error: 'nothing was changed: without a terminal, confirm with --yes',
      code: 'confirmation_required',
    })
    t.regex(json().nextSteps.join(' '), /add --yes/)
  }
})

const missingId = '0198c0de-0000-7000-8000-000000000001'
test('a missing target is reported before a confirmation is requested', async t => {
  for (const args of [
    ['agents', 'remove', 'nobody'],
    ['skills', 'remove', 'pdf'],
    ['secrets', 'delete', 'KEY'],
    ['sources', 'remove', 'nope'],
    ['documents', 'remove', missingId],
    ['connectors', 'remove', missingId],
    ['connectors', 'sync', missingId, '--full'],
    ['imports', 'cancel', missingId],
    ['tasks', 'remove', missingId],
    ['backup', 'restore', 'nope'],
    ['forget', missingId],
  ]) {
    const { code, stdout, stderr } = await runHere(t, args)
    t.is(code, 3, `${args.join(' ')}: ${stderr}`)
    t.notRegex(stdout + stderr, /--yes/)
  }
})

test('a command that has another name in its topic is suggested', async t => {
  const { stderr } = await runHere(t, ['messages', 'list'])
  t.regex(stderr, /'messages list' is not a command\nnext: did you mean: memory messages inbox/)
})

test('a missing argument is answered with an example', async t => {
  const { code, stderr } = await runCli(t, ['sources', 'add', 'obsidian'])
  t.is(code, 2)
  t.regex(
    stderr,
    /path +Folder of the vault\.\nnext: for example: memory sources add obsidian ~\/Notes --wait/,
  )
})

test('a missing file is reported before other missing arguments', async t => {
  for (const more of [[], ['--from', 'codex'], ['--from', 'chatgpt-export']]) {
    const { code, stderr } = await runCli(t, ['import', 'transcripts', 'nope.jsonl', ...more])
    t.is(code, 2)
    t.regex(stderr, /no such file or folder: .*nope\.jsonl/)
  }
})

// A Linux device that is always full.
const full = '/dev/full'
const fullTest = existsSync(full) ? test : test.skip

for (const words of [['--version'], ['list'], ['list', '--json'], ['export']])
  fullTest(`a full disk for the output of ${words.join(' ')} is reported in one line`, async t => {
    await runHere(t, ['remember', 'the crane is green'])
    const command = [process.execPath, join(root, 'bin', 'run.js'), ...words]
    const { exitCode, stderr } = await execa('sh', ['-c', `exec "$@" >${full}`, 'sh', ...command], {
      env: environmentOf(t),
      extendEnv: false,
      reject: false,
    })
    t.is(exitCode, 1)
    t.regex(stderr, /^(1 memory\n)?error: cannot write to stdout: ENOSPC$/u)
  })
