/** A violation of a plain English rule in a comment, text or page, with its position. */
export interface WordFinding {
  path: string
  /** Counts from 1. */
  line: number
  rule: string
  text: string
}

interface Passage {
  line: number
  text: string
}

/** Openings that make a clause the subject of a sentence, so that the reader has to wait for its noun. */
const openings: readonly RegExp[] = [
  /^(?:What|Whose|Who|Whom|Whatever|Whoever|Whether) [a-z](?!.*\?$)/u,
  /^Of (?:a|an|the|all|what|those|these|each|every|one|two|which) /u,
  /^By (?:a|an|the|what|which|whom|whoever) /u,
  /^Where (?:nothing|nobody|there|it|a|an|the|no|one|they|that|this|some|something) (?!.*\?$)/u,
  /^(?:Nobody|None|None of) [a-z]/u,
]

/** Verbs and adverbs with too many meanings, or that are no longer in common use. */
const verbs: readonly RegExp[] = [
  /\bstands?\b(?! for\b|ard)/u,
  /\b(?:is|are|was|were) told\b/u,
  /\btells? of\b/u,
  /\banew\b/u,
  /\bof late\b/u,
  /\bfor good\b/u,
  /\b(?:is|are|was) no (?!longer\b|more\b|later\b|less\b)[a-z]/u,
  /\bgoes by\b/u,
  /\bin hand\b/u,
]

/** Participles and words of place that carry no meaning as the name of a type. */
const emptyTypeNames = new Set(
  (
    'Told Asked Given Kept Held Found Judged Ran Made Begun Reading Place Taken Written Said Seen Known Chosen ' +
    'Ranked Left Sent Shown Wanted Meant Named Tried Done Met Put Got Brought Looked Stood Drawn Gone Heard Thing'
  ).split(' '),
)

const exportedType = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gmu

const maxCommentColumns = 110
const maxSentenceWords = 35

/**
 * Findings in a code file: in comments, in texts shown to people, and in type names. Two kinds of literals
 * are data and not checked: patterns and examples of attacks in the safety rules, and samples in tests. The
 * titles of tests are checked.
 */
export function wordsInCode(path: string, text: string): WordFinding[] {
  const comments = commentsIn(text)
  const shown = path.startsWith('src/daemon/safety/rules/')
    ? []
    : path.startsWith('test/')
      ? titlesIn(text)
      : textsIn(text)
  return [
    ...comments.flatMap(passage => sentenceFindings(path, passage, [...openings, ...verbs])),
    ...shown.flatMap(passage => sentenceFindings(path, passage, [...openings, ...verbs])),
    ...longCommentsIn(path, text),
    ...emptyTypesIn(path, text),
  ]
}

/** Findings in a documentation page; code, table rules and question headings are skipped. */
export function wordsInPage(path: string, text: string): WordFinding[] {
  const passages = paragraphsIn(text)
  return passages.flatMap(passage => [
    ...sentenceFindings(path, passage, [...openings, ...verbs]),
    ...(passage.text.startsWith('|') ? [] : longSentences(path, passage)),
  ])
}

/** Exported type names that several files of an area declare, with their files. */
export function typesDeclaredTwice(files: readonly { path: string; text: string }[]): string[] {
  const places = new Map<string, Set<string>>()
  for (const { path, text } of files)
    for (const [, name] of text.matchAll(exportedType)) {
      const area = path.split('/').slice(0, 3).join('/')
      const key = `${area}: ${name}`
      places.set(key, (places.get(key) ?? new Set()).add(path))
    }
  return [...places]
    .filter(([, paths]) => paths.size > 1)
    .map(([key, paths]) => `${key} (${[...paths].join(', ')})`)
}

/** The total of words, if it is over a budget. */
export function wordsOverBudget(pages: readonly { text: string }[], budget: number): number | undefined {
  const words = pages.reduce((sum, { text }) => sum + wordCount(text), 0)
  return words > budget ? words : undefined
}

export function wordCount(text: string): number {
  return text.split(/\s+/u).filter(word => /\w/u.test(word)).length
}

function sentenceFindings(path: string, { line, text }: Passage, rules: readonly RegExp[]): WordFinding[] {
  return sentencesOf(text).flatMap(sentence => {
    const rule = rules.find(pattern => pattern.test(sentence))
    return rule ? [{ path, line, rule: rule.source, text: sentence.slice(0, 160) }] : []
  })
}

