/** Things that agents store and nobody wants to read again; `{n}` is a number, the rest words of the team. */
export const trivia: readonly string[] = [
  'Ran the tests of the {thing}: {n} passed, none failed.',
  'Read {file} from line {n} on.',
  'The {thing} was opened {n} times today.',
  '{person} was out for lunch when build {n} ended.',
  'Renamed a variable in {file} in commit {n}.',
  'Build {n} of the {thing} took longer than the one before.',
  'Looked at the {thing} together with {person}, nothing new, ticket {n}.',
  '{file} has {n} lines now.',
  'The formatter changed {n} lines of {file}.',
  'Moved ticket {n} about the {thing} to the next column.',
  '{person} asked for the link to page {n} of the {thing}.',
  'Installed {n} packages before working on {file}.',
  'The {thing} looked the same on run {n}.',
  '{person} reviewed {n} lines of {file} this morning.',
  'Opened {file} and closed it again after {n} seconds.',
  'Job {n} of the {thing} waited for a free runner.',
  'Rebased the branch of the {thing} on {n} commits.',
  'Copied {n} kilobytes from {file} into a scratch file.',
]

export const decisionsMade: readonly string[] = [
  'Named the new variable in {file} after ticket {n}.',
  'Put the helper of the {thing} below line {n} of {file}.',
  'Chose {n} as the seed of a test in {file}.',
]

export const issuesSolved: readonly string[] = [
  'The test of the {thing} failed once in run {n} and passed after a retry.',
  'A typing error in {file} broke build {n}, fixed at once.',
  'The linter complained about line {n} of {file}; solved.',
]

export const learned: readonly string[] = [
  'In {file} the word {thing} is on line {n}.',
  '{person} uses shortcut {n} to open the {thing}.',
  'Searching {file} for the {thing} gives {n} hits.',
]

export const lifeOutside: readonly string[] = [
  'The bus at stop {n} was late.',
  'Room {n} has a new coffee machine.',
  '{person} sits on floor {n} this week.',
  'Parcel {n} was left at the reception.',
]

export const otherRules: readonly string[] = [
  'Every invoice of client {n} needs a stamp.',
  'Never restart printer {n} during the day.',
  'Ask the office before you change page {n} of the handbook.',
]

/** Sessions without substance: the request and the answer. */
export const talk: readonly (readonly [asked: string, answered: string])[] = [
  ['hi', 'Hello! How can I help?'],
  ['thanks', 'You are welcome.'],
  ['ok', 'Good. Tell me when you want to go on.'],
  ['hello', 'Hello! What shall we do today?'],
  ['go on', 'There is nothing left to do.'],
  ['run the tests again', 'All of them pass.'],
]

/** Prompts about things that no software project's log answers. */
export const foreignPrompts: readonly string[] = [
  'How long do I boil eggs for a soft yolk?',
  'Write a birthday poem for my aunt, who loves gardening',
  'Which trees lose their leaves first in autumn?',
  'Plan a weekend in Lisbon with two children',
  'Explain why the moon looks bigger near the horizon',
  'What should I feed a hedgehog in my garden?',
  'Translate "where is the railway station" into Hungarian',
  'Compare the rules of rugby and football for a beginner',
  'How do I remove red wine from a wool carpet?',
  'Suggest three names for a sailing boat',
  'Who painted the ceiling of the Sistine Chapel?',
  'Draft a letter to my landlord about the broken heating',
  'How far is Jupiter from the sun?',
  'Give me a recipe for lentil soup without onions',
  'What do I pack for a hike in Norway in May?',
  'Explain photosynthesis to a ten year old',
  'Which muscles does rowing train?',
  'How do I tune a ukulele by ear?',
  'Tell me about the history of the Hanseatic League',
  'Which bread flour has the most protein?',
]
