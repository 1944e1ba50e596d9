/** The agent of a task over the Agent Client Protocol, and its permissions (tasks.md#any-agent-over-acp). */
export const taskAgents = `
ALTER TABLE scheduled_tasks ADD COLUMN acp_command TEXT;
ALTER TABLE scheduled_tasks ADD COLUMN acp_permissions TEXT;
`
