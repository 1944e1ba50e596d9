import { z } from 'zod'

/** Maximum length in the public standard; names that do not become folders here may be longer. */
const maxName = 64

/** Path segments of the API, which cannot be skill names. */
const reserved: ReadonlySet<string> = new Set(['search', 'analytics', 'install'])

/** A safe folder name: it stays inside its folder and is neither shell syntax nor an option. */
const folderName = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u

/** Returns why a text is not a valid skill name; undefined when it is. */
export function nameFault(text: string): string | undefined {
  if (text.length > maxName) return `is longer than ${maxName} characters`
  if (!folderName.test(text) || text.includes('..') || text.endsWith('.'))
    return 'is not a skill name: use letters, digits, dots, dashes and underscores, starting with a letter or digit'
  if (reserved.has(text)) return 'is reserved by the API'
  return undefined
}

/** The name of an installed skill, which is the name of its folder (skills.md 1). */
export const skillName = z.string().superRefine((text, context) => {
  const fault = nameFault(text)
  if (fault) context.addIssue({ code: 'custom', message: `${JSON.stringify(text.slice(0, 100))} ${fault}` })
})

/** The name of a used skill; skills of plugins are prefixed, `plugin:skill`. */
export const usedSkillName = z
  .string()
  .max(200)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]*(?::[\p{L}\p{N}][\p{L}\p{N}._-]*)?$/u, 'is not a skill name')
