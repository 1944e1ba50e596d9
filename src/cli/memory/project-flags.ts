import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Flags } from '@oclif/core'
import type { CallOptions } from '../../client/http/call-options.js'
import { homeFolder } from '../../lib/files/folders.js'
import {
  meaningfulFolder,
  noProject,
  projectHeader,
  workingFolder,
} from '../../lib/workspace/working-folder.js'

const helpGroup = 'PROJECT'

/** A project: a path of it is made absolute, since the daemon runs in another folder. */
export const projectFlag = Flags.custom<string>({
  parse: async given => projectArgument(given),
  helpValue: 'NAME',
})

const names = 'name, folder, remote or key'

/** Flags of commands that save (projects.md#keys). */
export const savingProjectFlags = {
  project: projectFlag({
    summary: `Project of the memory: ${names} (default: that of the current folder).`,
    char: 'p',
    helpGroup,
  }),
  'no-project': Flags.boolean({
    summary: 'Save it for no project, so that it is found in each.',
    exclusive: ['project'],
    helpGroup,
  }),
}

/** Flags of commands that read (projects.md#keys). */
export const readingProjectFlags = {
  project: projectFlag({
    summary: `Only memories of this project: ${names}.`,
    char: 'p',
    helpGroup,
  }),
  'no-project': Flags.boolean({
    summary: 'Only memories of no project.',
    exclusive: ['project', 'all-projects'],
    helpGroup,
  }),
  'all-projects': Flags.boolean({
    summary: 'Memories of all projects (default: of the current folder, and of none).',
    exclusive: ['project'],
    helpGroup,
  }),
}

/** Narrows a read to a git branch (projects.md#branches). */
export const branchFlag = {
  branch: Flags.string({
    summary: 'Only memories saved on this git branch.',
    helpValue: 'NAME',
    helpGroup: 'FILTER',
  }),
}

interface ProjectChoice {
  project?: string | undefined
  'no-project'?: boolean | undefined
  'all-projects'?: boolean | undefined
}

/** Returns the headers that say in which project a command runs, by its flags and the current folder. */
export function hereOf(flags: ProjectChoice): Required<Pick<CallOptions, 'headers'>> {
  if (flags['no-project']) return { headers: projectHeader(noProject) }
  if (flags['all-projects'] || flags.project !== undefined) return { headers: {} }
  return { headers: projectHeader(meaningfulFolder(workingFolder())) }
}

/** Returns true if the results are narrowed to the project of the current folder. */
export function isNarrowedByFolder(flags: ProjectChoice): boolean {
  return !flags['no-project'] && 'x-service-project' in hereOf(flags).headers
}

/**
 * Returns a project as the daemon reads it, with an absolute path. A name that contains a separator is a path
 * only if it exists, because remotes contain separators too.
 */
export function projectArgument(given: string): string {
  if (/^~(?:[/\\]|$)/u.test(given)) return resolve(homeFolder(), given.slice(2))
  const isPath = /^\.{1,2}(?:[/\\]|$)/u.test(given) || (/[/\\]/u.test(given) && existsSync(given))
  return isPath ? resolve(given) : given
}
