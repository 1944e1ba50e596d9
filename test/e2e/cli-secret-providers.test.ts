import test, { type ExecutionContext } from 'ava'
import { runCli } from '../helpers/cli.js'
import { fakeBitwarden, fakeOnePassword, pathOf } from '../helpers/password-managers.js'

function managers(t: ExecutionContext) {
  const bitwarden = fakeBitwarden(t)
  const onePassword = fakeOnePassword(t, {
    vaults: [
      {
        id: 'v1',
        name: 'Agents',
        items: [
          {
            id: 'i1',
            title: 'GitHub',
            fields: [{ id: 'p', type: 'CONCEALED', label: 'password', value: 'gh value' }],
          },
        ],
      },
    ],
  })
  const env = { PATH: pathOf(bitwarden, onePassword) }
  const run = (args: string[], stdin?: string) =>
    runCli(t, ['secrets', ...args], { env, ...(stdin !== undefined && { stdin }) })
  return { run, bitwarden, env }
}

test('a copy of local secrets to Bitwarden is previewed, made, and the secrets are found there', async t => {
  const { run, bitwarden } = managers(t)
  await run(['set', 'API_KEY'], 'canary-value')
  const connected = await run(['provider', 'connect', 'bitwarden', '--activate'], 'the-session\n')
  t.is(connected.stdout, 'Connected Bitwarden; new secrets are stored there from now on', connected.stderr)
  const dry = await run(['migrate', '--dry-run', '--delete-local'])
  t.is(dry.stdout, 'API_KEY  new, then deleted here')
  const asked = await run(['migrate'])
  t.is(asked.code, 2)
  t.regex(asked.stderr, /--yes/u)
  t.is(bitwarden.vault().items.length, 0)
  const moved = await run(['migrate', '--delete-local', '--yes'])
  t.is(moved.code, 0, moved.stderr)
  t.is(bitwarden.vault().items[0]?.login?.password, 'canary-value')
  t.regex((await run(['provider', 'status'])).stdout, /in use +Bitwarden\nBitwarden +connected, unlocked/u)
  t.is((await run(['list'])).stdout, 'API_KEY')
  t.is((await run(['provider', 'use', 'local'])).code, 0)
  t.is((await run(['list'])).stdout, '')
  t.notRegex([dry, asked, moved].map(({ stdout, stderr }) => stdout + stderr).join(''), /canary/u)
})

test('a 1Password vault is imported, and doctor reports which managers open', async t => {
  const { run, env } = managers(t)
  t.is((await run(['provider', 'connect', '1password'], 'ops_the-token')).stdout, 'Connected 1Password')
  t.is((await run(['provider', 'import', 'Agents', '--prefix', 'OP_'])).stdout, 'OP_GITHUB  new')
  t.regex((await runCli(t, ['doctor', '-v'], { env })).stdout, /password-managers: open: 1Password/u)
  t.is((await run(['provider', 'import', 'Nothing'])).code, 3)
})

test('a token in the arguments is refused without repeating it', async t => {
  const { run } = managers(t)
  const { code, stderr } = await run(['provider', 'connect', '1password', 'ops_canary'])
  t.is(code, 2)
  t.regex(stderr, /not accepted as an argument/u)
  t.notRegex(stderr, /canary/u)
})
