// runs: in turn

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon, temporaryWorkspace } from '../helpers/daemon.js'
import { until } from '../helpers/daemon-process.js'
import { putSkill } from '../helpers/skills.js'
import { vaultOf } from '../helpers/sources.js'
import { fakeClaude, succeed } from '../helpers/tasks.js'
import { bringSettings } from '../helpers/waiting-settings.js'

const browser = sharedBrowser()
const markup = '<img src=x onerror="alert(1)">'

browserTest(
  'a vault is added with a form and watched until it is read, with a reason for each unread file (web.md 3.3)',
  async t => {
    const root = vaultOf(t, { '<b onmouseover=alert(2)>.md': markup, 'broken.canvas': '{' })
    for (let note = 0; note < 150; note++) writeFileSync(join(root, `note ${note}.md`), `# Crane ${note}`)
    const { url, call } = await startDaemon(t)
    const { page, complaints } = await openPage(await browser(), `${url}/ui/#/sources`)
    await page.getByText('No sources yet').waitFor()
    await page.getByRole('button', { name: 'Add…' }).click()
    await page.locator('form :is(input, select):focus').waitFor()
    await page.getByLabel('Folder', { exact: true }).fill(root)
    await page.getByLabel('Name').fill(`${markup} vault`)
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { name: `${markup} vault` }).waitFor()
    await page.getByText('152 in 151 passages').or(page.getByText('151 in 151 passages')).waitFor()
    await page.getByRole('region', { name: 'Failed' }).getByText('it is not a valid canvas').waitFor()
    await page.getByRole('row', { name: /onmouseover/u }).waitFor()
    // Only the visible rows out of 151, with a few extra.
    t.true((await page.getByRole('row').count()) < 60)
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('dialog').getByText('151 artifacts in 151 passages').waitFor()
    t.is((await call('GET /api/sources')).body.sources.length, 1)
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('No sources yet').waitFor()
    t.deepEqual((await call('GET /api/sources')).body.sources, [])
    t.deepEqual(complaints, [])
    await page.close()
  },
)

browserTest(
  'security settings that a pull brought are shown, and a person accepts or refuses them',
  async t => {
    const here = await startDaemon(t)
    const { page, complaints } = await openPage(await browser(), `${here.url}/ui/#/operations/git`)
    const mode = () => here.daemon.configuration().settings.documents.allowPrivateHosts
    for (const [decision, expected] of [
      ['Refuse', false],
      ['Accept', true],
    ] as const) {
      await bringSettings(here, `documents: { allowPrivateHosts: true }\nagentNote: '${markup}'\n`)
      await page.reload()
      const waiting = page.getByRole('region', { name: 'Settings that wait' })
      await waiting.getByRole('row', { name: 'documents.allowPrivateHosts not set true' }).waitFor()
      t.deepEqual(await axeFindingsInBothSchemes(page), [])
      t.false(mode())
      await waiting.getByRole('button', { name: decision }).click()
      await waiting.waitFor({ state: 'detached' })
      t.is(mode(), expected)
    }
    t.deepEqual(complaints, [])
    await page.close()
  },
)

browserTest('daemons that share the database are shown with version, index and work', async t => {
  const { url, call } = await startDaemon(t)
  const { body: status } = await call('GET /api/status')
  const node = (name: string, more: object) => ({
    ...{
      name,
      version: '1.0.0',
      url: `http://${name}:3850`,
      applied: status.index.change,
      jobs: 0,
      duties: [],
    },
    ...{ startedAt: status.startedAt, seenAt: new Date().toISOString(), ...more },
  })
  const nodes = [
    node('memory-0', { duties: ['retention', 'sources'] }),
    node('memory-1', { version: '2.0.0', jobs: 2, startedAt: '2026-01-01T00:00:00Z' }),
    node(markup, { applied: status.index.change - 12, startedAt: '2026-01-01T00:00:00Z' }),
  ]
  const { page, complaints } = await openPage(await browser(), `${url}/ui/#/operations/log`)
  await page.route('**/api/status', route => route.fulfill({ json: { ...status, nodes } }))
  await page.goto(`${url}/ui/#/operations/diagnostics`)
  const shown = page.getByRole('region', { name: 'Daemons' })
  await shown.getByText('memory-0').first().waitFor()
  const lines = (await shown.getByRole('listitem').allInnerTexts()).map(text =>
    text.replace(/\s+/gu, ' ').trim(),
  )
  t.regex(
    lines[0] ?? '',
    /^memory-0 1\.0\.0 .* shows this page Last seen .* Its index had all changes\. It does retention, sources\.$/u,
  )
  t.regex(lines[1] ?? '', /^memory-1 2\.0\.0 .* It runs 2 jobs\.$/u)
  t.true(lines[2]?.includes(`${markup} 1.0.0`))
  t.true(lines[2]?.includes('Its index was 12 changes behind.'))
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  t.deepEqual(complaints, [])
  await page.close()
})

