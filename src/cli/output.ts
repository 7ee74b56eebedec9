/** How commands show data: YAML for people, JSON for programs. */
import { stringify } from 'yaml'
import { queryError } from '../primitives/errors.ts'

export type OutputFormat = 'yaml' | 'json'

/** `text` is what other command lines of this family call YAML. Throws `invalidArgument` for any other word. */
export function parseOutputFormat(text: string): OutputFormat {
  if (text === 'text') return 'yaml'
  if (text !== 'yaml' && text !== 'json') throw queryError('invalidArgument', `--output ${text}: must be yaml or json`)
  return text
}

/** Without a newline at the end. Texts that look like numbers stay texts. */
export function formatOutput(value: unknown, format: OutputFormat): string {
  return format === 'json' ? JSON.stringify(value) : stringify(value, { lineWidth: 0 }).trimEnd()
}
