// runs: in turn

import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { capture } from '../helpers/captures.js'
import { startDaemon } from '../helpers/daemon.js'
import { startSession } from '../helpers/hooks.js'

const browser = sharedBrowser()
const key = '0b6c2f1e-77aa-4c1d-9f3e-5a1c2d3e4f50'

browserTest(
  'a session is a conversation with what was given and saved beside the turns, and a fork names its origin (web.md 3.21)',
  async t => {
    const daemon = await startDaemon(t)
    await daemon.remember('The pier is closed on Mondays', { type: 'rule', project: '/harbour' })
    await startSession(daemon, { sessionKey: key, project: '/harbour' })
    await daemon.remember('The desert has no ferry', { project: '/desert' })
    await daemon.remember('The ferry leaves at nine', { project: '/harbour' })
    const began = Date.now()
    const turn = (role: string, text: string, second: number) => ({
      ...{ role, text, timestamp: new Date(began + 1000 * second).toISOString() },
    })
    const recall = { query: 'ferry leaves', sessionKey: key }
    await daemon.call('POST /api/memory/recall', { body: recall })
    const saved = { content: '<b>Cranes</b> rest on Sundays', type: 'rule', project: '/harbour' } as const
    const headers = { 'x-service-session-key': key }
    await daemon.call('POST /api/memory/remember', { body: saved, headers })
    const parent = [
      turn('user', 'When does the <i>ferry</i> leave?', 0),
      turn('assistant', `At nine. ${'The tide is right. '.repeat(100)}`, 0.5),
      turn('user', 'And the cranes?', 60),
      turn('assistant', 'They rest on Sundays.', 61),
    ]
    await capture(daemon, { sessionKey: key, project: '/harbour', transcript: parent })
    const fork = [...parent, turn('user', 'Try the other pier', 70)]
    await capture(daemon, { sessionKey: 'fork of it', project: '/harbour', transcript: fork })
    const { page, complaints } = await openPage(await browser(), `${daemon.url}/ui/#/sessions`)
    const row = page.getByRole('listitem').filter({ hasText: 'When does the <i>ferry</i> leave?' })
    await row.getByText('4 messages').waitFor()
    await row.getByText('1 memory saved').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    const project = page.getByLabel('Project', { exact: true })
    await project.selectOption('/desert')
    await page.getByText('No sessions in this project').waitFor()
    await project.selectOption('/harbour')
    const other = page.getByRole('listitem').filter({ hasText: 'Try the other pier' })
    await other.getByRole('link', { name: 'Try the other pier' }).click()
    await page.getByRole('heading', { name: 'Try the other pier' }).waitFor()
    await page.getByRole('link', { name: 'continues an earlier session' }).click()
    await page.getByRole('heading', { name: 'When does the <i>ferry</i> leave?' }).waitFor()
    t.is(await page.getByRole('button', { name: 'Copy the id 2d3e4f50' }).getAttribute('title'), key)
    const talk = page.getByRole('region', { name: 'Conversation' })
    const at = (text: string) => talk.locator('.turn').filter({ hasText: text })
    await at('The session starts').getByRole('link', { name: 'The pier is closed' }).waitFor()
    await at('When does the').getByText('Found', { exact: true }).waitFor()
    await at('At nine').getByText('Saved', { exact: true }).waitFor()
    await at('At nine').getByRole('link', { name: '<b>Cranes</b> rest on Sundays' }).waitFor()
    t.is(await at('And the cranes').locator('.note').count(), 0)
    await at('At nine').getByRole('button', { name: 'Show all' }).click()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.setViewportSize({ width: 360, height: 740 })
    t.true(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'Events and context' }).click()
    await page.getByRole('region', { name: 'Timeline' }).getByText('recall requested').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    t.deepEqual(complaints, [])
    await page.close()
  },
)

browserTest('a hit of the search in conversations opens at its turn (web.md 3.21)', async t => {
  const daemon = await startDaemon(t)
  const transcript = Array.from({ length: 160 }, (_, n) => ({
    ...{ role: n % 2 ? 'assistant' : 'user', text: n === 120 ? 'the zeppelin lands' : `about boats ${n}` },
  }))
  await capture(daemon, { sessionKey: key, transcript })
  const { page, complaints } = await openPage(await browser(), `${daemon.url}/ui/#/sessions`)
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('zeppelin')
  await page.getByRole('link', { name: /zeppelin/u }).click()
  const marked = page.locator('.turn[aria-current=true]')
  await marked.getByText('the zeppelin lands').waitFor()
  const top = (await marked.boundingBox())?.y ?? -1
  t.true(top > 0 && top < 800, 'it is scrolled into view')
  await page.getByRole('button', { name: '110 earlier messages' }).click()
  await page.getByText('about boats 60', { exact: true }).waitFor()
  await page.getByRole('button', { name: '60 earlier messages' }).waitFor()
  t.is(await page.getByRole('button', { name: /later message/u }).count(), 0)
  t.deepEqual(complaints, [])
  await page.close()
})
