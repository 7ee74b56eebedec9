/** Text of others, such as memos and names, for a terminal or a log. */

/**
 * Characters that steer a terminal or change the order of what is shown: control characters but tab and newline, and marks of
 * direction.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for.
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Replaces each character that steers a terminal with its escape, as in JSON: `\u001b`. */
export const visibleText = (text: string): string => text.replace(STEERING, escapeOf)

/** Returns whether a text has such characters. */
export const isVisible = (text: string): boolean => text.search(STEERING) < 0

/** A word that is too long for an error, which can quote any input. */
const LONG_WORD = /\S{257,}/g
const SHOWN_CHARACTERS = 128

/** Cuts off words of more than 256 characters, and says how long they were. */
export const shortWords = (text: string): string =>
  text.replace(LONG_WORD, (word) => `${word.slice(0, SHOWN_CHARACTERS)}… (${word.length} characters)`)
