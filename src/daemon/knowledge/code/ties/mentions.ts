import type { TieKind } from '../../../../contract/memory/tie-words.js'

/** What a memory says of the code of its project, as it is written there. */
export interface Mention {
  kind: TieKind
  /** A path relative to the project, a name with what it stands in, or the beginning of a hash. */
  target: string
}

/** Of a memory, so many characters are looked at, and so many mentions are followed. */
export const maxMentionedText = 20_000
const maxMentions = 20
const maxTarget = 300

/** Something with a folder and an ending, or a bare file of an ending that code has. */
const pathForm =
  /(?:^|[\s`'"([{<,;=])((?:\.{0,2}\/)?(?:[\w@.+-]+\/)+[\w@.+-]*\w\.\w{1,8}|[\w@+-][\w@.+-]*\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|cs|rb|php|sh|bash|c|h|cc|hh|cpp|hpp|cxx|swift|scala|lua|sql|proto|vue|svelte|toml|ya?ml|json|md))(?=$|[\s`'")\]}>,;:.!?#])/gmu
/** Between backticks: a name, or names joined. */
const quotedForm = /`([\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#|->)[\p{L}_$][\p{L}\p{N}_$]*)*)(?:\(\))?`/gu
/** A name that no sentence has: with a hump, with an underscore between letters, called, or behind `::`. */
const plainForm =
  /(?<![\p{L}\p{N}_$./@-])((?:[\p{L}_$][\p{L}\p{N}_$]{0,80}(?:\.|::|#)){0,6}(?:\p{Ll}[\p{Ll}\p{N}]*\p{Lu}[\p{L}\p{N}]*|\p{Lu}\p{Ll}[\p{Ll}\p{N}]*\p{Lu}[\p{L}\p{N}]*|\p{L}[\p{L}\p{N}]*_[\p{L}\p{N}_]+|[\p{L}_$][\p{L}\p{N}_$]*(?=\(\))|(?<=::|#)[\p{L}_$][\p{L}\p{N}_$]*))(?![\p{L}\p{N}_$/-])/gu
const commitForm = /(?<![\w/.-])([0-9a-f]{7,40})(?![\w/-])/gu

/**
 * Paths, names and commits in the text of a memory, each once, paths first (code-index.md 11). They are guesses: only what the
 * project has is tied.
 * @param root paths below it lose it.
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
  // A number, or a word of the first six letters, is no commit.
  for (const [, hash = ''] of text.matchAll(commitForm))
    if (/\d/u.test(hash) && /[a-f]/u.test(hash)) add('commit', hash)
  return [...found.values()]
}
