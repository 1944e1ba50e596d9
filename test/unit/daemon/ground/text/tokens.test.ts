import test from 'ava'
import { isSpace, takeTokens } from '../../../../../src/daemon/ground/text/tokens.js'

const count = (text: string): number => takeTokens(text, 0, text.length, 1e6).tokens

test('tokens are counted for words, marks, Chinese characters and other alphabets', t => {
  t.is(count('The ferry leaves at noon.'), 7)
  t.is(count('港口报告'), 4)
  t.is(count('порт'), 2)
  t.is(count('12345678'), 3)
  t.is(count('  \n\t'), 0)
})

test('a span ends before the limit, never inside a character', t => {
  const cut = (text: string, max: number): string => text.slice(0, takeTokens(text, 0, text.length, max).end)
  t.is(cut('one two three', 2), 'one two ')
  t.is(cut('😀😀😀', 2), '😀😀')
  t.is(cut('éé\u0301é', 1), 'éé\u0301é')
  t.is(cut('港e\u0301\u0301港', 2), '港e\u0301\u0301')
})

test('white space is exactly what trim removes', t => {
  const codes = Array.from({ length: 0x10000 }, (_, code) => code)
  t.deepEqual(
    codes.filter(isSpace),
    codes.filter(code => String.fromCharCode(code).trim() === ''),
  )
})