browserTest('dropped files and conversations show their results (web.md 3.4)', async t => {
  const { url, call } = await startDaemon(t)
  const { page, complaints } = await openPage(await browser(), `${url}/ui/#/sources`)
  await page.getByText('No sources yet').waitFor()
  await drop(page, { 'paper.md': '# Paper', [`${markup.replaceAll('/', '')}.bin`]: '\0\u0001\u0002' })
  await page.getByText('2 of 2').waitFor()
  await page.getByRole('link', { name: 'paper.md' }).waitFor()
  await page.getByRole('region', { name: 'Imported files' }).getByText('failed').waitFor()
  t.is((await call('GET /api/sources')).body.sources.length, 1)
  await page.goto(`${url}/ui/#/sources/imports`)
  await page.getByText('No imported conversations yet').waitFor()
  const talk = { source: 'service', version: 1, sessionKey: 's1', messages: [{ role: 'user', text: 'hi' }] }
  await drop(page, { 'talks.jsonl': `${JSON.stringify(talk)}\n{broken\n` })
  await page.getByRole('dialog').getByText('talks.jsonl').waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('region', { name: 'Rejected' }).getByText('the record is not a JSON object').waitFor()
  await page.getByText('completed').waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  t.deepEqual(complaints, [])
  await page.close()
})

browserTest(
  'a task is created, and its run is watched to its end, across a lost connection (web.md 3.5)',
  async t => {
    const gate = join(temporaryWorkspace(t), 'go')
    const said = { type: 'assistant', message: { content: [{ type: 'text', text: `${markup} looks` }] } }
    const code = `const { existsSync } = require('node:fs')
      console.log(${JSON.stringify(JSON.stringify(said))})
      const wait = () => existsSync(${JSON.stringify(gate)}) ? ${succeed} : setTimeout(wait, 20)
      wait()`
    const fake = fakeClaude(t, code)
    const { url, paths, stop } = await startDaemon(t, { environment: fake.environment })
    const { page, complaints } = await openPage(await browser(), `${url}/ui/#/tasks`)
    await page.getByRole('button', { name: 'Add a task…' }).click()
    await page.getByLabel('Name').fill(`${markup} review`)
    await page.getByLabel('Prompt').fill('look at it')
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { name: `${markup} review` }).waitFor()
    await page
      .getByText(/^in \d+ (h|min|d)$/u)
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('row', { name: /review.*no runs yet/u }).waitFor()
    await page.keyboard.press('e')
    await page.getByRole('button', { name: 'Run now' }).click()
    await page.getByRole('region', { name: 'Output' }).getByText(`${markup} looks`).waitFor()
    await page.getByRole('button', { name: 'Stop…' }).waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    writeFileSync(gate, '')
    await page.getByRole('region', { name: 'Run', exact: true }).getByText('completed').waitFor()
    await page.getByRole('region', { name: 'Runs' }).getByText('completed').waitFor()
    const lost = page.getByText('Connection lost. Reconnecting…')
    await stop()
    await lost.waitFor()
    const environment = { ...fake.environment, SERVICE_PORT: new URL(url).port }
    const { call } = await startDaemon(t, { workspace: paths.root, environment })
    await lost.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('dialog').getByText('is deleted with 1 run and').waitFor()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('No tasks yet').waitFor()
    t.is((await call('GET /api/tasks')).body.count, 0)
    // The browser's own messages about a stopped or starting daemon.
    t.deepEqual(
      complaints.filter(text => !/net::ERR_|status of 503/u.test(text)),
      [],
    )
    await page.close()
  },
)

