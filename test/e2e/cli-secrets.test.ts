import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { cliWorkspace, runCli } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'

const value = 'hunter2-canary'

function file(t: ExecutionContext, name: string, text: string): string {
  const path = join(cliWorkspace(t), name)
  writeFileSync(path, text)
  return path
}

test('a secret is read from a pipe, listed by name and deleted with --yes', async t => {
  const stored = await runHere(t, ['secrets', 'set', 'KEY'], { stdin: `${value}\n` })
  t.is(stored.code, 0, stored.stderr)
  t.is(stored.stdout, 'Stored KEY')
  t.is((await runHere(t, ['secrets', 'list'])).stdout, 'KEY')
  const asked = await runHere(t, ['secrets', 'delete', 'KEY'])
  t.is(asked.code, 2)
  t.regex(asked.stderr, /--yes/u)
  t.is((await runHere(t, ['secrets', 'delete', 'KEY', '--yes'])).stdout, 'Deleted KEY')
  const empty = { secrets: [], items: [], total: 0, next: null }
  t.deepEqual((await runHere(t, ['secrets', 'list', '--json'])).json(), empty)
  t.is((await runHere(t, ['secrets', 'delete', 'KEY', '--yes'])).code, 3)
})

for (const words of [
  ['KEY', value],
  ['KEY', `--value=${value}`],
  ['KEY', '--', value],
])
  test(`a value in the arguments (${words.slice(1).join(' ').replace(value, 'V')}) is refused with a reason that does not repeat it`, async t => {
    const { code, stdout, stderr } = await runCli(t, ['secrets', 'set', ...words], { stdin: 'other' })
    t.is(code, 2)
    t.regex(stderr, /not accepted as an argument.*process lists/u)
    t.notRegex(stdout + stderr, /canary/u)
  })

test('a value that commands cannot receive is stored with a warning', async t => {
  const short = await runHere(t, ['secrets', 'set', 'PIN'], { stdin: ' 123\n' })
  t.deepEqual([short.code, short.stdout], [0, 'Stored PIN'])
  t.regex(
    short.stderr,
    /^PIN: shorter than 4 characters\. memory secrets exec does not use such short values/u,
  )
  const env = file(t, '.env', 'KEY=1234\nA=1\nB=2\n')
  t.regex((await runHere(t, ['secrets', 'import', env])).stderr, /^A, B: shorter than 4 characters/mu)
  t.is((await runHere(t, ['secrets', 'exec', 'PIN', '--', 'true'])).code, 2)
})

test('an invalid name is reported before a value is requested', async t => {
  const { code, stderr } = await runCli(t, ['secrets', 'set', '1KEY'])
  t.is(code, 2)
  t.regex(stderr, /a secret name .* starts with a letter or _/u)
  t.false(stderr.includes('1KEY'))
})

test('an empty pipe, or one with only a newline, stores nothing', async t => {
  for (const stdin of ['', '\n']) t.is((await runCli(t, ['secrets', 'set', 'KEY'], { stdin })).code, 2)
})

test('a .env file is previewed and imported; existing values are kept by default', async t => {
  await runHere(t, ['secrets', 'set', 'OLD'], { stdin: 'old' })
  const env = file(t, '.env', `export NEW="two\nlines"\nOLD=other\nNONE=\n# c\n`)
  const dry = await runHere(t, ['secrets', 'import', env, '--dry-run'])
  t.is(dry.code, 0, dry.stderr)
  t.is(dry.stdout, 'new      NEW\nchanged  OLD (kept; --overwrite replaces it)\nempty    NONE (skipped)')
  t.like((await runHere(t, ['secrets', 'import', env, '--json'])).json(), { written: 1, added: ['NEW'] })
  t.is((await runHere(t, ['secrets', 'import', env, '--overwrite'])).code, 2)
  t.like((await runHere(t, ['secrets', 'import', env, '--overwrite', '--yes', '--json'])).json(), {
    written: 1,
  })
})

test('an export is a private file that its passphrase restores', async t => {
  await runHere(t, ['secrets', 'set', 'KEY'], { stdin: value })
  const out = join(cliWorkspace(t), 'out.json')
  const args = ['secrets', 'export', '--out', out]
  t.is((await runHere(t, args, { stdin: 'a long passphrase\n' })).stdout, `Exported 1 secret to ${out}`)
  t.is(statSync(out).mode & 0o777, 0o600)
  t.notRegex(readFileSync(out, 'utf8'), /canary/u)
  t.is((await runHere(t, args, { stdin: 'a long passphrase\n' })).code, 4)
  await runHere(t, ['secrets', 'delete', 'KEY', '--yes'])
  t.is((await runHere(t, ['secrets', 'import', out], { stdin: 'another one\n' })).code, 2)
  const back = await runHere(t, ['secrets', 'import', out], { stdin: 'a long passphrase\n' })
  t.is(back.stdout, 'new      KEY')
})

test('a passphrase locks the store at a restart; unlock or the environment opens it', async t => {
  await runCli(t, ['secrets', 'set', 'KEY'], { stdin: value })
  const wrong = await runCli(t, ['secrets', 'protect', 'passphrase', value])
  t.is(wrong.code, 2)
  t.notRegex(wrong.stderr, /canary/u)
  t.is((await runCli(t, ['secrets', 'protect', 'passphrase'], { stdin: 'a long passphrase\n' })).code, 0)
  await runCli(t, ['daemon', 'restart'])
  const locked = await runCli(t, ['secrets', 'list'])
  t.is(locked.code, 4)
  t.regex(locked.stderr, /memory secrets unlock/u)
  const doctor = await runCli(t, ['doctor', '--json'])
  t.like(
    doctor.json().findings.find(({ id }: { id: string }) => id === 'secrets'),
    {
      severity: 'warning',
      fix: 'memory secrets unlock',
    },
  )
  t.is((await runCli(t, ['secrets', 'unlock'], { stdin: 'a long passphrase\n' })).code, 0)
  t.is((await runCli(t, ['secrets', 'list'])).stdout, 'KEY')
  await runCli(t, ['daemon', 'stop'])
  const env = { SERVICE_SECRETS_PASSPHRASE: 'a long passphrase' }
  t.is((await runCli(t, ['secrets', 'list'], { env })).stdout, 'KEY')
  t.is((await runCli(t, ['secrets', 'rotate'])).stdout, 'Replaced the inner key')
})
