import test from 'ava'
import { emptyTally, judgeInvisible, tallyInvisible } from '../../../../src/daemon/safety/invisible.js'

const judge = (text: string) => judgeInvisible(tallyInvisible(text, emptyTally()).tally)

test('text hidden in tag characters is blocked and decoded', t => {
  const tags = [...'hello'].map(char => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('')
  t.is(judge(`note${tags}`), 'blocked')
  t.is(tallyInvisible(`note${tags}`, emptyTally()).hidden, 'hello')
})

test('bytes hidden in variation selectors are blocked and decoded', t => {
  const selectors = [...Buffer.from('hello')].map(byte => String.fromCodePoint(0xe0100 + byte - 16)).join('')
  t.is(judge(`😀${selectors}`), 'blocked')
  t.is(tallyInvisible(`😀${selectors}`, emptyTally()).hidden, 'hello')
})

test('flags, emoji sequences and single variation selectors are clean', t => {
  for (const text of ['🏴󠁧󠁢󠁳󠁣󠁴󠁿', '👩‍👩‍👧‍👦', '❤️‍🔥', '1️⃣', '葛󠄀']) t.is(judge(text), 'clean', text)
})

test('joiners are clean in scripts that need them', t => {
  for (const text of ['می‌خواهم', 'क्‍ष', 'র‍্যাম', 'ශ්‍රී', 'ന്‍']) t.is(judge(text.repeat(20)), 'clean', text)
})

test('zero-width characters in Latin words count, except one stray character and camel case', t => {
  t.is(judge('pass\u200bword'), 'clean')
  t.is(judge('pass\u200bword sec\u200cret'), 'tainted')
  t.is(judge('very\u200bLong\u200bName\u200bHere'), 'clean')
  t.is(judge(`x${'\u200b'.repeat(4)}`), 'tainted')
  t.is(judge(`x${'\u200b\u200c'.repeat(8)}`), 'blocked')
})

test('a direction override is never clean, an embedding only around Latin text', t => {
  t.is(judge('report\u202egpj.exe'), 'blocked')
  t.is(judge('\u202eשלום\u202c'), 'tainted')
  t.is(judge('/* \u2067 end of comment */'), 'blocked')
  t.is(judge('הקובץ \u2067config.yaml\u2069 כאן'), 'clean')
  t.is(judge('\u202aC:\\Users\\dana\u202c and \u2068Dana\u2069'), 'clean')
})

test('counts add up across the slices of a text', t => {
  const first = tallyInvisible('pass\u200bword', emptyTally()).tally
  t.is(judgeInvisible(tallyInvisible('sec\u200bret', first).tally), 'tainted')
})
