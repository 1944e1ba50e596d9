import test from 'ava'
import { z } from 'zod'
import { faultWords } from '../../../../src/lib/text/fault-words.js'

const told = (schema: z.ZodType, value: unknown): string[] =>
  (schema.safeParse(value, { error: faultWords }).error?.issues ?? []).map(({ path, message }) =>
    [...(path.length > 0 ? [path.join('.')] : []), message].join(': '),
  )

const body = z.object({
  text: z.string().min(1).max(5),
  count: z.int().min(1).max(500).optional(),
  share: z.number().min(0).max(1).optional(),
  tags: z.array(z.string()).min(1).max(2).optional(),
  kind: z.enum(['fact', 'rule']).optional(),
  mode: z.literal('only').optional(),
  pinned: z.boolean().optional(),
  either: z.union([z.enum(['fact', 'rule']), z.array(z.enum(['fact', 'rule']))]).optional(),
  map: z.record(z.string(), z.number()).optional(),
  rate: z.number().gt(0).lt(1).optional(),
})

for (const [value, ...words] of [
  [undefined, 'a JSON object is required'],
  [null, 'must be an object, not null'],
  [[], 'must be an object, not a list'],
  [{}, 'text: is required'],
  [{ text: 5 }, 'text: must be a string, not 5'],
  [{ text: null }, 'text: must be a string, not null'],
  [{ text: '' }, 'text: must not be empty'],
  [{ text: 'abcdef' }, 'text: must have at most 5 characters, not 6'],
  [{ text: 'a', count: 0 }, 'count: must be at least 1, not 0'],
  [{ text: 'a', count: 501 }, 'count: must be at most 500, not 501'],
  [{ text: 'a', count: 1.5 }, 'count: must be a whole number, not 1.5'],
  [{ text: 'a', count: 'many' }, 'count: must be a number, not a string'],
  [{ text: 'a', share: 1.1 }, 'share: must be at most 1, not 1.1'],
  [{ text: 'a', rate: 0 }, 'rate: must be more than 0, not 0'],
  [{ text: 'a', rate: 1 }, 'rate: must be less than 1, not 1'],
  [{ text: 'a', tags: [] }, 'tags: must have at least 1 item'],
  [{ text: 'a', tags: ['a', 'b', 'c'] }, 'tags: must have at most 2 items, not 3'],
  [{ text: 'a', kind: 'x' }, 'kind: must be one of fact, rule'],
  [{ text: 'a', mode: 'x' }, 'mode: must be only'],
  [{ text: 'a', pinned: 'yes' }, 'pinned: must be true or false, not a string'],
  [{ text: 'a', either: 'x' }, 'either: must be one of fact, rule'],
  [{ text: 'a', either: ['x'] }, 'either: 0: must be one of fact, rule'],
  [{ text: 'a', either: 5 }, 'either: must be one of fact, rule, not 5'],
  [{ text: 'a', map: { a: '1' } }, 'map.a: must be a number, not a string'],
] satisfies [unknown, ...string[]][])
  test(`the fault of ${JSON.stringify(value)} is explained (rules.md#conventions)`, t => {
    t.deepEqual(told(body, value), words)
  })

test('the message of a schema takes precedence', t => {
  const reason = z.string({
    error: ({ input }) => (input === undefined ? 'a reason is required' : undefined),
  })
  t.deepEqual(told(z.object({ reason }), {}), ['reason: a reason is required'])
  t.deepEqual(told(z.object({ reason }), { reason: 5 }), ['reason: must be a string, not 5'])
})

test('the allowed names of a union are listed', t => {
  const shape = z.discriminatedUnion('op', [
    z.object({ op: z.literal('add') }),
    z.object({ op: z.literal('drop') }),
  ])
  t.deepEqual(told(z.array(shape), [{ op: 'x' }, {}, 5]), [
    '0.op: must be one of add, drop',
    '1.op: is required: one of add, drop',
    '2: must be an object, not 5',
  ])
})

test('an unknown key of a strict object is named', t => {
  t.deepEqual(told(z.strictObject({}), { bogus: 1 }), ['takes no "bogus"'])
})

test('a given text is never repeated, because it may be a secret', t => {
  const kind = z.enum(['fact', 'rule'])
  for (const schema of [
    z.number(),
    kind,
    z.literal('fact'),
    z.string().max(3),
    z.union([kind, z.array(kind)]),
  ])
    t.notRegex(told(z.object({ field: schema }), { field: 'svc_sk_secret' }).join(), /secret/)
})
