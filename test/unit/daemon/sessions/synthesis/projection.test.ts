// runs: in turn

import test from 'ava'
import { unfinishedIn } from '../../../../../src/daemon/sessions/synthesis/projection.js'
import { cpuMsOf } from '../../../../helpers/cpu-time.js'

test('items under a heading for open work are unfinished, until the next heading', t => {
  const text = '# Done\n- wrote docs\n## Next steps\n- fix the clock\n1. tell Ada\n## Notes\n- it rains'
  t.deepEqual(unfinishedIn(text), ['fix the clock', 'tell Ada'])
  t.deepEqual(unfinishedIn('Remaining:\n* one thing\nAll fine.\n* another'), ['one thing'])
})

test('headings may be numbered like those of Claude Code', t => {
  const text = [
    '6. All user messages:',
    '    - rename it',
    '7. Pending Tasks:',
    '   - rotate the key',
    '   - tell Ada',
    '8. Current Work:',
    '   The name was changed.',
    '9. Optional Next Step:',
    '   - look at the logs',
  ]
  t.deepEqual(unfinishedIn(text.join('\n')), ['rotate the key', 'tell Ada', 'look at the logs'])
})

test('unchecked boxes are unfinished, checked ones are not', t => {
  t.deepEqual(unfinishedIn('- [ ] open\n- [x] closed, to do no more\n- plain'), ['open'])
})

test('sentences about open work are unfinished, others on the same line are not', t => {
  t.deepEqual(unfinishedIn('Answered: The parser works. The clock is not yet fixed! Good night.'), [
    'The clock is not yet fixed!',
  ])
})

test('a request without an answer is unfinished', t => {
  t.deepEqual(unfinishedIn('Asked: why does it fail?'), ['unanswered: why does it fail?'])
  t.deepEqual(unfinishedIn('Asked: why does it fail?\n\nAnswered: the disk was full'), [])
})

test('a note yields at most five lines', t => {
  t.is(unfinishedIn('- [ ] x\n'.repeat(100)).length, 5)
})

test('a hostile note is read in linear time', t => {
  const texts = ['not '.repeat(20_000), '- '.repeat(20_000), '*'.repeat(50_000), '. '.repeat(20_000)]
  t.true(cpuMsOf(() => texts.map(unfinishedIn)) < 1000)
})
