import test from 'ava'
import { Units } from '../../../../../src/store/embedding/static/model-file.js'
import { createTokenizer, numberUnit } from '../../../../../src/store/embedding/static/tokenizer.js'

const units = [
  numberUnit,
  ...'the parse http headers query box bake study deploy quick 2024 café naïve data'.split(' '),
  ...'# a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 9'
    .split(' ')
    .slice(1)
    .map(letter => `#${letter}`),
  '#ube',
  '#ctl',
]
const createFrom = (words: readonly string[]) => createTokenizer(new Units(`${words.join('\n')}\n`))
const tokenizer = createFrom(units)
const read = (text: string) => tokenizer.tokens(text).ids.map(id => units[id])

/** Text, its units, and the number of unknown words. Training and product share this tokenizer. */
const cases: readonly [string, string, number][] = [
  ['The query', 'the query', 0],
  ['THE QUERY', 'the query', 0],
  ['parseHTTPHeaders', 'parse http headers', 0],
  ['parse_http-headers', 'parse http headers', 0],
  ['queries parsing studies deployment deployed quickly', 'query parse study deploy deploy quick', 0],
  ['boxes baked', '#b #o #x #e #s bake #d', 2],
  ['2024', '2024', 0],
  ['2031 or 12', '#number #o #r #1 #2', 1],
  ['kubectl', '#k #ube #ctl', 1],
  ['datacube', 'data #c #ube', 1],
  ['cafe\u0301 naïve', 'café naïve', 0],
  ['ｄａｔａ', 'data', 0],
  ['Straße', '#s #t #r #a #e', 1],
  ['記憶', '', 1],
  ['', '', 0],
  [' ... !? ', '', 0],
  ['x'.repeat(60), '', 1],
  ['x'.repeat(31), '', 1],
  ['qzqzqzqzqz', '', 1],
]
for (const [text, wanted, unknown] of cases)
  test(`${JSON.stringify(text.slice(0, 40))} is split into [${wanted}]`, t => {
    t.deepEqual(read(text), wanted.split(' ').filter(Boolean))
    t.is(tokenizer.tokens(text).unknown, unknown)
  })

test('a text is always split the same way', t => {
  const text = 'parseHTTPHeaders of the kubectl'
  t.deepEqual(read(text), read(text))
  t.deepEqual(tokenizer.tokens(text), createFrom(units).tokens(text))
})

test('numbers do not count as words', t => {
  t.is(tokenizer.tokens('the 12 345').words, 1)
})
