import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { environmentOf, runCli, startCli } from '../helpers/cli.js'
import { loginBrowser } from '../helpers/oauth-browser.js'
import { startTeam } from '../helpers/team.js'

test('memory login, a recall without a key, a renewed token, memory logout (team.md)', async t => {
  const team = await startTeam(t)
  const { key } = await team.key({ name: 'maya' })
  const env = { SERVICE_DAEMON_URL: team.url }
  const before = await runCli(t, ['recall', 'pier', '--json'], { env })
  t.regex(before.stdout, /unauthenticated/)
  const login = startCli(t, ['login', '--scope', 'recall remember', '--json'], { env })
  const page = await shownAddress(login.stderr)
  const browser = loginBrowser(t, team.url)
  const question = await browser.confirmDevice(page)
  t.regex(question.html, /memory \(command line\)/)
  t.regex((await browser.open(question.url, { decision: 'allow', key })).html, /Connected/)
  const { stdout } = await login
  t.like(JSON.parse(String(stdout)), { actor: 'maya', permissions: ['remember', 'recall'] })
  const file = join(environmentOf(t).SERVICE_WORKSPACE ?? '', '.daemon', 'logins.json')
  t.is(statSync(file).mode & 0o777, 0o600)
  t.is((await runCli(t, ['remember', 'the pier is open'], { env })).code, 0)
  const saved = JSON.parse(readFileSync(file, 'utf8'))
  const [[origin, old]] = Object.entries(saved) as [[string, { accessToken: string }]]
  writeFileSync(file, JSON.stringify({ [origin]: { ...old, expiresAt: 0 } }))
  // Several processes renew at once; a second use of the refresh token would end the login.
  const found = await Promise.all([1, 2, 3].map(() => runCli(t, ['recall', 'pier', '--json'], { env })))
  for (const { code, stdout: text } of found) t.is(code, 0, text)
  t.not(JSON.parse(readFileSync(file, 'utf8'))[origin].accessToken, old.accessToken)
  t.is((await runCli(t, ['logout'], { env })).code, 0)
  t.regex((await runCli(t, ['recall', 'pier', '--json'], { env })).stdout, /unauthenticated/)
})

test('login and logout say where an address that is none comes from (team.md)', async t => {
  const env = { SERVICE_DAEMON_URL: 'nonsense' }
  for (const command of ['login', 'logout']) {
    t.regex((await runCli(t, [command, '--json'], { env })).stdout, /SERVICE_DAEMON_URL is 'nonsense'/)
    const flagged = await runCli(t, [command, '--url', 'rubbish', '--json'], { env })
    t.regex(flagged.stdout, /--url is 'rubbish'/)
  }
})

/** The address that the command prints for the browser. */
function shownAddress(stream: NodeJS.ReadableStream): Promise<string> {
  return new Promise(resolve => {
    let text = ''
    stream.on('data', chunk => {
      text += chunk
      const address = /Open (\S+)\n/u.exec(text)?.[1]
      if (address) resolve(address)
    })
  })
}
