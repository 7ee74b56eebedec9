/** The fields of an answer or a body with their meaning: nested ones below each other. */
import { Section } from '../ui/section.tsx'
import { type Schema, typeName } from './catalog.ts'

interface Row {
  readonly path: string
  readonly type: string
  readonly text: string
}

/** Depth of nesting that is listed: blocks and transactions have more. */
const DEPTH = 3

/** Returns the schema that a reference names. */
export function resolve(schema: Schema | undefined, schemas: Readonly<Record<string, Schema>>): Schema | undefined {
  const name = schema?.$ref?.split('/').at(-1)
  return name === undefined ? schema : schemas[name]
}

/** Lists the fields below a schema. */
function rowsOf(schema: Schema | undefined, schemas: Readonly<Record<string, Schema>>, prefix = '', depth = 0): Row[] {
  const found = resolve(schema, schemas)
  return Object.entries(found?.properties ?? {}).flatMap(([name, field]) => {
    const isList = field.type === 'array'
    const path = `${prefix}${name}${isList ? '[]' : ''}`
    const row = { path, type: typeName(field), text: field.description ?? '' }
    const below = depth < DEPTH ? rowsOf(isList ? field.items : field, schemas, `${path}.`, depth + 1) : []
    return [row, ...below]
  })
}

export function FieldList({
  title,
  schema,
  schemas,
}: {
  readonly title: string
  readonly schema: Schema | undefined
  readonly schemas: Readonly<Record<string, Schema>>
}) {
  const rows = rowsOf(schema, schemas)
  if (rows.length === 0) return null
  return (
    <Section title={title}>
      <dl class="facts docs-fields">
        {rows.map(({ path, type, text }) => (
          <div class="fact" key={path}>
            <dt>
              <code>{path}</code> <span class="muted">{type}</span>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
