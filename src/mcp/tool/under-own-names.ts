import { z } from 'zod'
import type { Tool } from './tool.js'

const known = new WeakMap<Tool['input'], readonly string[]>()

/**
 * Arguments under the names that a tool has for them: what some replies call `sessionKey` is an argument `session_key`,
 * and a model that copies one into the other means the same.
 */
export function underOwnNames({ input }: Pick<Tool, 'input'>, given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const names = namesOf(input)
  const ownName = (name: string) =>
    names.includes(name)
      ? name
      : (names.find(own => inOneWord(own) === inOneWord(name) && !(own in given)) ?? name)
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [ownName(name), value]))
}

function namesOf(input: Tool['input']): readonly string[] {
  const names = known.get(input) ?? Object.keys(z.toJSONSchema(input, { io: 'input' }).properties ?? {})
  known.set(input, names)
  return names
}

function inOneWord(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}
