/**
 * Events have numbers in the order in which they were written, by which it is known which were counted and sent: clocks
 * may go back. What they tell is counted by hour and day, so that nobody reads them all to tell it.
 */
export const telemetryCounts = `
CREATE TABLE telemetry_numbered (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event TEXT NOT NULL,
  at TEXT NOT NULL,
  properties TEXT NOT NULL
);
INSERT INTO telemetry_numbered (event, at, properties)
  SELECT event, at, properties FROM telemetry_events ORDER BY at, id;
DROP TABLE telemetry_events;
ALTER TABLE telemetry_numbered RENAME TO telemetry_events;
CREATE INDEX telemetry_events_at ON telemetry_events (at, id);
CREATE INDEX telemetry_events_event ON telemetry_events (event, at, id);

CREATE TABLE telemetry_counts (
  span TEXT NOT NULL,
  period TEXT NOT NULL,
  counter TEXT NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (span, period, counter)
) WITHOUT ROWID;
`
