/** What was asked of a language model, by day and use: limits of a day hold across restarts. */
export const inferenceUsage = `
CREATE TABLE inference_usage (
  day TEXT NOT NULL,
  purpose TEXT NOT NULL,
  calls INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  counted_tokens INTEGER NOT NULL,
  cost REAL NOT NULL,
  unpriced_calls INTEGER NOT NULL,
  PRIMARY KEY (day, purpose)
) WITHOUT ROWID;
`
