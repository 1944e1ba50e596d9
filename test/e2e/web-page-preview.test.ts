// runs: in turn

import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon } from '../helpers/daemon.js'
import { until } from '../helpers/daemon-process.js'
import { startSession } from '../helpers/hooks.js'

const browser = sharedBrowser()

browserTest(
  'a preview shows the text with its reasons, what is left out and what is new (web.md)',
  async t => {
    const daemon = await startDaemon(t)
    const { url, call } = daemon
    await daemon.remember('never push to main', { type: 'rule', project: 'shop' })
    for (let n = 0; n < 14; n++) await daemon.remember(`trivia number ${n}`, { project: 'shop' })
    await startSession(daemon, { sessionKey: 's1', project: 'shop' })
    await until(async () => (await call('GET /api/sessions/blackbox')).body.count === 1 || undefined)
    await daemon.remember('the till is broken', { type: 'issue', project: 'shop' })

    const { page, complaints } = await openPage(await browser(), `${url}/ui/#/sessions/s1`)
    await page.getByRole('link', { name: 'Preview the next start' }).click()
    const text = page.getByRole('region', { name: 'Text' })
    await text.getByText(/never push to main/).waitFor()
    await text.getByRole('link', { name: 'rule', exact: true }).waitFor()
    await text.getByRole('link', { name: 'open issue' }).waitFor()
    await page.getByRole('meter', { name: 'Tokens used' }).waitFor()
    await page.getByText(/of 1,200 tokens/).waitFor()
    await page.getByRole('region', { name: 'Left out' }).getByText('places are full').first().waitFor()
    const difference = page.getByRole('region', { name: 'Since the last start' })
    await difference.getByText(/the till is broken/).waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])

    const choice = page.getByRole('main').getByRole('combobox')
    await choice.nth(0).selectOption('OpenCode')
    await choice.nth(2).selectOption('Sub-agent')
    await page.getByText('OpenCode has no hook for the start of a sub-agent.').waitFor()
    await choice.nth(2).selectOption('Prompt')
    await page.getByRole('textbox', { name: 'Prompt' }).fill('where is the till?')
    await text.getByText(/^Current time/).waitFor()
    await choice.nth(1).selectOption('No project')
    await choice.nth(2).selectOption('Session start')
    await page.getByText('No start of a session is recorded').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    t.deepEqual(complaints, [])
    await page.close()
  },
)
