// runs: in turn

import { readFileSync, writeFileSync } from 'node:fs'
import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon } from '../helpers/daemon.js'

const browser = sharedBrowser()

browserTest(
  'settings are found, set and reset as fields, and the file keeps its comments (web.md#pages)',
  async t => {
    const { url, paths, call, daemon } = await startDaemon(t, { settings: { git: { remote: 'upstream' } } })
    const commented = `# mine\n${readFileSync(paths.settings, 'utf8')}tasks:\n  maxConcurrent: 2 # slow machine\n`
    writeFileSync(paths.settings, commented)
    await t.notThrowsAsync(async () => {
      for (;;) {
        if (daemon.configuration().settings.tasks.maxConcurrent === 2) return
        await new Promise(resolve => setTimeout(resolve, 50))
      }
    })
    const { page, complaints } = await openPage(await browser(), `${url}/ui/#/settings`)
    const form = page.getByRole('region', { name: 'Settings as a form' })
    await form.getByText(`SERVICE_PORT: ${new URL(url).port} is in force`).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('simultaneous runs')
    const runs = form.getByRole('textbox', { name: 'tasks.maxConcurrent' })
    await form.getByText('file', { exact: true }).waitFor()
    t.is(await form.getByRole('textbox').count(), 1)
    await runs.fill('7')
    await form.getByText(/must be|at most|too big/u).waitFor()
    t.is(await runs.getAttribute('aria-invalid'), 'true')
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await runs.fill('1')
    await page.getByRole('region', { name: 'Changes' }).getByText('tasks.maxConcurrent').waitFor()
    const text = page.locator('#settings-text')
    t.regex(await text.inputValue(), /maxConcurrent: 1 # slow machine/u)
    await form.getByRole('searchbox').fill('recall.cards')
    await form.getByRole('combobox', { name: 'recall.cards' }).selectOption('true')
    await form.getByRole('searchbox').fill('git.remote')
    await form.getByRole('button', { name: 'Reset git.remote to its default' }).click()
    await page.getByRole('region', { name: 'Changes' }).getByText('"origin"').waitFor()
    await page.getByRole('button', { name: 'Save…' }).click()
    await page.getByRole('dialog').getByText('recall.cards').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Settings saved').waitFor()
    const { settings } = daemon.configuration()
    t.deepEqual(
      [settings.tasks.maxConcurrent, settings.recall.cards, settings.git.remote],
      [1, true, 'origin'],
    )
    const saved = readFileSync(paths.settings, 'utf8')
    t.regex(saved, /^# mine\n/u)
    t.regex(saved, /maxConcurrent: 1 # slow machine/u)
    t.deepEqual((await call('GET /api/settings')).body.problems, [])
    t.deepEqual(complaints, [])
    await page.close()
  },
)
