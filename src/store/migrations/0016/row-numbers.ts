/** Ends of ids are at random places of an index, so a save writes none: the index of ids is walked for them. */
export const rowNumbers = `
DROP INDEX memories_id_end;
`
