import test from 'ava'
import { parseRatings } from '../../../../src/cli/memory/ratings.js'

test('ratings are numbers from -1 to 1, or words', t => {
  t.deepEqual(parseRatings(['a=1', 'b=-0.5', 'c=harmful', 'd=neutral', 'e=helpful']), {
    a: 1,
    b: -0.5,
    c: -1,
    d: 0,
    e: 1,
  })
})

for (const text of ['a', 'a=', '=1', 'a=2', 'a=good', 'a=NaN'])
  test(`${text} is refused as a rating`, t => {
    t.throws(() => parseRatings([text]), { message: new RegExp(`"${text}" is no rating`) })
  })
