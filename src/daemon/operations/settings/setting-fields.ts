import { z } from 'zod'
import type { SettingField } from '../../../contract/operations/settings-file.js'
import { type Settings, settings as schema } from '../../../contract/settings.js'
import { lazy } from '../../../lib/concurrency/lazy.js'
import { valueAt } from '../../../lib/text/json-of.js'
import { namesModel } from '../../../lib/workspace/model-folder.js'
import { valuesInText } from '../../../lib/workspace/settings-file.js'
import { settingsTemplate } from '../../../lib/workspace/settings-template.js'
import { defaultSettings } from '../../ground/settings/default-settings.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { maskedValue } from './masked-text.js'

interface Shape {
  type?: string
  enum?: unknown[]
  properties?: Record<string, Shape>
  minimum?: number
  maximum?: number
  default?: unknown
}

type KnownField = Pick<SettingField, 'key' | 'kind' | 'help' | 'choices' | 'minimum' | 'maximum'>

/** The settings with kinds and help, which never change. */
const knownFields = lazy((): KnownField[] => {
  const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape
  const leaves = [...leavesOf(shape)]
  const helps = helpsOf(settingsTemplate, new Set(leaves.flatMap(([key]) => sectionsOf(key))))
  return leaves.map(([key, leaf]) => ({
    key,
    help: helps.get(key) ?? '',
    kind: kindOf(leaf),
    choices: (leaf.enum ?? []).map(String),
    minimum: limitOf(leaf.minimum),
    maximum: limitOf(leaf.maximum),
  }))
})

/** Lists every setting with its value in force and where that value is from. */
export function settingFields(
  { environment, address }: Pick<Daemon, 'environment' | 'address'>,
  text: string,
  inForce: Settings,
): SettingField[] {
  const given = valuesInText(text)
  const defaults = defaultSettings()
  // Both change only at a start, and a port that is in use is not the one of the file.
  const listening: Record<string, unknown> = {
    'daemon.host': address().host,
    'daemon.port': address().port,
  }
  return knownFields().map(known => {
    const path = known.key.split('.')
    const [own, byDefault] = [valueAt(given, path), valueAt(defaults, path)]
    const outer = valueOfEnvironment(environment, known.key, own, inForce)
    const shown = (value: unknown) =>
      value === undefined ? null : JSON.stringify(maskedValue(value, path.at(-1)))
    return {
      ...known,
      value: shown(
        listening[known.key] ??
          outer?.value ??
          (own === undefined ? byDefault : (valueAt(inForce, path) ?? own)),
      ),
      from: outer ? 'environment' : own === undefined ? 'default' : 'file',
      variable: outer?.variable ?? null,
      given: shown(own),
      default: shown(byDefault),
    }
  })
}

function* leavesOf(shape: Shape, path: readonly string[] = []): Generator<[string, Shape]> {
  if (!shape.properties) yield [path.join('.'), shape]
  for (const [name, inner] of Object.entries(shape.properties ?? {})) yield* leavesOf(inner, [...path, name])
}

function kindOf({ type, enum: choices }: Shape): SettingField['kind'] {
  if (choices) return 'choice'
  if (type === 'boolean') return 'switch'
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'string' ? 'text' : 'yaml'
}

/** Limits of the number type itself help nobody. */
function limitOf(limit: number | undefined): number | null {
  return limit === undefined || Math.abs(limit) >= 2_147_483_647 ? null : limit
}

function sectionsOf(key: string): string[] {
  return key.split('.').map((_, at, words) => words.slice(0, at + 1).join('.'))
}

const lineOfKey = /^( *)(?:# ( *))?(\w+):/u
const lineOfComment = /^ *# ?(.*)$/u

/** Reads the comments of the template by key; keys in a row share the one above them. */
function helpsOf(template: string, known: ReadonlySet<string>): Map<string, string> {
  const helps = new Map<string, string>()
  const open: { indent: number; key: string }[] = []
  let comment: string[] = []
  let isShared = false
  for (const line of template.split('\n')) {
    const found = keyIn(line, open, known)
    if (!found) {
      if (isShared) comment = []
      isShared = false
      const words = lineOfComment.exec(line)?.[1]
      if (words === undefined) comment = []
      else comment.push(words)
      continue
    }
    while ((open.at(-1)?.indent ?? -1) >= found.indent) open.pop()
    const above = open.at(-1)?.key
    helps.set(found.key, comment.join(' ') || (above && helps.get(above)) || '')
    open.push(found)
    isShared = true
    if (line.trimEnd().endsWith(':')) comment = []
  }
  return helps
}

function keyIn(line: string, open: readonly { indent: number; key: string }[], known: ReadonlySet<string>) {
  const [, before = '', after = '', name = ''] = lineOfKey.exec(line) ?? []
  const indent = before.length + after.length
  const above = open.findLast(one => one.indent < indent)?.key
  const key = above === undefined || indent === 0 ? name : `${above}.${name}`
  return known.has(key) ? { indent, key } : undefined
}

/** The variable of the daemon's environment that takes precedence over the file, and its value. */
function valueOfEnvironment(
  { SERVICE_HOST, SERVICE_PORT, SERVICE_DEFAULT_PORT, SERVICE_EMBEDDING_PROVIDER }: NodeJS.ProcessEnv,
  key: string,
  given: unknown,
  { embedding }: Settings,
): { variable: string; value: unknown } | undefined {
  if (key === 'daemon.host' && SERVICE_HOST) return { variable: 'SERVICE_HOST', value: SERVICE_HOST }
  if (key === 'daemon.port' && SERVICE_PORT) return { variable: 'SERVICE_PORT', value: Number(SERVICE_PORT) }
  if (given !== undefined) return undefined
  if (key === 'daemon.port' && SERVICE_DEFAULT_PORT)
    return { variable: 'SERVICE_DEFAULT_PORT', value: Number(SERVICE_DEFAULT_PORT) }
  if (key === 'embedding.provider' && SERVICE_EMBEDDING_PROVIDER && !namesModel(embedding))
    return { variable: 'SERVICE_EMBEDDING_PROVIDER', value: SERVICE_EMBEDDING_PROVIDER }
  return undefined
}
