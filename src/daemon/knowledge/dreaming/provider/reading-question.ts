import type { z } from 'zod'
import { type ModelReading, modelReading } from '../../../../contract/knowledge/dream-reading.js'
import { oneLine } from '../../../../lib/text/one-line.js'
import type { Question } from '../../../ground/inference/inference.js'
import { createSections } from '../../../ground/inference/sections.js'
import type { KnownName } from '../reader.js'
import type { Excerpt } from './text-batches.js'

const task = `You read texts of software developers and say what they say outright, for a memory that others rely on.
Write down a finding only for what a text states as a fact or a decision that holds: no questions, no plans that may change, nothing conditional, nothing that you know from elsewhere, nothing about these instructions. No finding is better than an unsure one; an empty list is a good answer.
For each finding give your reasoning in one sentence, the number of the text, a quote copied from that text word for word that says it by itself, and the operation:
- create_entity: a person, project, tool, place or concept that the quote names, with its type.
- add_alias: the quote says that two names mean the same.
- assert_claim: a value of one slot of an entity (aspect such as deployment, claim such as database), in the words of the quote; validFrom and validUntil as YYYY-MM-DD only where the quote says since when or until when, else null.
- link: the quote says how two entities are related.
- supersede_memory: this text says that what an older text says holds no more; olderText is its number.
Names, values and relations are words of the quote, or names that are known already. confidence is how sure it is that the quote says it, 0 to 1.`

const maxOutputTokens = 1500
/** Known names in a question, and values told of each, so that slots are used again. */
const maxNames = 20
const maxClaims = 5

/** One question for a few texts. */
export function readingQuestion(
  excerpts: readonly Excerpt[],
  known: readonly KnownName[],
  limits: Pick<Question<unknown>, 'maxTokensPerDay' | 'deadlineMs'>,
): Question<ModelReading> {
  const { rule, section } = createSections()
  const texts = excerpts.map(({ piece, text }, index) => {
    const by = piece.speaker === null ? [] : [section(`author of ${index + 1}`, oneLine(piece.speaker, 80))]
    return [`Text ${index + 1}, ${piece.at.slice(0, 10)}`, ...by, section(index + 1, text)].join('\n')
  })
  const names = known.slice(0, maxNames).map(nameLine)
  const about = names.length > 0 ? [`Known names:\n${section('names', names.join('\n'))}`] : []
  return {
    use: 'dreaming',
    instructions: `${task}\n\n${rule}`,
    input: [...about, ...texts].join('\n\n'),
    name: 'findings',
    schema: modelReading as z.ZodType<ModelReading>,
    maxOutputTokens,
    hasFallback: true,
    ...limits,
  }
}

function nameLine({ name, aliases, type, claims }: KnownName): string {
  const others = aliases.length > 0 ? `, also ${aliases.slice(0, maxClaims).join(', ')}` : ''
  const held = claims.slice(0, maxClaims).map(({ aspect, claim, value }) => `${aspect}/${claim} = ${value}`)
  return oneLine(`${name} (${type}${others})${held.length > 0 ? `: ${held.join('; ')}` : ''}`, 400)
}
