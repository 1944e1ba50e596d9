// runs: in turn

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { runCli } from '../helpers/cli.js'
import { startDaemon } from '../helpers/daemon.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const browser = sharedBrowser()

browserTest('an empty list offers its own first step as a button (web.md#pages)', async t => {
  const { url, remember, daemon } = await startDaemon(t)
  const { page, complaints } = await openPage(await browser(), `${url}/ui/`)
  const main = page.locator('#main')
  const opens = async (place: string, button: string, title: string) => {
    await page.goto(`${url}/ui/#/${place}`)
    await main
      .getByRole('button', { name: button })
      .or(main.getByRole('link', { name: button }))
      .click()
    await page.getByRole('dialog', { name: title }).waitFor()
    await page.keyboard.press('Escape')
  }
  await opens('sources/documents', 'Add a document…', 'Add a source')
  await opens('sources/connectors', 'Connect a folder…', 'Add a source')
  await opens('sources/imports', 'Import conversations…', 'Import conversations')
  await opens('sessions', 'Import files of sessions…', 'Import conversations')
  await opens('tasks/messages', 'Write a message…', 'Send a message')
  await opens('secrets', 'Set a secret…', 'Set a secret')
  await page.goto(`${url}/ui/#/projects`)
  await main.getByRole('button', { name: 'Save a memory…' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.goto(`${url}/ui/#/recall`)
  await main.getByRole('button', { name: 'Record queries' }).click()
  await main.getByText('No queries yet.').waitFor()
  t.true(daemon.configuration().settings.telemetry.memorySearchQaEnabled)
  await page.goto(`${url}/ui/#/operations/telemetry`)
  await main.getByRole('button', { name: 'Turn recording off' }).click()
  await main.getByRole('button', { name: 'Turn recording on' }).waitFor()
  t.false(daemon.configuration().settings.memory.pipelineV2.telemetryEnabled)
  await remember('The scheduler listens on port 7421.')
  await page.goto(`${url}/ui/#/knowledge`)
  await main.getByRole('button', { name: 'Run Dreaming' }).waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await main.getByRole('button', { name: 'Run Dreaming' }).click()
  await main.getByRole('row', { name: /scheduler/u }).waitFor()
  t.deepEqual(complaints, [])
  await page.close()
})

browserTest('every command on a page can be copied (web.md#pages)', async t => {
  const { url } = await startDaemon(t)
  const { page } = await openPage(await browser(), `${url}/ui/`)
  const lost: string[] = []
  for (const place of ['home', 'memories', 'projects', 'sessions', 'sources/imports', 'tasks/agents']) {
    await page.goto(`${url}/ui/#/${place}`)
    await page.locator('.command, .empty').first().waitFor()
    const bare = page.locator('#main code', { hasText: /^memory [a-z]/u }).locator('xpath=..')
    for (const parent of await bare.all())
      if ((await parent.getByRole('button', { name: /^Copy memory/u }).count()) === 0)
        lost.push(`${place}: ${await parent.textContent()}`)
  }
  t.deepEqual(lost, [])
  await page.close()
})

const session = '7d1f3a52-4c0e-4b43-8f5d-2f0f4be1a0c7'

browserTest(
  'an agent is connected, and sessions of the machine are imported on the page (web.md#pages)',
  async t => {
    const home = temporaryFolder(t, 'memory-service-home')
    const put = (path: string, text: string) => {
      mkdirSync(dirname(join(home, path)), { recursive: true })
      writeFileSync(join(home, path), text)
    }
    put('.claude/settings.json', '{ "model": "opus" }')
    const lines = ['user', 'assistant'].map(role => ({
      type: role,
      sessionId: session,
      cwd: '/srv/bakery',
      timestamp: '2026-11-20T10:00:00.000Z',
      message: { role, content: role === 'user' ? 'Why is the oven late?' : 'Its timer counts in UTC.' },
    }))
    const log = lines.map(line => `${JSON.stringify(line)}\n`).join('')
    put(`.claude/projects/-srv-bakery/${session}.jsonl`, log)
    const { stdout: url } = await runCli(t, ['ui', '--no-open'], { env: { HOME: home } })
    const { page, complaints } = await openPage(await browser(), `${url}#/home`)
    const settings = () => readFileSync(join(home, '.claude', 'settings.json'), 'utf8')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Connect an agent…' }).click()
    await dialog.getByRole('button', { name: 'Connect Claude Code' }).waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await dialog.getByRole('button', { name: 'Connect Claude Code' }).click()
    await dialog.getByText('"SessionStart"').waitFor()
    t.is(settings(), '{ "model": "opus" }', 'the preview changes nothing')
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByText('Claude Code is connected').waitFor()
    t.true(Object.hasOwn(JSON.parse(settings()), 'hooks'))
    await dialog.getByText('connected', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.goto(`${url}#/sessions`)
    await page.getByRole('button', { name: "Import this machine's sessions…" }).click()
    await dialog.getByRole('button', { name: 'Import 1 session' }).click()
    await page.getByRole('link', { name: 'Why is the oven late?' }).waitFor()
    t.deepEqual(complaints, [])
    await page.close()
  },
)
