import { ClientError } from '../../../client/http/client-error.js'
import type { Reply } from '../../../contract/api.js'
import type { CallDaemon } from '../../knowledge/import/upload-import.js'

/** A fact in the words of its source. */
export interface LearnedFact {
  text: string
  /** Kind of the source, such as `a session`. */
  source: string
}

/** A project with facts about it. */
export interface LearnedProject {
  name: string
  facts: LearnedFact[]
}

type Project = Reply<'GET /api/projects'>['projects'][number]
type About = Reply<'GET /api/ontology/entities/:id/about'>

const mostFacts = 5
/** A fact of fewer words, such as `port: 7421`, does not say what it is about; its quote does. */
const wordsOfSentence = 4
/** Facts asked of the project, which may repeat each other. */
const factsOfProject = 20
/** Entities that are asked for a fact, last changed first. */
const askedEntities = 30
/** Facts asked of an entity other than the project, so that one entity does not fill the list. */
const factsOfEntity = 2

const sourceNames = { memory: 'a memory', transcript: 'a session', artifact: 'a note', summary: 'a summary' }

/**
 * Returns five things that are known about the project of a folder: facts of the project itself, then its
 * rules, decisions and preferences among the memories, then facts about people and tools. Without a folder,
 * it is the project that was used last.
 */
export async function learnedProject(
  call: CallDaemon,
  folder: string | undefined,
): Promise<LearnedProject | undefined> {
  const project = await projectOf(call, folder)
  if (!project) return undefined
  const facts = new Map<string, LearnedFact>()
  const add = (found: readonly LearnedFact[]) => {
    for (const fact of found) {
      const isRepeated = [...facts.keys()].some(text => text.includes(fact.text) || fact.text.includes(text))
      if (!isRepeated && facts.size < mostFacts) facts.set(fact.text, fact)
    }
  }
  const names = [...new Set([project.name, ...project.keys])]
  for (const name of names) add(await factsAbout(call, name, project, factsOfProject))
  add(await weightyMemories(call, project))
  const { entities } = await call('GET /api/ontology/entities', { query: { limit: askedEntities } })
  for (const { id, type } of entities) {
    if (facts.size === mostFacts) break
    if (type !== 'project') add(await factsAbout(call, id, project, factsOfEntity))
  }
  return { name: project.name, facts: [...facts.values()] }
}

async function projectOf(call: CallDaemon, folder: string | undefined): Promise<Project | undefined> {
  const here = folder === undefined ? [] : await projects(call, folder)
  return here[0] ?? (await projects(call, undefined))[0]
}

async function projects(call: CallDaemon, project: string | undefined): Promise<Project[]> {
  return (await orNothing(() => call('GET /api/projects', { query: { project } })))?.projects ?? []
}

async function factsAbout(
  call: CallDaemon,
  id: string,
  { keys }: Project,
  limit: number,
): Promise<LearnedFact[]> {
  const about: About | undefined = await orNothing(() =>
    call('GET /api/ontology/entities/:id/about', { params: { id }, query: { limit } }),
  )
  const facts = (about?.groups ?? []).flatMap(group => group.facts)
  return facts.flatMap(({ text, kind, sources: [source], project }) =>
    source && (project === null || keys.includes(project))
      ? [
          {
            text: kind !== 'relation' && isSentence(text) ? text : source.quote,
            source: sourceNames[source.kind],
          },
        ]
      : [],
  )
}

async function weightyMemories(call: CallDaemon, { key }: Project): Promise<LearnedFact[]> {
  const { memories } = await call('GET /api/memories', {
    query: { project: key, type: 'rule,decision,preference', sort: 'importance', limit: mostFacts },
  })
  return memories.map(({ content }) => ({ text: content, source: sourceNames.memory }))
}

function isSentence(text: string): boolean {
  return text.split(' ').length >= wordsOfSentence
}

/** Returns undefined for something that memory does not know. */
async function orNothing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ClientError && error.status === 404) return undefined
    throw error
  }
}
