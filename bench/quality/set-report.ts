import type { SetQuality, SystemQuality } from './measure-set.js'
import { metricNames } from './metrics.js'
import { inPoints } from './paired.js'
import { markdownTable, percent } from './table.js'

/** @returns the lines of one set: scores of all systems, then the product's lead over each */
export function setReport({ name, rows, questions, systems }: SetQuality): string[] {
  const lines = [
    '',
    `### ${name}: ${rows} rows, ${questions} questions, percent`,
    '',
    ...systemsTable(systems, 'overall', 'ahead'),
  ]
  if (!systems[0]?.byUnit) return lines
  return [
    ...lines,
    '',
    'A message and its reply counted as one:',
    '',
    ...systemsTable(systems, 'byUnit', 'aheadByUnit'),
  ]
}

function systemsTable(
  systems: readonly SystemQuality[],
  means: 'overall' | 'byUnit',
  differences: 'ahead' | 'aheadByUnit',
): string[] {
  const compared = systems.filter(system => system[differences])
  return [
    ...markdownTable(
      ['system', ...metricNames, 'query ms'],
      systems.map(system => [
        system.system,
        ...metricNames.map(metric => system[means]![metric].toFixed(1)),
        String(system.queryMs ?? ''),
      ]),
    ),
    '',
    ...markdownTable(
      [`${systems[0]?.system} minus`, ...metricNames],
      compared.map(system => [
        system.system,
        ...metricNames.map(metric => inPoints(system[differences]![metric])),
      ]),
    ),
  ]
}

/** @returns a table of results for questions without an answer, one row for each set */
export function noAnswerReport(sets: readonly SetQuality[]): string[] {
  return markdownTable(
    [
      'no answer',
      'foreign asked',
      'nothing for foreign %',
      'R@10 lost to the cut-off',
      'own with nothing',
      'AUC',
      'rows mean, median',
      'own unanswerable',
      'nothing for these %',
    ],
    sets.map(({ name, noAnswer }) => [
      name,
      String(noAnswer.foreign),
      shareOf(noAnswer.foreignNothing, noAnswer.foreign),
      percent(noAnswer.lost),
      String(noAnswer.ownNothing),
      noAnswer.foreign > 0 ? noAnswer.auc.toFixed(3) : '',
      `${noAnswer.rows.mean.toFixed(1)}, ${noAnswer.rows.median}`,
      String(noAnswer.unanswerable),
      shareOf(noAnswer.unanswerableNothing, noAnswer.unanswerable),
    ]),
  )
}

const shareOf = (share: number, count: number): string => (count > 0 ? percent(share) : '')
