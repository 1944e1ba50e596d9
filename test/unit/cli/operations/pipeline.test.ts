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

test('a pause says what became of what was on its way (operations.md 6.2)', t => {
  t.is(paused({}), 'Paused; nothing was on its way')
  t.is(
    paused({ activeAtStart: 4, aborted: 2, remaining: 1 }),
    'Paused; of 4 pieces of work on the way 2 given up, 1 ended by themselves, 1 not ended yet: memory pipeline status',
  )
  const frozen = paused({}, { changed: false, mode: 'frozen' })
  t.true(frozen.startsWith('It was paused already; nothing was on its way; the mode is frozen'))
  const resumed = { success: true, changed: true, paused: false, file: '/w/agent.yaml' }
  t.is(resumedText({ ...resumed, mode: 'controlled-write' }), 'It goes on')
  t.is(resumedText({ ...resumed, mode: 'shadow' }), `It goes on; the mode is ${modeText('shadow')}`)
})
