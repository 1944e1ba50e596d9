/** Events are listed by time and by their name. */
export const telemetry = `
DROP INDEX telemetry_events_at;
CREATE INDEX telemetry_events_at ON telemetry_events (at, id);
CREATE INDEX telemetry_events_event ON telemetry_events (event, at, id);
`
