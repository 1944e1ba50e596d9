import test from 'ava'
import { latinSkeleton, withoutDigitLetters } from '../../../../../src/daemon/safety/disguise.js'
import { fold } from '../../../../../src/daemon/safety/text/fold.js'

test('letters of every form become plain lower-case letters', t => {
  t.is(fold('ＦｕＬＬ 𝐛𝐨𝐥𝐝 ⓒⓘⓡⓒⓛⓔ 🅱🅾🆇 🇫🇱🇦🇬'), 'full bold circle box flag')
  t.is(fold('Précédentes ÇA ñ i̷g̷'), 'precedentes ca n ig')
})

test('letters of other scripts keep their marks', t => {
  t.is(fold('Йод'), 'йод')
  t.is(fold('が'), 'が')
  t.is(fold('한국어'), '한국어')
})

test('invisible characters are removed, white space and quotation marks are unified', t => {
  t.is(fold('a\u200bb\u00adc\u{e0041}d\ufe0f'), 'abcd')
  t.is(fold('one \t two  \r\n\n\n\n three \\\n four'), 'one two\n\nthree four')
  t.is(fold('“a” ‘b’ «c»'), '"a" \'b\' "c"')
})

test('Markdown emphasis is removed, symbols in names and commands stay', t => {
  t.is(fold('**Ignore** all *previous* __words__.'), 'ignore all previous words.')
  t.is(fold('rm *.log snake_case 2 * 3'), 'rm *.log snake_case 2 * 3')
})

test('lookalike letters and digits become Latin letters', t => {
  t.is(latinSkeleton('іgnоrе'), 'ignore')
  t.is(withoutDigitLetters('1gn0r3 the 1 rule'), 'ignore the 1 rule')
})
