// runs: in turn

import { readFileSync } from 'node:fs'
import type { Route } from 'playwright-core'
import { settled } from '../../scripts/browser.js'
import { RecentLogs } from '../../src/daemon/ground/telemetry/recent-logs.js'
import { createLog } from '../../src/daemon/process/log.js'
import { hashPassword } from '../../src/lib/workspace/password-hash.js'
import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon } from '../helpers/daemon.js'
import { put } from '../helpers/git.js'
import { startLogging } from '../helpers/logged-daemon.js'
import { putEmbedJobs } from '../helpers/planted-damage.js'
import { openRaw } from '../helpers/store.js'
import { startTeam } from '../helpers/team.js'

const browser = sharedBrowser()
const markup = '<img src=x onerror="alert(1)">'

browserTest(
  'the log is followed, work is paused, a repair is previewed, and events are shown (web.md 3.7)',
  async t => {
    const daemon = await startLogging(t, {}, 'info')
    const { url, call, remember, recall } = daemon
    const log = daemon.daemon.log.child({ category: 'git' })
    log.info(`${markup} of the log`)
    const id = await remember('We deploy on Tuesdays')
    await recall('deploy')
    const { page, complaints, asked } = await openPage(await browser(), `${url}/ui/#/operations`)
    const tab = (name: string) => page.getByRole('main').getByRole('link', { name, exact: true })
    await page.getByRole('row', { name: /of the log/u }).waitFor()
    await page.getByText('Live, newest first').waitFor()
    log.warn('nothing was synced')
    await page.getByRole('row', { name: /nothing was synced/u }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('synced')
    await page.getByRole('row', { name: /of the log/u }).waitFor({ state: 'detached' })
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.keyboard.press('Escape')
    await page.keyboard.press('p')
    await page.getByText('Paused; ').waitFor()
    await page.keyboard.press('e')
    await page.getByRole('dialog').getByText('warn').waitFor()
    await page.keyboard.press('Escape')

    await tab('Jobs').click()
    await page.getByRole('button', { name: 'Pause…' }).click()
    await page.getByRole('dialog').getByText('Saves and recalls continue').waitFor()
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('Background extraction is paused').waitFor()
    t.is((await call('GET /api/pipeline/status')).body.mode, 'paused')
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Pause…' }).waitFor()

    putEmbedJobs(openRaw(t, daemon.paths.database), [id])
    // The first diagnostics after a start may take long: the page says so, and other parts still work.
    const look: { go?: () => void } = {}
    const held = new Promise<void>(resolve => Object.assign(look, { go: resolve }))
    const hold = (route: Route) => held.then(() => route.continue()).catch(() => undefined)
    await page.route('**/api/diagnostics*', hold, { times: 1 })
    await tab('Diagnostics').click()
    await page.getByText('Checking stored data').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await tab('Repair').click()
    await page.getByText('requeue-dead', { exact: true }).waitFor()
    look.go?.()
    await tab('Diagnostics').click()
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByRole('link', { name: 'Preview repair' }).first().waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.getByRole('link', { name: 'Browse database tables' }).click()
    await page.getByRole('grid', { name: 'Tables of the database' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'All tables' }).waitFor()
    await page.goto(`${url}/ui/#/operations/diagnostics/tables/jobs`)
    await page.getByRole('row', { name: id }).click()
    await page.getByRole('dialog').getByText(id, { exact: true }).waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.getByText('Rows checked').waitFor()
    await tab('Repair').click()
    await page.getByRole('link', { name: 'Preview: requeue-dead', exact: true }).click()
    await page.getByRole('dialog').getByText('embed 1').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Repair', exact: true }).click()
    await page.getByText('done, 1 affected').waitFor()
    t.is((await call('GET /api/pipeline/status')).body.queues.memory?.dead, 0)

    await tab('Update').click()
    await page.getByText('Not checked yet').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await tab('Telemetry').click()
    await page.getByRole('row', { name: /recall\.performed/u }).click()
    await page.getByRole('dialog', { name: 'recall.performed' }).getByText('explicit_api').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    t.deepEqual(
      asked.filter(address => !address.startsWith(`${url}/`) || address.includes('/api/update/check')),
      [],
    )
    t.deepEqual(complaints, [])
    await page.close()
  },
)

browserTest('a Git repository is created after a preview, and configured (web.md 3.8)', async t => {
  const daemon = await startDaemon(t)
  put(daemon, `skills/${markup.replaceAll('/', '')}/SKILL.md`, '# Skill\n')
  const { page, complaints } = await openPage(await browser(), `${daemon.url}/ui/#/operations/git`)
  await page.getByRole('button', { name: 'Preview…' }).click()
  await page.getByRole('dialog').getByText(markup).waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  t.false((await daemon.call('GET /api/git/status')).body.enabled)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('Last commit').waitFor()
  await page.getByLabel('Interval in seconds').fill('5')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('syncInterval: must be at least 60').waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await page.getByLabel('Interval in seconds').fill('600')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Settings saved').waitFor()
  t.is((await daemon.call('GET /api/git/config')).body.syncInterval, 600)
  t.deepEqual(complaints, [
    'Failed to load resource: the server responded with a status of 400 (Bad Request)',
  ])
  await page.close()
})

browserTest('settings are validated while typed, and saved after a diff (web.md 3.10)', async t => {
  const passwordHash = await hashPassword('open sesame')
  const settings = { auth: { login: { password: { passwordHash } } }, git: { remote: 'upstream' } }
  const daemon = await startDaemon(t, { settings })
  const { page, complaints } = await openPage(await browser(), `${daemon.url}/ui/#/settings`)
  const text = page.locator('#settings-text')
  await page.getByText('hides a credential. Leave it to keep the credential').waitFor()
  t.false((await page.content()).includes(passwordHash))
  await page.getByText('Saved and active.').waitFor()
  t.regex(await text.inputValue(), /remote: upstream/u)
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await text.fill(`# ${markup}\nrecall:\n  cards: perhaps\n`)
  await page.getByRole('button', { name: 'Line 3' }).click()
  t.is(await page.evaluate('getSelection().toString()'), '  cards: perhaps')
  t.true(await page.getByRole('button', { name: 'Save…' }).isDisabled())
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  const wanted = `# ${markup}\nrecall:\n  cards: true\n'${markup}': 1\n`
  await text.fill(wanted)
  await page.getByRole('region', { name: 'Unknown settings' }).getByText(markup).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click()
  await page.getByRole('heading', { name: 'What happens' }).waitFor()
  await page.goBack()
  await page.locator('.changes').getByText('git.remote').waitFor()
  await page.locator('.changes').getByText('auth.login.password.passwordHash').waitFor()
  t.false((await page.locator('main').innerHTML()).includes(passwordHash))
  await text.press('Control+s')
  await page.getByRole('dialog').getByText('recall.cards').waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  t.false(daemon.daemon.configuration().settings.recall.cards)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Settings saved').waitFor()
  t.true(daemon.daemon.configuration().settings.recall.cards)
  t.is(readFileSync(daemon.paths.settings, 'utf8'), wanted)
  t.deepEqual(complaints, [])
  await page.close()
})

browserTest('the credential appears in no URL, log or storage except its tab’s (web.md 2.4)', async t => {
  const lines: string[] = []
  const recentLogs = new RecentLogs()
  const write = (line: string): void => {
    lines.push(line)
    recentLogs.take(line)
  }
  const team = await startTeam(t, { recentLogs, log: createLog({ write }, 'debug') })
  const { key } = await team.key({ role: 'admin' })
  const { page, asked } = await openPage(await browser(), `${team.url}/ui/`)
  await page.getByLabel('API key or token').fill(key)
  await page.getByRole('button', { name: 'Sign in with the key' }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  const links = page.getByRole('navigation').getByRole('link')
  for (const name of await links.allTextContents()) {
    await links.getByText(name, { exact: true }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await settled(page)
    t.false((await page.content()).includes(key), name)
  }
  const kept =
    'indexedDB.databases().then(all => JSON.stringify([{ ...localStorage }, document.cookie, all, location.href]))'
  t.deepEqual(JSON.parse(await page.evaluate<string>(kept)).slice(0, 3), [{}, '', []])
  t.true(lines.some(line => line.includes('/api/')))
  t.deepEqual(
    [...asked, ...lines, page.url()].filter(text => text.includes(key)),
    [],
  )
  await page.close()
})
