import test from 'ava'
import { runCli } from '../helpers/cli.js'
import { fakeProgram } from '../helpers/fake-program.js'

const onLinux = process.platform === 'linux'

test('memory ui starts the daemon, prints the URL of its page and opens it', async t => {
  const opener = fakeProgram(t, 'xdg-open', '')
  const display = { DISPLAY: ':9', SSH_CONNECTION: undefined, SSH_TTY: undefined, PATH: opener.path }
  const printed = await runCli(t, ['ui', '--no-open'], { env: display })
  t.regex(printed.stdout, /^http:\/\/127\.0\.0\.1:\d+\/ui\/$/u)
  t.is(printed.stderr, '')
  const page = await fetch(printed.stdout)
  t.regex(await page.text(), /<title>memory-service<\/title>/u)
  const link = await runCli(t, ['ui', '--no-open'], { env: { ...display, FORCE_HYPERLINK: '1' } })
  t.is(link.stdout, `\u001b]8;;${printed.stdout}\u0007${printed.stdout}\u001b]8;;\u0007`)
  const overSsh = await runCli(t, ['ui'], { env: { ...display, SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' } })
  t.is(overSsh.stdout, printed.stdout)
  t.regex(overSsh.stderr, /this is an SSH session/u)
  const headless = await runCli(t, ['ui', '--json'], {
    env: { ...display, DISPLAY: undefined, WAYLAND_DISPLAY: undefined },
  })
  t.deepEqual(headless.json(), { url: printed.stdout, opened: !onLinux })
  if (!onLinux) return
  t.deepEqual(opener.calls(), [])
  const opened = await runCli(t, ['ui', '--json'], { env: display })
  t.deepEqual(opened.json(), { url: printed.stdout, opened: true })
})
