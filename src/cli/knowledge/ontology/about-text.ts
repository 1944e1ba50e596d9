import type { Reply } from '../../../contract/api.js'
import type { DescribedFact } from '../../../contract/knowledge/ontology.js'
import { countOf } from '../../../lib/text/count-of.js'
import { labelOf, lastDay, projectNamer, sinceText } from '../../../lib/text/labels.js'
import { shortId } from '../../../lib/text/uuid.js'
import type { Colors } from '../../terminal/output.js'
import { clipText, displayWidth, padText, plainLine } from '../../terminal/text.js'

type Description = Reply<'GET /api/ontology/entities/:id/about'>

/** Lines of `memory about`: a terminal of 80x24 shows nearly all, and nobody scrolls. */
export const aboutLines = 25
/** Lines besides facts: two at the top, two at the end. */
export const aboutFacts = aboutLines - 4
const widestAspect = 16

/** Formats a description for a person, one fact a line, at most 25 lines unless more facts were requested. */
export function aboutText(found: Description, { colors, width }: { colors: Colors; width: number }): string {
  const { entity, groups, mentions, total } = found
  const shown = groups.reduce((sum, { facts }) => sum + facts.length, 0)
  const inProject = projectNamer(found.projects)
  const column = Math.min(widestAspect, Math.max(0, ...groups.map(({ aspect }) => displayWidth(aspect))))
  const lines = groups.flatMap(({ aspect, facts }) =>
    facts.map((fact, position) => {
      const name = clipText(position === 0 ? plainLine(aspect) : '', column)
      return factLine(colors.dim(padText(name, column)), fact, {
        colors,
        width: width - column - 2,
        project: inProject(fact.project),
      })
    }),
  )
  return [
    `${colors.bold(plainLine(entity.name))} (${plainLine(entity.type)})${aliasText(entity)}`,
    colors.dim(mentionText(found)),
    ...lines,
    ...(lines.length === 0
      ? mentions.map(one => mentionLine(one, { colors, width, project: inProject(one.project) }))
      : []),
    shown < total &&
      colors.dim(`${countOf(total - shown, 'more fact')}: memory about ${plainLine(entity.name)} --all`),
  ]
    .filter(line => typeof line === 'string' && line !== '')
    .join('\n')
}

/**
 * Formats facts as tab-separated fields for pipes: aspect, fact, since, source, id of the source, quote,
 * project.
 */
export function aboutRows({ groups, projects }: Description): string {
  const names = new Map(projects.map(({ key, name }) => [key, name]))
  return groups
    .flatMap(({ aspect, facts }) =>
      facts.map(fact => {
        const [source] = fact.sources
        const said = [source?.kind ?? '', source?.id ?? '', plainLine(source?.quote ?? '')]
        const project = fact.project === null ? '' : (names.get(fact.project) ?? fact.project)
        return [plainLine(aspect), plainLine(fact.text), sinceOf(fact), ...said, plainLine(project)].join(
          '\t',
        )
      }),
    )
    .join('\n')
}

function aliasText({ aliases }: Description['entity']): string {
  return aliases.length > 0 ? `, also ${aliases.map(plainLine).join(', ')}` : ''
}

function mentionText({ entity: { mentions }, total }: Description): string {
  const said = mentions === null ? '' : `, mentioned in ${countOf(mentions, 'memory', 'memories')}`
  return `${countOf(total, 'fact')}${said}`
}

interface LineStyle {
  colors: Colors
  width: number
  /** Name of the project; empty if all is of one. */
  project: string
}

/** Cuts the fact, so that its date and source always have room. */
function factLine(aspect: string, fact: DescribedFact, { colors, width, project }: LineStyle): string {
  const { text, status, former, sources } = fact
  const [source] = sources
  const before = former[0] ? ` (was ${plainLine(former[0].value)})` : ''
  const open = status === 'contested' ? ' (contradicted: memory review)' : ''
  const id = source ? `${sourceText(source.kind)}${shortId(source.id)}` : ''
  const more = sources.length > 1 ? ` +${sources.length - 1}` : ''
  const end = `${placeText(project)}${sinceText(fact)}  ${id}${more}`
  const room = Math.max(20, width - displayWidth(end) - 2)
  return `${aspect}  ${clipText(plainLine(text) + before + open, room)}  ${colors.dim(end)}`
}

function placeText(project: string): string {
  return project === '' ? '' : `in ${plainLine(project)}  `
}

function sourceText(kind: string): string {
  return kind === 'memory' ? '' : `${labelOf('evidenceSource', kind)} `
}

/** A fact that ends has its period: `../2026-03-03`. */
function sinceOf({ since, until, notedAt }: DescribedFact): string {
  if (until !== null) return `${since?.slice(0, 10) ?? '..'}/${lastDay(until)}`
  return (since ?? notedAt).slice(0, 10)
}

function mentionLine(
  { id, at, text }: Description['mentions'][number],
  { colors, width, project }: LineStyle,
): string {
  const end = `${placeText(project)}${at.slice(0, 10)}  ${shortId(id)}`
  return `${clipText(plainLine(text), Math.max(20, width - displayWidth(end) - 2))}  ${colors.dim(end)}`
}