browserTest(
  'agents, messages, skills and plugins show their texts as text, and a removal lists its effects (web.md 3.6)',
  async t => {
    const { url, call, paths, remember } = await startDaemon(t)
    await remember('The harbour has nine cranes', { agentId: '<u>builder' })
    const sessionKey = 's-1'
    await call('POST /api/hooks/session-start', {
      body: { harness: 'claude-code', sessionKey, agentId: '<u>builder' },
    })
    for (let number = 0; number < 120; number++)
      await call('POST /api/cross-agent/messages', {
        body: { content: `${markup} number ${number}`, from_agent_id: '<u>builder', broadcast: true },
      })
    putSkill(paths, 'review', `---\nname: review\ndescription: ${markup} reviews\n---\n\n# ${markup}\n`)
    const { page, complaints } = await openPage(await browser(), `${url}/ui/#/tasks/messages`)
    await page.getByRole('row', { name: /number 119/u }).click()
    await page.getByRole('button', { name: 'Mark as read' }).click()
    await page.getByText('119 unread').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.getByRole('link', { name: 'Skills' }).click()
    await page.getByRole('row', { name: /reviews/u }).click()
    await page.getByRole('region', { name: 'SKILL.md' }).getByText(`# ${markup}`).waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'Plugins' }).click()
    await page.getByRole('button', { name: 'Revoke secrets:exec' }).click()
    await page.getByRole('dialog').getByText('POST /api/secrets/:name/exec').waitFor()
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByText('secrets:exec (not granted)').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.getByRole('link', { name: 'Agents', exact: true }).click()
    await page.getByRole('region', { name: 'Active' }).getByText('<u>builder').waitFor()
    await page.getByRole('row', { name: /<u>builder/u }).click()
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByLabel('Delete all data permanently').check()
    await page.getByRole('dialog').getByText('1 memory, 1 session').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    t.true(await page.getByRole('button', { name: 'Delete permanently' }).isDisabled())
    await page.getByLabel(/Type <u>builder/u).fill('<u>builder')
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('1 memory deleted').waitFor()
    t.is((await call('GET /api/agents/:name', { params: { name: '<u>builder' } })).status, 404)
    t.deepEqual(complaints, [])
    await page.close()
  },
)

browserTest('a secret is set, never shown, and deleted by typing its name (web.md 4.1)', async t => {
  const { url, call, daemon } = await startDaemon(t)
  const { page, complaints, asked } = await openPage(await browser(), `${url}/ui/#/secrets`)
  await page.getByText('No secrets yet').waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await page.getByRole('button', { name: 'Set a secret…' }).click()
  await page.getByLabel('Name').fill('<b>NAME')
  await page.getByLabel('Value').fill('canary-4242')
  await page.getByRole('button', { name: 'Set', exact: true }).click()
  await page.getByRole('alert').waitFor()
  t.false((await page.content()).includes('canary-4242'))
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await page.getByLabel('Name').fill('DEPLOY_KEY')
  await page.getByRole('button', { name: 'Set', exact: true }).click()
  await page.getByRole('row', { name: /DEPLOY_KEY.*never/u }).waitFor()
  t.is(await daemon.secrets.resolve('DEPLOY_KEY'), 'canary-4242')
  await page.reload()
  await page.getByRole('row', { name: /DEPLOY_KEY.*now.*now/u }).click()
  t.false((await page.content()).includes('canary-4242'))
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page
    .getByRole('dialog')
    .getByText(/Last used:\s+just now/u)
    .waitFor()
  const deletes = page.getByRole('button', { name: 'Delete', exact: true })
  t.true(await deletes.isDisabled())
  await page.getByLabel('Type DEPLOY_KEY to confirm').fill('DEPLOY_KEY')
  await deletes.click()
  await page.getByText('No secrets yet').waitFor()
  t.deepEqual((await call('GET /api/secrets')).body.secrets, [])
  await page.getByRole('link', { name: 'Store' }).click()
  await page.getByText('a file on this machine').waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await page.getByRole('link', { name: 'Password managers' }).click()
  await page.getByRole('button', { name: 'Connect…' }).first().waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  t.is(await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])'), '[{},{},""]')
  t.deepEqual(
    asked.filter(address => address.includes('canary')),
    [],
  )
  t.deepEqual(
    complaints.filter(text => !text.includes('400 (Bad Request)')),
    [],
  )
  await page.close()
})

browserTest('a recorded recall is repeated, with results that are new or missing (web.md 4.2)', async t => {
  const { url, call, recall, remember } = await startDaemon(t, {
    settings: { telemetry: { memorySearchQaEnabled: true } },
  })
  await remember('The harbour has nine cranes')
  await recall('harbour cranes')
  await until(async () => (await call('GET /api/telemetry/memory-search')).body.items[0])
  await remember(`${markup} harbour cranes are painted in spring`)
  const { page, complaints } = await openPage(await browser(), `${url}/ui/#/recall`)
  const recorded = page.getByRole('region', { name: 'Recorded queries' })
  await recorded.getByRole('button', { name: 'Run again' }).click()
  await recorded.getByText('1 changed').waitFor()
  await recorded.getByRole('link', { name: `${markup} harbour cranes` }).waitFor()
  await recorded.getByText('added or removed since then').waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  t.deepEqual(complaints, [])
  await page.close()
})

/** Drops files onto the page like a browser. */
async function drop(page: Page, files: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate(`{
    const data = new DataTransfer()
    for (const [name, text] of Object.entries(${JSON.stringify(files)})) data.items.add(new File([text], name))
    for (const type of ['dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }))
  }`)
}
