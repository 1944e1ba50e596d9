import test from 'ava'
import { askAbout } from '../../../../src/cli/consent/consent.js'
import { CliError } from '../../../../src/cli/shell/cli-error.js'

const nextSteps = ['add --yes to remove it']
const preview = { lines: [], question: 'Remove it?' }

test('a missing target is reported before the missing --yes (architecture.md)', async t => {
  const gone = new CliError('nothing was found', { code: 'not_found', exit: 'notFound' })
  // With `json` no question is asked, so the test does not depend on its terminal.
  const error = await t.throwsAsync(
    askAbout({ yes: false, json: true, nextSteps }, () => Promise.reject(gone)),
  )
  t.is(error, gone)
})

test('without a terminal, --yes is required and the error says how to pass it', async t => {
  const error = await t.throwsAsync(
    askAbout({ yes: false, json: true, nextSteps }, () => preview),
    { instanceOf: CliError, code: 'confirmation_required' },
  )
  t.deepEqual(error?.nextSteps, nextSteps)
})

test('with --yes no preview is made and no question asked', async t => {
  const asked = await askAbout({ yes: true, json: false, nextSteps }, () => t.fail() as never)
  t.false(asked)
})
