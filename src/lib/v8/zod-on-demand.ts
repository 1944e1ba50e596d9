import { z as zod } from 'zod'

type Schema = zod.ZodType
type Make = (...args: unknown[]) => Schema
type Method = keyof Schema

/** What begins a schema, and what makes another one of it: until somebody validates, only noted. */
const beginnings = new Set(
  `any array bigint boolean custom date datetime discriminatedUnion enum int intersection lazy literal looseObject map
  never null nullable number object optional pipe preprocess record set strictObject string tuple undefined union
  unknown`.split(/\s+/),
)
const steps = new Set(
  `and array base64 brand catch catchall check datetime default describe email endsWith exclude extend extract finite gt gte
  includes int ip length loose lowercase lt lte max maxLength merge min minLength multipleOf negative nonempty
  nonnegative nonoptional nonpositive normalize nullable nullish omit optional or overwrite partial passthrough pick pipe
  positive prefault readonly refine regex required rest safe safeExtend startsWith step strict strip superRefine
  toLowerCase toUpperCase transform trim uppercase url uuid`.split(/\s+/),
)

/** What stands behind a stand-in. There are thousands: no table has to know them, which the collector would walk. */
interface Behind {
  make: () => Schema
  schema: Schema | undefined
}

/** A stand-in tells by this name what stands behind it; nothing else has it. */
const behind: unique symbol = Symbol('behind a stand-in')

function madeOf(target: Behind): Schema {
  target.schema ??= target.make()
  return target.schema
}

const standIn: ProxyHandler<Behind> = {
  get: (target, name) => {
    if (name === behind) return target
    if (typeof name === 'string' && steps.has(name))
      return (...args: unknown[]) =>
        later(() => (madeOf(target)[name as Method] as Make)(...args.map(wanted)))
    return Reflect.get(madeOf(target), name)
  },
  has: (target, name) => Reflect.has(madeOf(target), name),
  getPrototypeOf: target => Reflect.getPrototypeOf(madeOf(target)),
  ownKeys: target => Reflect.ownKeys(madeOf(target)),
  getOwnPropertyDescriptor: (target, name) => {
    const found = Reflect.getOwnPropertyDescriptor(madeOf(target), name)
    return found && { ...found, configurable: true }
  },
  set: (target, name, value) => Reflect.set(madeOf(target), name, value),
}

/** A stand-in for the schema that `make` makes, which happens when something of it is asked for. */
function later(make: () => Schema): Schema {
  return new Proxy<Behind>({ make, schema: undefined }, standIn) as unknown as Schema
}

/** An argument with schemas where stand-ins are: zod compares them, and a stand-in would cost every validation. */
function wanted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const target = (value as { [behind]?: Behind })[behind]
  if (target) return madeOf(target)
  if (Array.isArray(value)) return value.map(wanted)
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.defineProperties({}, mapped(Object.getOwnPropertyDescriptors(value)))
}

/** The same of a function that gives a schema when it is called. */
function wantedOf(make: unknown): () => unknown {
  return () => wanted((make as () => unknown)())
}

/** Fields of an object, those that a getter gives (a schema that holds itself) as late as before. */
function mapped(fields: Record<string, PropertyDescriptor>): PropertyDescriptorMap {
  const entries = Object.entries(fields).map(([name, field]): [string, PropertyDescriptor] => {
    const { get, value } = field
    return [
      name,
      get ? { ...field, get: () => wanted(get.call(undefined)) } : { ...field, value: wanted(value) },
    ]
  })
  return Object.fromEntries(entries)
}

/** The same functions of zod; those that begin a schema begin it late, the others get schemas for stand-ins. */
function late<Namespace extends object>(namespace: Namespace): Namespace {
  const functions = Object.entries(namespace).map(([name, value]: [string, unknown]) => {
    if (typeof value !== 'function' || isClass.test(name)) return [name, value]
    const argument = name === 'lazy' ? wantedOf : wanted
    const call: Make = (...args) => (value as Make)(...args.map(argument))
    return [name, beginnings.has(name) ? (...args: unknown[]) => later(() => call(...args)) : call]
  })
  return Object.fromEntries(functions) as Namespace
}

const isClass = /^[A-Z]/u

/**
 * zod, whose schemas are made when one is asked for something: a daemon knows thousands, and a start needs a few. The
 * build puts it in the place of `zod` for what stands in `src`. A schema that can't be made throws at its first use.
 */
export const z: typeof zod = { ...late(zod), iso: late(zod.iso), coerce: late(zod.coerce) }
