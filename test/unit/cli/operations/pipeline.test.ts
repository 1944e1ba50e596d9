import test from 'ava'
import { modeText, pausedText, resumedText } from '../../../../src/cli/operations/pipeline.js'

const paused = (quiescence: object, rest: object = {}) =>
  pausedText({
    success: true,
    changed: true,
    paused: true,
    file: '/w/agent.yaml',
    mode: 'paused',
    ...rest,
    quiescence: { activeAtStart: 0, aborted: 0, remaining: 0, timedOut: false, ...quiescence },
  })

test('a pause reports what happened to running work (operations.md 6.2)', t => {
  t.is(paused({}), 'Paused; no jobs were running')
  t.is(
    paused({ activeAtStart: 4, aborted: 2, remaining: 1 }),
    'Paused; 4 jobs were running: 2 cancelled, 1 finished, 1 still running (memory pipeline status)',
  )
  const frozen = paused({}, { changed: false, mode: 'frozen' })
  t.true(frozen.startsWith('Already paused; no jobs were running; the mode is frozen'))
  const resumed = { success: true, changed: true, paused: false, file: '/w/agent.yaml' }
  t.is(resumedText({ ...resumed, mode: 'controlled-write' }), 'Resumed')
  t.is(resumedText({ ...resumed, mode: 'shadow' }), `Resumed; the mode is ${modeText('shadow')}`)
})
