import type { TieKind } from '../../../../contract/ground/wire-names.js'

/** A mention of project code in a memory. */
export interface Mention {
  kind: TieKind
  /** A path relative to the project, a qualified name, or the beginning of a hash. */
  target: string
}

/** Limits per memory: characters searched and mentions followed. */
export const maxMentionedText = 20_000
const maxMentions = 20
const maxTarget = 300

/** A path with a folder and an extension, or a file name with a code extension. */
const pathForm =
  /(?:^|[\s`'"([{<,;=])((?:\.{0,2}\/)?(?:[\w@.+-]+\/)+[\w@.+-]*\w\.\w{1,8}|[\w@+-][\w@.+-]*\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|cs|rb|php|sh|bash|c|h|cc|hh|cpp|hpp|cxx|swift|scala|lua|sql|proto|vue|svelte|toml|ya?ml|json|md))(?=$|[\s`'")\]}>,;:.!?#])/gmu
/** A name, or joined names, between backticks. */
const quotedForm = /`([\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#|->)[\p{L}_$][\p{L}\p{N}_$]*)*)(?:\(\))?`/gu
/** An unquoted name that cannot be a word: camel case, underscores, a call, or after `::`. */
const plainForm =
  /(?<![\p{L}\p{N}_$./@-])((?:[\p{L}_$][\p{L}\p{N}_$]{0,80}(?:\.|::|#)){0,6}(?:\p{Ll}[\p{Ll}\p{N}]*\p{Lu}[\p{L}\p{N}]*|\p{Lu}\p{Ll}[\p{Ll}\p{N}]*\p{Lu}[\p{L}\p{N}]*|\p{L}[\p{L}\p{N}]*_[\p{L}\p{N}_]+|[\p{L}_$][\p{L}\p{N}_$]*(?=\(\))|(?<=::|#)[\p{L}_$][\p{L}\p{N}_$]*))(?![\p{L}\p{N}_$/-])/gu
const commitForm = /(?<![\w/.-])([0-9a-f]{7,40})(?![\w/-])/gu

/**
 * Finds paths, names and commits in the text of a memory, without duplicates, paths first (code-index.md 11).
 * They are guesses: only those that exist in the project are tied.
 * @param root removed from paths below it
 */
export function mentionsIn(content: string, root: string): Mention[] {
  const text = content.slice(0, maxMentionedText)
  const found = new Map<string, Mention>()
  const add = (kind: Mention['kind'], target: string): void => {
    if (target.length <= maxTarget && found.size < maxMentions)
      found.set(`${kind} ${target}`, { kind, target })
  }
  for (const [, path = ''] of text.replaceAll(`${root}/`, '').matchAll(pathForm)) {
    const relative = path.replace(/^\.\//u, '')
    if (!relative.startsWith('/') && !relative.startsWith('../')) add('path', relative)
  }
  for (const form of [quotedForm, plainForm])
    for (const [, name = ''] of text.matchAll(form)) add('symbol', name.replace(/::|#|->/gu, '.'))
  // A plain number, or a word of the letters a to f, is not a commit.
  for (const [, hash = ''] of text.matchAll(commitForm))
    if (/\d/u.test(hash) && /[a-f]/u.test(hash)) add('commit', hash)
  return [...found.values()]
}
