/** The output of commands: YAML for people, JSON for programs. */
import { stringify } from 'yaml'
import { queryError } from '../primitives/errors.ts'

export type OutputFormat = 'yaml' | 'json'

/** Parses the value of `--output`. `text` means YAML, as in the Cosmos SDK. Throws `invalidArgument` for an unknown format. */
export function parseOutputFormat(text: string): OutputFormat {
  if (text === 'text') return 'yaml'
  if (text !== 'yaml' && text !== 'json') throw queryError('invalidArgument', `--output ${text}: must be yaml or json`)
  return text
}

/** Formats a value, without a newline at the end. Strings that look like numbers are quoted, so they stay strings. */
export function formatOutput(value: unknown, format: OutputFormat): string {
  return format === 'json' ? JSON.stringify(value) : stringify(value, { lineWidth: 0 }).trimEnd()
}
