import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { WorkspacePaths } from '../../src/lib/workspace/paths.js'

/** Adds a skill to a workspace. @param files besides SKILL.md, contents by path */
export function putSkill(
  { skills }: Pick<WorkspacePaths, 'skills'>,
  name: string,
  text = skillText(name),
  files: Readonly<Record<string, string>> = {},
): void {
  for (const [path, content] of Object.entries({ 'SKILL.md': text, ...files })) {
    const file = join(skills, name, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
}

export function skillText(name: string, fields = ''): string {
  return `---\nname: ${name}\ndescription: does ${name}\n${fields}---\n\n# ${name}\n`
}
