import { z } from 'zod'

/** Longest name of a skill by the public standard; names that are no folder of ours may be longer. */
const maxName = 64

/** Fixed words of the address, which no skill can have as its name. */
const reserved: ReadonlySet<string> = new Set(['search', 'analytics', 'install'])

/** The name of a folder of one skill: nothing in it leaves the folder, means something to a shell or is an option. */
const folderName = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u

/** Why a text is no name of a skill; undefined when it is one. */
export function nameFault(text: string): string | undefined {
  if (text.length > maxName) return `is longer than ${maxName} characters`
  if (!folderName.test(text) || text.includes('..') || text.endsWith('.'))
    return 'is no name of a skill: letters, digits, dots, dashes and underscores, beginning with a letter or digit'
  if (reserved.has(text)) return 'is taken by the API itself'
  return undefined
}

/** The name of an installed skill, which is the name of its folder (skills.md 1). */
export const skillName = z.string().superRefine((text, context) => {
  const fault = nameFault(text)
  if (fault) context.addIssue({ code: 'custom', message: `${JSON.stringify(text.slice(0, 100))} ${fault}` })
})

/** The name by which an agent used a skill: skills of plugins have the name of the plugin in front, `plugin:skill`. */
export const usedSkillName = z
  .string()
  .max(200)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]*(?::[\p{L}\p{N}][\p{L}\p{N}._-]*)?$/u, 'is no name of a skill')
