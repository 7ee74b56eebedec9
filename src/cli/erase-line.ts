/** Erases the line of the cursor on a terminal, where a bar can stand. */
export const ERASE_LINE = '\r\u001b[2K'
