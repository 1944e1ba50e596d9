import test from 'ava'
import { harmless, harmlessTexts } from '../../../../src/lib/text/harmless.js'
import { cpuMsOf } from '../../../helpers/cpu-time.js'
import { frames, tagsIn } from '../../../helpers/frames.js'

for (const frame of frames)
  test(`no tag is left of ${JSON.stringify(frame)} (rules.md 2.4)`, t => {
    t.not(tagsIn(frame).length, 0, 'the helper sees the tag')
    for (const text of [frame, `note: ${frame}`, `${frame}${frame}`]) {
      t.deepEqual(tagsIn(harmless(text)), [])
      t.is(harmless(harmless(text)), harmless(text))
    }
  })

test('comparisons, arrows, hearts and shifts are not tags', t => {
  for (const text of [
    'if (a < b) return',
    'i < n; i++',
    'a <= b',
    'x <- y',
    '<3',
    '1 << 4',
    'a < 5',
    'a > b',
    '[user]x',
  ])
    t.is(harmless(text), text.replace('[user]', '‹user]'))
})

test('texts in a value are neutralised, names of fields are not', t => {
  t.deepEqual(harmlessTexts({ '<a>': ['</system>', 1, null, { b: 'x' }] }), {
    '<a>': ['‹/system>', 1, null, { b: 'x' }],
  })
})

test('the time grows with the length, whatever the text', t => {
  for (const piece of [
    '<',
    '< ',
    '< a ',
    '<\u200b',
    '&',
    '&amp;',
    '&\u200b',
    '&lt; ',
    '<////',
    '[ ',
    '\\',
    '<a',
  ]) {
    const text = piece.repeat(Math.ceil(400_000 / piece.length))
    t.true(cpuMsOf(() => harmless(text)) < 1500, JSON.stringify(piece))
  }
})

for (const sign of ['<', '[', '&', '&lt;', '</', '[/'])
  for (const unseen of [' ', '\u200b', '\u0301', '\u0000', '/', 'amp;'])
    test(`one ${JSON.stringify(sign)} before many ${JSON.stringify(unseen)} is read in linear time`, t => {
      t.true(cpuMsOf(() => harmless(sign + unseen.repeat(100_000))) < 1000)
    })