function longSentences(path: string, { line, text }: Passage): WordFinding[] {
  return sentencesOf(text)
    .filter(sentence => wordCount(sentence.replace(/\]\([^)]*\)/gu, ']')) > maxSentenceWords)
    .map(sentence => ({ path, line, rule: `over ${maxSentenceWords} words`, text: sentence.slice(0, 160) }))
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?][)"'`*]{0,2})\s+(?=[A-Z`"*[])|\s*\n\s*\n\s*/u)
    .map(sentence => sentence.replace(/^[-*\s|>]+(?:\*\*)?/u, '').trim())
    .filter(Boolean)
}

function longCommentsIn(path: string, text: string): WordFinding[] {
  return text.split('\n').flatMap((line, index) =>
    line.length > maxCommentColumns && /^\s*(?:\/\/|\/?\*)|\s\/\/ [^'`]*$/u.test(line)
      ? [
          {
            path,
            line: index + 1,
            rule: `over ${maxCommentColumns} columns`,
            text: line.trim().slice(0, 160),
          },
        ]
      : [],
  )
}

function emptyTypesIn(path: string, text: string): WordFinding[] {
  return [...text.matchAll(/^\s*(?:export )?(?:declare )?(?:interface|type|class|enum) (\w+)/gmu)].flatMap(
    match =>
      emptyTypeNames.has(match[1] ?? '')
        ? [{ path, line: lineAt(text, match.index), rule: 'empty type name', text: match[1] ?? '' }]
        : [],
  )
}

/** Comments without their marks; each docstring tag begins a new sentence. */
function commentsIn(text: string): Passage[] {
  const found: Passage[] = []
  for (const match of text.matchAll(/\/\*[\s\S]*?\*\/|(?:(?:^|(?<=\s))\/\/ .*(?:\n\s*(?=\/\/ ))?)+/gmu)) {
    const bare = match[0]
      .replace(/^\/\*+|\*+\/$/gu, '')
      .replace(/^\s*(?:\*|\/\/)[ \t]?/gmu, '')
      .replace(/^@(?:param \S+|returns|throws(?: \S+)?)/gmu, '\n\n')
    found.push({ line: lineAt(text, match.index), text: bare.trim() })
  }
  return found
}

/** Titles of tests, without template expressions. */
function titlesIn(text: string): Passage[] {
  const title = /\btest(?:\.\w+)*\(\s*(?:'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/gu
  return [...text.matchAll(title)].map(match => ({
    line: lineAt(text, match.index),
    text: (match[1] ?? match[2] ?? '').replace(/\$\{[^}]*\}/gu, 'X').replace(/\\(.)/gu, '$1'),
  }))
}

/** Literals of several words, without template expressions. */
function textsIn(text: string): Passage[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gmu, comment =>
    comment.replace(/[^\n]/gu, ' '),
  )
  const literal =
    /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`|>([^<>{}=;]*[a-z] [a-z][^<>{}=;]*)</gu
  return [...code.matchAll(literal)].flatMap(match => {
    const value = (match[1] ?? match[2] ?? match[3] ?? match[4] ?? '')
      .replace(/\$\{[^}]*\}/gu, 'X')
      .replace(/\\(.)/gu, '$1')
    const isSentence =
      (value.match(/ [a-z]/gu)?.length ?? 0) >= 2 &&
      !/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE)\b/u.test(value)
    return isSentence ? [{ line: lineAt(code, match.index), text: value.trim() }] : []
  })
}

/** Paragraphs, list items and table rows of a page, without code blocks, headings and front matter. */
function paragraphsIn(text: string): Passage[] {
  const found: Passage[] = []
  let inCode = false
  let open: Passage | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const isFence = /^\s*(?:```|~~~)/u.test(line)
    if (isFence) inCode = !inCode
    if (isFence || inCode || /^\s*#|^\s*$|^<!--/u.test(line)) open = undefined
    else if (/^\s*\|/u.test(line)) {
      for (const cell of line.split('|'))
        if (cell.trim()) found.push({ line: index + 1, text: `|${cell.trim()}` })
      open = undefined
    } else if (open && !/^\s*(?:[-*]|\d+\.)\s/u.test(line)) open.text += ` ${line.trim()}`
    else {
      open = { line: index + 1, text: line.trim() }
      found.push(open)
    }
  }
  return found
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
