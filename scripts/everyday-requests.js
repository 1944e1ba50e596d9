const hook = (name, event, fields) => [
  'POST',
  `/api/hooks/harness/claude-code/${name}`,
  { session_id: 'build', cwd: '/nowhere', hook_event_name: event, ...fields },
]

const recall = query => ['POST', '/api/memory/recall', { query }]

const contents = [
  'the build makes a code cache of the daemon',
  'a start of the daemon reads its program from the code cache',
  'we decided on 2026-03-02 that releases are built on Fridays',
  'the tests of the release run in a container of their own',
  'prefer short functions and plain words in this project',
  'the index of words lives in memory and is saved as a snapshot',
  'recalls are ranked by words, by meaning and by how new a memory is',
  'the harbour crane stops at noon because its timer is wrong',
]

/**
 * Frequent requests, mostly from agents: the code cache contains the functions they use. They include recalls
 * with several hits, an unknown word, and a time.
 */
export const everydayRequests = [
  hook('session-start', 'SessionStart', { source: 'startup' }),
  ...contents.map(content => ['POST', '/api/memory/remember', { content }]),
  recall('code cache of the daemon'),
  recall('why does the harbor crane stop?'),
  recall('what did we decide about releases last week'),
  hook('user-prompt-submit', 'UserPromptSubmit', { prompt: 'why does the harbour crane stop at noon?' }),
  hook('notifications', 'PreToolUse', { tool_name: 'Bash', tool_input: { command: 'npm test' } }),
  hook('session-checkpoint-extract', 'Stop', { last_assistant_message: 'Its timer is wrong.' }),
  ['GET', '/api/memories'],
  ['GET', '/api/status'],
  hook('session-end', 'SessionEnd', { reason: 'other' }),
]
