import { readFile } from 'node:fs/promises'
import { packageFile } from '../../lib/files/package-root.js'
import { replacedNames } from '../shell/command-groups.js'

/** The possible continuations of a command path. */
export interface CommandNode {
  /** For example `daemon run`; empty for the program itself. */
  path: string
  children: Word[]
  flags: FlagWord[]
  /** Possible values of an argument; empty for free text. */
  choices: string[]
  /** True if an argument is a file or folder. */
  takesFiles: boolean
}

export interface Word {
  word: string
  summary: string
}

export interface FlagWord {
  /** Without dashes. */
  name: string
  char?: string
  summary: string
  value: 'none' | 'text' | 'file' | readonly string[]
}

interface ManifestFlag {
  name: string
  char?: string
  summary?: string
  description?: string
  type: 'boolean' | 'option'
  options?: string[]
  helpValue?: string
  allowNo?: boolean
  hidden?: boolean
}

interface ManifestCommand {
  id: string
  summary?: string
  hidden?: boolean
  flags: Record<string, ManifestFlag>
  args: Record<string, { name: string; options?: string[]; description?: string }>
}

export interface Manifest {
  commands: Record<string, ManifestCommand>
}

type Topics = Record<string, { description: string }>

const fileWords = /^(DIR|FILE|PATH|FOLDER)$/
const help: FlagWord = { name: 'help', char: 'h', summary: 'Show the usage', value: 'none' }

/** Reads all command paths of the installed CLI from its manifest. */
export async function readCommandNodes(): Promise<CommandNode[]> {
  const [manifest, pjson] = await Promise.all(
    ['oclif.manifest.json', 'package.json'].map(async name =>
      JSON.parse(await readFile(packageFile(name), 'utf8')),
    ),
  )
  return commandNodes(manifest as Manifest, (pjson as { oclif: { topics: Topics } }).oclif.topics)
}

/** Returns the program, its topics and its commands, sorted by path. */
function commandNodes(manifest: Manifest, topics: Topics): CommandNode[] {
  const commands = Object.values(manifest.commands).filter(({ hidden }) => !hidden)
  const paths = commands.map(({ id }) => id.replaceAll(':', ' '))
  const parents = paths.flatMap(path =>
    path.split(' ').map((_, index, words) => words.slice(0, index).join(' ')),
  )
  const all = [...new Set([...parents, ...paths])].sort()
  const summaryOf = (path: string) =>
    plain(
      commands.find(({ id }) => id.replaceAll(':', ' ') === path)?.summary ?? topics[path]?.description ?? '',
    )
  return all.map(path => {
    const command = commands.find(({ id }) => id.replaceAll(':', ' ') === path)
    const children = all.filter(
      other => other !== '' && parentOf(other) === path && !Object.hasOwn(replacedNames, other),
    )
    return {
      path,
      children: children.map(child => ({ word: child.split(' ').at(-1)!, summary: summaryOf(child) })),
      flags: [...flagWords(command), help],
      ...argumentWords(command),
    }
  })
}

/** Returns the transition to a command path: `daemon|run` for `daemon run`, `|daemon` for `daemon`. */
export function stepOf(path: string): string {
  return `${parentOf(path)}|${path.split(' ').at(-1)}`
}

/** Returns the spellings of a flag: `--type`, `-t`. */
export function flagNames({ name, char }: FlagWord): string[] {
  return char ? [`--${name}`, `-${char}`] : [`--${name}`]
}

function parentOf(path: string): string {
  return path.split(' ').slice(0, -1).join(' ')
}

function flagWords(command: ManifestCommand | undefined): FlagWord[] {
  return Object.values(command?.flags ?? {})
    .filter(({ hidden }) => !hidden)
    .flatMap(flag => {
      const { name, char } = flag
      const word = {
        name,
        char,
        summary: plain(flag.summary ?? flag.description ?? ''),
        value: valueKind(flag),
      }
      return flag.allowNo ? [word, { ...word, name: `no-${name}`, char: undefined }] : [word]
    })
}

function valueKind({ type, options, helpValue = '' }: ManifestFlag): FlagWord['value'] {
  if (type === 'boolean') return 'none'
  if (options) return options
  return fileWords.test(helpValue) ? 'file' : 'text'
}

function argumentWords(command: ManifestCommand | undefined): Pick<CommandNode, 'choices' | 'takesFiles'> {
  const args = Object.values(command?.args ?? {})
  return {
    choices: args.flatMap(({ options }) => options ?? []),
    takesFiles: args.some(({ name }) => fileWords.test(name.toUpperCase())),
  }
}

/** Reduces a text to one line without a full stop and without characters that need shell quotes. */
function plain(text: string): string {
  return text
    .split('\n')[0]!
    .replace(/\.$/, '')
    .replace(/[`$"\\]/g, '')
}
