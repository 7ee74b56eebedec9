/** Secrets in records of the log: values of fields with such names, and texts that contain a mnemonic or a named secret. */
import { wordlist } from '@scure/bip39/wordlists/english.js'

const HIDDEN = '[hidden]'
const SECRET_NAME = /mnemonic|private_?key|pass(?:word|phrase)|secret/i
/** Named secrets in a text: `private_key=…`, `"passphrase": "…"`. */
const NAMED =
  /((?:mnemonic|private[_ -]?key|pass(?:word|phrase)|secret)["']?\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"',;}]+)/gi
/** At least twelve words of the lengths that BIP-39 has. */
const WORDS = /\b[a-z]{3,8}(?:\s+[a-z]{3,8}){11,}\b/g
/** Words of the shortest mnemonic. */
const SHORTEST = 12

let known: ReadonlySet<string> | undefined

/** Hides the words of a mnemonic within a sequence of words: twelve or more of the list in a row. */
function hideMnemonic(words: string): string {
  known ??= new Set(wordlist)
  const shown: string[] = []
  let run: string[] = []
  const endRun = (): void => {
    shown.push(...(run.length >= SHORTEST ? [HIDDEN] : run))
    run = []
  }
  for (const word of words.split(/\s+/)) {
    if (known.has(word)) run.push(word)
    else {
      endRun()
      shown.push(word)
    }
  }
  endRun()
  return shown.includes(HIDDEN) ? shown.join(' ') : words
}

/** Returns a text without the secrets that can be recognised in it. */
export function hideInText(text: string): string {
  return text.replace(NAMED, `$1${HIDDEN}`).replace(WORDS, hideMnemonic)
}

/** Returns what the log shows of the value of a field, which can be part of another. */
export function hideValue(name: string, value: unknown): unknown {
  if (SECRET_NAME.test(name) && value !== undefined) return HIDDEN
  return typeof value === 'string' ? hideInText(value) : value
}

/** Returns the fields of a record without secrets in names and texts. */
export function hideFields(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const shown = Object.entries(fields).map(([name, value]) => [name, hideValue(name, value)] as const)
  return Object.fromEntries(shown)
}
