/** The output of commands: YAML for people, JSON for programs. */
import { Document, visit } from 'yaml'
import { queryError } from '../primitives/errors.ts'
import { isVisible, visibleText } from '../primitives/visible-text.ts'

export type OutputFormat = 'yaml' | 'json'

/** Parses the value of `--output`. `text` means YAML, as in the Cosmos SDK. Throws `invalidArgument` for an unknown format. */
export function parseOutputFormat(text: string): OutputFormat {
  if (text === 'text') return 'yaml'
  if (text !== 'yaml' && text !== 'json') throw queryError('invalidArgument', `--output ${text}: must be yaml or json`)
  return text
}

/**
 * Formats a value, without a newline at the end. Strings that look like numbers are quoted, so they stay strings. Characters that
 * steer a terminal are escaped, within quotes.
 */
export function formatOutput(value: unknown, format: OutputFormat): string {
  if (format === 'json') return visibleText(JSON.stringify(value))
  const document = new Document(value)
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && !isVisible(node.value)) node.type = 'QUOTE_DOUBLE'
    },
  })
  return visibleText(document.toString({ lineWidth: 0 })).trimEnd()
}
