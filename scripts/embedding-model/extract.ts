import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Corpus, openCorpus } from './corpus.js'
import { type Forbidden, readForbidden } from './overlap.js'
import { addCommented, addPython, addRuby } from './read/code.js'
import { commitsOf, filesOf, git, gitFolder, type TextFile } from './read/git.js'
import { addCommandPage, addNovel, addWordNet } from './read/lexicon.js'
import { asciidocSections, markdownSections, markupSections, rstSections } from './read/sections.js'
import * as talk from './read/talk.js'

const help = `usage: node --import=tsx scripts/embedding-model/extract.ts --mirrors DIR --forbidden DIR... --out DIR [REPOSITORY...]

Writes OUT/{source}.txt (one paragraph per line, an empty line between documents), OUT/{source}.tsv (kind, query, passage) and
OUT/synonyms.tsv from git snapshots in DIR/{owner}+{name}/repo, and the counts of each source into sources.json.
  --forbidden DIR   evaluation sets: texts that share 13 consecutive words with them are skipped`

interface Take {
  as: string
  /** A regular expression for paths; not for commits. */
  paths?: string
  /** Paths to exclude. */
  except?: string
  /** Takes only files whose text matches. */
  says?: string
  newest?: number
}

interface Source {
  repository: string
  licence: string
  licenceFile: string
  /** Credit line that the licence asks for. */
  credit?: string
  take: Take[]
  commit?: string
  bytes?: number
  pairs?: number
  refused?: number
}

const sectionReaders: Record<string, typeof markdownSections> = {
  markdown: markdownSections,
  rst: rstSections,
  asciidoc: asciidocSections,
  markup: markupSections,
}

const fileReaders: Record<string, (corpus: Corpus, file: TextFile) => void> = {
  python: (corpus, { text }) => addPython(corpus, text),
  commented: (corpus, { text }) => addCommented(corpus, text),
  ruby: (corpus, { text }) => addRuby(corpus, text),
  'command pages': (corpus, { text }) => addCommandPage(corpus, text),
  novels: (corpus, { text }) => addNovel(corpus, text),
  taskmaster: talk.addTaskmaster,
  'persona chats': talk.addPersonaChats,
  meetings: talk.addMeetings,
  'goal dialogues': talk.addGoalDialogues,
  faq: talk.addFaq,
  banking: talk.addBanking,
  clinc: talk.addClinc,
  'medical questions': talk.addMedicalQuestions,
  irc: talk.addIrc,
  papers: talk.addPapers,
  chat: talk.addChat,
}

function takeFrom(corpus: Corpus, folder: string, take: Take, synonymsFile: string): void {
  if (take.as === 'wordnet') {
    addWordNet(corpus, folder, synonymsFile)
    return
  }
  if (take.as === 'commits') {
    for (const { subject, body } of commitsOf(folder, take.newest ?? 40_000)) {
      corpus.pair('title', subject, body)
      corpus.text(`${subject}. ${body}`)
      corpus.end()
    }
    return
  }
  const paths = new RegExp(take.paths ?? '')
  const except = take.except ? new RegExp(take.except) : undefined
  const sections = sectionReaders[take.as]
  const read = fileReaders[take.as]
  if (!sections && !read) throw new Error(`No reader for "${take.as}"`)
  for (const file of filesOf(folder, path => paths.test(path) && !except?.test(path))) {
    if (take.says && !new RegExp(take.says, 'i').test(file.text)) continue
    if (sections) corpus.sections(sections(file.text))
    else read?.(corpus, file)
  }
}

function extract(source: Source, mirrors: string, out: string, forbidden: Forbidden): Source {
  const folder = gitFolder(mirrors, source.repository)
  const corpus = openCorpus(out, source.repository.replace('/', '+'), forbidden)
  for (const take of source.take) takeFrom(corpus, folder, take, join(out, 'synonyms.tsv'))
  const commit = git(folder, ['rev-parse', 'HEAD']).toString('utf8').trim()
  return { ...source, commit, ...corpus.finish() }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mirrors: { type: 'string' },
    out: { type: 'string' },
    forbidden: { type: 'string', multiple: true },
  },
})
if (!values.mirrors || !values.out || !values.forbidden?.length) {
  console.error(help)
  process.exit(2)
}
const list = new URL('./sources.json', import.meta.url)
const sources: Source[] = JSON.parse(readFileSync(list, 'utf8'))
mkdirSync(values.out, { recursive: true })
const forbidden = readForbidden(values.forbidden)
console.log(`${forbidden.shingles} runs of 13 words are excluded from training`)
for (const [at, source] of sources.entries()) {
  if (positionals.length > 0 && !positionals.includes(source.repository)) continue
  const given = extract(source, values.mirrors, values.out, forbidden)
  // Reread, since other runs may extract other sources at the same time.
  const current: Source[] = JSON.parse(readFileSync(list, 'utf8'))
  current[at] = given
  writeFileSync(list, `${JSON.stringify(current, null, 2)}\n`)
  const megabytes = (given.bytes! / 1e6).toFixed(1)
  console.log(`${given.repository}: ${megabytes} MB, ${given.pairs} pairs, ${given.refused} refused`)
}
