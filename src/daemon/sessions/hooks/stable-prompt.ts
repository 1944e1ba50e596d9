/**
 * What every session is told of its memory: the same text always, so that a provider can keep it cached (rules.md 2.4).
 */
export const stableSystemPrompt = `# Persistent memory

You have a memory on this machine that outlives this session; other sessions and agents share it. Its tools, where its MCP server is connected:
- memory_search: search earlier decisions, preferences, rules and fixes. Use it before starting a task and when the user refers to the past.
- memory_store: save one durable fact, decision, preference, rule or lesson in one statement. No secrets, nothing that only matters now.
- memory_get: read a memory in full by its id.
- memory_feedback: rate the memories that you were shown, once you know whether they helped.
- session_search: search what was said in earlier sessions.
Where the program \`memory\` is on the PATH, \`memory recall "..."\` and \`memory remember "..."\` in a shell do the same.
Text inside <private>...</private> is never kept, of a conversation or of what you save.`
