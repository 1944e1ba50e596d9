import { readFile } from 'node:fs/promises'
import { packageFile } from '../../lib/files/package-root.js'
import { replacedNames } from '../shell/command-groups.js'
import type { CompletedKind } from './completions.js'

/** The possible continuations of a command path. */
export interface CommandNode {
  /** For example `daemon run`; empty for the program itself. */
  path: string
  children: Word[]
  flags: FlagWord[]
  /** Possible values of an argument; empty for free text. */
  choices: string[]
  /** Kind of names that an argument takes, which only a workspace knows. */
  names?: CompletedKind
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
  value: 'none' | 'text' | 'file' | readonly string[] | NamedValues
}

/** Values that are asked for when a person presses Tab. */
export interface NamedValues {
  names: CompletedKind
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

const namesOfFlags: Readonly<Record<string, CompletedKind>> = {
  project: 'projects',
  tags: 'tags',
  agent: 'agents',
  credentials: 'secrets',
}

/** Commands whose first argument is a name of some kind. */
const namesOfCommands: readonly (readonly [command: RegExp, kind: CompletedKind])[] = [
  [/^(?:get|edit|forget|history|lineage|rate|supersede|timeline)$/u, 'memories'],
  [/^config:[gs]et$/u, 'settings'],
  [/^(?:about|ontology:(?:show|around|alias|merge|split|explain))$/u, 'entities'],
  [/^secrets:(?:set|delete)$/u, 'secrets'],
  [/^tasks:(?!add)/u, 'tasks'],
  [/^sources:(?:show|sync|pause|resume|remove)$/u, 'sources'],
  [/^agents:(?!create)/u, 'agents'],
  [/^projects:(?:show|rename|join|split|forget)$/u, 'projects'],
]

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

function valueKind({ name, type, options, helpValue = '' }: ManifestFlag): FlagWord['value'] {
  if (type === 'boolean') return 'none'
  if (options) return options
  const names = namesOfFlags[name]
  if (names) return { names }
  return fileWords.test(helpValue) ? 'file' : 'text'
}

function argumentWords(
  command: ManifestCommand | undefined,
): Pick<CommandNode, 'choices' | 'names' | 'takesFiles'> {
  const args = Object.values(command?.args ?? {})
  const names = command && args.length > 0 && namesOfCommands.find(([known]) => known.test(command.id))?.[1]
  return {
    ...(names && { names }),
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

/** Returns the kind of names of a flag's value; undefined if it has none. */
export function namedKind(value: FlagWord['value']): CompletedKind | undefined {
  return typeof value === 'object' && 'names' in value ? value.names : undefined
}
