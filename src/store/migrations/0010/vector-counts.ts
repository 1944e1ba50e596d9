/** Counts the vectors of each model in `meta`, and keeps the counts. */
export const countingOfVectors = `
INSERT INTO meta (key, value)
  SELECT 'vectors ' || provider || ' ' || model, CAST(count(*) AS TEXT) FROM memory_vectors GROUP BY provider, model;
CREATE TRIGGER memory_vectors_added AFTER INSERT ON memory_vectors
BEGIN
  INSERT INTO meta (key, value) VALUES ('vectors ' || NEW.provider || ' ' || NEW.model, '1')
  ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1;
END;
CREATE TRIGGER memory_vectors_removed AFTER DELETE ON memory_vectors
BEGIN
  UPDATE meta SET value = CAST(value AS INTEGER) - 1 WHERE key = 'vectors ' || OLD.provider || ' ' || OLD.model;
END;
CREATE TRIGGER memory_vectors_replaced AFTER UPDATE OF provider, model ON memory_vectors
  WHEN OLD.provider <> NEW.provider OR OLD.model <> NEW.model
BEGIN
  UPDATE meta SET value = CAST(value AS INTEGER) - 1 WHERE key = 'vectors ' || OLD.provider || ' ' || OLD.model;
  INSERT INTO meta (key, value) VALUES ('vectors ' || NEW.provider || ' ' || NEW.model, '1')
  ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1;
END;
`

/** How many vectors each model made, kept in a page that every save writes anyway. */
export const vectorCounts = `
DROP INDEX memory_vectors_model;
${countingOfVectors}`
