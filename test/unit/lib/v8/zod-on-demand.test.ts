import test from 'ava'
import { z as zod } from 'zod'
import { z } from '../../../../src/lib/v8/zod-on-demand.js'

/** Builds the same schema with zod and with its lazy replacement. */
function both(make: (z: typeof zod) => zod.ZodType): [zod.ZodType, zod.ZodType] {
  return [make(zod), make(z)]
}

const definitions: Record<string, (z: typeof zod) => zod.ZodType> = {
  'an object with every type': z =>
    z
      .object({
        text: z.string().trim().min(1).max(5).regex(/a/u),
        count: z.int().min(0).default(3),
        either: z.union([z.literal('x'), z.number()]).nullish(),
        list: z
          .array(z.enum(['p', 'q']))
          .max(2)
          .optional(),
        map: z.record(z.string(), z.boolean()).prefault({}),
        late: z.string().transform(Number).pipe(z.number()).catch(7),
        when: z.iso.datetime().optional(),
      })
      .extend({ more: z.unknown().optional() })
      .refine(({ text }) => text !== 'aaa', { path: ['text'], error: 'not that one' }),
  'parts of an object': z =>
    z.object({ a: z.string(), b: z.number(), c: z.null() }).omit({ c: true }).partial(),
  'a discriminated union': z =>
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), value: z.string() }),
      z.strictObject({ kind: z.literal('b') }),
    ]),
  'a recursive schema': z => {
    const node: zod.ZodType = z.object({
      name: z.string(),
      get children() {
        return z.array(node).optional()
      },
    })
    return node
  },
  'a schema recursive through a function': z => {
    const node: zod.ZodType = z.object({ name: z.string(), child: z.lazy(() => node).optional() })
    return node
  },
  'an existing schema': z => z.preprocess(value => [value].flat(), z.array(z.string())),
}

const values: unknown[] = [
  { text: ' ab ', late: '5', list: ['p'], map: { on: true } },
  { text: 'aaa', count: -1, list: ['z', 'p', 'q'], either: 'y', when: 'now' },
  { a: 'x', c: null },
  { kind: 'a', value: 'v' },
  { kind: 'b', more: 1 },
  { kind: 'c' },
  {
    name: 'top',
    children: [{ name: 'leaf', children: [{ name: 4 }] }],
    child: { name: 'c', child: { name: 2 } },
  },
  { name: 'top', children: [{ name: 'leaf' }], child: { name: 'c' } },
  'text',
  null,
]

for (const [name, make] of Object.entries(definitions))
  test(`${name} accepts, refuses and reports like zod`, t => {
    const [real, late] = both(make)
    for (const value of values) t.deepEqual(late.safeParse(value), real.safeParse(value))
    const options = { io: 'input', unrepresentable: 'any' } as const
    t.deepEqual(z.toJSONSchema(late, options), zod.toJSONSchema(real, options))
  })

test('a schema is built on first use, and once', t => {
  const asked: string[] = []
  const fields = {
    get name() {
      asked.push('name')
      return z.string()
    },
  }
  const schema = z.object(fields).extend({ at: z.string().min(1).describe('when') })
  const list = z.array(schema.nullable()).optional()
  t.deepEqual(asked, [])
  t.true(list.safeParse([{ name: 'a', at: 'b' }]).success)
  t.false(list.safeParse([{ name: 'a', at: '' }]).success)
  t.deepEqual(asked, ['name'])
})

test('a schema that cannot be built fails on first use', t => {
  const schema = z.object({ a: z.string() }).pick({ b: true } as never)
  t.throws(() => schema.safeParse({}), { message: /b/u })
})

test('the lazy replacement has the properties of its schema', t => {
  const schema = z.object({ a: z.string().describe('first'), b: z.number() })
  t.deepEqual(Object.keys(schema.shape), ['a', 'b'])
  t.true('shape' in schema)
  t.true(schema instanceof zod.ZodObject)
  t.is(schema.shape.a.description, 'first')
  t.deepEqual(z.enum(['p', 'q']).options, ['p', 'q'])
  t.deepEqual(
    Object.keys({ ...schema }),
    Object.keys({ ...zod.object({ a: zod.string(), b: zod.number() }) }),
  )
})
