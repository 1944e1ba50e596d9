import test from 'ava'
import { pagesOf } from '../../../../src/lib/workspace/pages-of.js'

function walk(rows: number, limit: number) {
  const asked: number[] = []
  const read = async (after: number) => {
    asked.push(after)
    return Array.from({ length: rows }, (_, place) => place + 1)
      .filter(place => place > after)
      .slice(0, limit)
  }
  return { asked, pages: pagesOf({ from: 0, limit, read, placeOf: place => place }) }
}

test('rows are read page by page, each once, until a page is not full', async t => {
  const { asked, pages } = walk(5, 2)
  const found: number[][] = []
  for await (const page of pages) found.push([...page])
  t.deepEqual(found, [[1, 2], [3, 4], [5]])
  t.deepEqual(asked, [0, 2, 4])
})

test('a full last page is followed by an empty one', async t => {
  const { pages } = walk(4, 2)
  let count = 0
  for await (const page of pages) count += page.length
  t.is(count, 4)
})

test('leaving the loop stops reading', async t => {
  const { asked, pages } = walk(100, 2)
  for await (const page of pages) if (page.includes(3)) break
  t.deepEqual(asked, [0, 2])
})
