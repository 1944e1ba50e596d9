import { z as zod } from 'zod'

type Schema = zod.ZodType
type Make = (...args: unknown[]) => Schema
type Method = keyof Schema

/**
 * Functions that create a schema, and methods that derive one from another. Both are only recorded until the
 * first validation.
 */
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

/**
 * Target of a schema proxy. There are thousands, so the target is stored in the proxy: a table of them would
 * cost the garbage collector.
 */
interface ProxyTarget {
  make: () => Schema
  schema: Schema | undefined
}

/** Property under which a proxy returns its target. */
const targetKey: unique symbol = Symbol('target of a schema proxy')

function schemaOf(target: ProxyTarget): Schema {
  target.schema ??= target.make()
  return target.schema
}

const proxyHandler: ProxyHandler<ProxyTarget> = {
  get: (target, name) => {
    if (name === targetKey) return target
    if (typeof name === 'string' && steps.has(name))
      return (...args: unknown[]) =>
        createProxy(() => (schemaOf(target)[name as Method] as Make)(...args.map(withSchemas)))
    return Reflect.get(schemaOf(target), name)
  },
  has: (target, name) => Reflect.has(schemaOf(target), name),
  getPrototypeOf: target => Reflect.getPrototypeOf(schemaOf(target)),
  ownKeys: target => Reflect.ownKeys(schemaOf(target)),
  getOwnPropertyDescriptor: (target, name) => {
    const found = Reflect.getOwnPropertyDescriptor(schemaOf(target), name)
    return found && { ...found, configurable: true }
  },
  set: (target, name, value) => Reflect.set(schemaOf(target), name, value),
}

/** Returns a proxy for the schema that `make` creates on first access. */
function createProxy(make: () => Schema): Schema {
  return new Proxy<ProxyTarget>({ make, schema: undefined }, proxyHandler) as unknown as Schema
}

/**
 * Replaces proxies in an argument with their schemas: zod compares schemas, and a proxy would slow down every
 * validation.
 */
function withSchemas(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const target = (value as { [targetKey]?: ProxyTarget })[targetKey]
  if (target) return schemaOf(target)
  if (Array.isArray(value)) return value.map(withSchemas)
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.defineProperties({}, mapped(Object.getOwnPropertyDescriptors(value)))
}

/** The same for a function that returns a schema. */
function resolvedGetter(make: unknown): () => unknown {
  return () => withSchemas((make as () => unknown)())
}

/** Resolves the fields of an object. Getters, used for recursive schemas, stay lazy. */
function mapped(fields: Record<string, PropertyDescriptor>): PropertyDescriptorMap {
  const entries = Object.entries(fields).map(([name, field]): [string, PropertyDescriptor] => {
    const { get, value } = field
    return [
      name,
      get
        ? { ...field, get: () => withSchemas(get.call(undefined)) }
        : { ...field, value: withSchemas(value) },
    ]
  })
  return Object.fromEntries(entries)
}

/**
 * Wraps a namespace of zod: functions that create a schema become lazy, the others receive resolved schemas.
 */
function withLazySchemas<Namespace extends object>(namespace: Namespace): Namespace {
  const functions = Object.entries(namespace).map(([name, value]: [string, unknown]) => {
    if (typeof value !== 'function' || isClass.test(name)) return [name, value]
    const argument = name === 'lazy' ? resolvedGetter : withSchemas
    const call: Make = (...args) => (value as Make)(...args.map(argument))
    return [name, beginnings.has(name) ? (...args: unknown[]) => createProxy(() => call(...args)) : call]
  })
  return Object.fromEntries(functions) as Namespace
}

const isClass = /^[A-Z]/u

/**
 * zod with lazily created schemas: a daemon defines thousands, and a start needs a few. The build substitutes
 * it for `zod` in `src`. A schema that cannot be created throws on its first use.
 */
export const z: typeof zod = {
  ...withLazySchemas(zod),
  iso: withLazySchemas(zod.iso),
  coerce: withLazySchemas(zod.coerce),
}
