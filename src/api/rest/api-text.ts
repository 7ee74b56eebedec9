/** The list of operations as Markdown, for programs and for people without a browser. */
import type { Json } from './openapi-schemas.ts'

interface Described {
  readonly summary: string
  readonly tags: readonly string[]
  readonly 'x-alias-of'?: string
}

/** Returns the operations of an OpenAPI description by service, one on each line. */
export function apiText({ paths, info }: Json): string {
  const services = new Map<string, string[]>()
  for (const [path, verbs] of Object.entries(paths as Record<string, Record<string, Described>>)) {
    for (const [verb, { tags, summary, 'x-alias-of': right }] of Object.entries(verbs)) {
      const lines = services.get(tags[0]!) ?? []
      services.set(tags[0]!, lines)
      lines.push(`- \`${verb.toUpperCase()} ${path}\`: ${right === undefined ? summary : `alias of \`${right}\``}`)
    }
  }
  const { title, description } = info as { readonly title: string; readonly description: string }
  return [
    `# ${title}`,
    `${description} \`/openapi.json\` and \`/openrpc.json\` describe parameters, answers and errors. A browser shows the same here.`,
    ...[...services].map(([service, lines]) => `## ${service}\n\n${lines.join('\n')}`),
    '',
  ].join('\n\n')
}
