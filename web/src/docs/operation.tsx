/** One operation: description, a form for its parameters, the answer of this node, errors, and clients. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { ApiError } from '../api/ask.ts'
import { blockTag, useHeight } from '../api/height.ts'
import type { Question } from '../api/question.ts'
import { Panel } from '../ask/panel.tsx'
import { Failure, Skeleton } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { Copy } from '../ui/values.tsx'
import type { Operation, Schema } from './catalog.ts'
import { FieldList, resolve } from './fields.tsx'
import { ParameterForm } from './parameters.tsx'
import { asksItself, questionOf, send, type Values } from './request.ts'
import { firstValue, type Samples } from './samples.ts'

/** Returns a body with the fields that are not replaced by others. */
function bodyOf(schema: Schema | undefined, schemas: Readonly<Record<string, Schema>>): string {
  const fields = Object.entries(resolve(schema, schemas)?.properties ?? {})
  const texts = fields.filter(([, field]) => [field.type].flat().includes('string'))
  const chosen = texts.map(([name, { example }]) => [name, example ?? ''] as const)
  return JSON.stringify(Object.fromEntries(chosen), null, 2)
}

interface Answer {
  readonly value?: unknown
  readonly error?: Error
  readonly isLoading: boolean
}

/** Length from which an answer is cut off on the page. Unit: characters. */
const LONGEST_SHOWN = 200_000

export function OperationView({
  operation,
  schemas,
  samples,
}: {
  readonly operation: Operation
  readonly schemas: Readonly<Record<string, Schema>>
  readonly samples: Samples
}) {
  const height = useHeight()
  const block = blockTag(height)
  const initial = useMemo(
    () => Object.fromEntries(operation.parameters.map((one) => [one.name, firstValue(operation, one, samples, block)])),
    [],
  )
  const [values, setValues] = useState<Values>(initial)
  const [body, setBody] = useState(() => bodyOf(operation.body, schemas))
  const [answer, setAnswer] = useState<Answer>({ isLoading: false })
  const question = useMemo(() => questionOf(operation, values), [operation, values])
  const run = (): void => {
    setAnswer((old) => ({ ...old, isLoading: true }))
    send(operation, question, body, height).then(
      (value) => setAnswer({ value, isLoading: false }),
      (error: Error) => setAnswer({ error, isLoading: false }),
    )
  }
  useEffect(() => {
    // A block that the form names follows the height of the page.
    const blocks = operation.parameters.filter(({ schema }) => schema.title?.startsWith('block:'))
    if (blocks.length === 0) return
    setValues((old) => ({ ...old, ...Object.fromEntries(blocks.map(({ name }) => [name, block])) }))
  }, [block])
  useEffect(() => {
    if (asksItself(operation)) run()
  }, [height])
  const hasBody = operation.protocol === 'REST' && operation.verb === 'POST'
  return (
    <>
      <Section title={operation.id.replace(/^engine\//, '')}>
        <p class="docs-path">
          <span class="tag">{operation.protocol === 'REST' ? operation.verb : operation.protocol}</span>{' '}
          <code>{operation.title}</code>
        </p>
        <p>{operation.text}</p>
        {operation.aliases.map((alias) => (
          <p key={alias}>
            Alias, as clients of the inherited API spell it: <code>{alias}</code>
          </p>
        ))}
        <form
          onSubmit={(event) => {
            event.preventDefault()
            run()
          }}
        >
          <ParameterForm
            operation={operation}
            values={values}
            onChange={(name, value) => setValues((old) => ({ ...old, [name]: value }))}
          />
          {hasBody && (
            <label class="docs-body">
              Body, JSON
              <textarea rows={4} value={body} onInput={(event) => setBody(event.currentTarget.value)} />
            </label>
          )}
          <p class="docs-run">
            <button type="submit" class="docs-button">
              Run
            </button>{' '}
            <span class="muted">
              {operation.isTimed && (height === undefined ? 'at the latest height' : `at height ${height}`)}
            </span>
          </p>
        </form>
      </Section>
      <AnswerSection answer={answer} />
      <Section title="The same from elsewhere">
        {hasBody ? <PostSnippet question={question} body={body} /> : <Panel question={question} height={height} />}
      </Section>
      <div class="cards">
        <Errors operation={operation} />
        <FieldList title="Fields of the answer" schema={operation.answer} schemas={schemas} />
        {hasBody && <FieldList title="Fields of the body" schema={operation.body} schemas={schemas} />}
      </div>
    </>
  )
}

function AnswerSection({ answer: { value, error, isLoading } }: { readonly answer: Answer }) {
  const text = useMemo(() => (value === undefined ? '' : JSON.stringify(value, null, 2)), [value])
  const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}\n…` : text
  return (
    <Section title="Answer of this node" actions={text !== '' && <Copy text={text} label="the answer" />}>
      <div class="docs-answer" aria-live="polite" aria-busy={isLoading}>
        {error ? (
          <>
            <Failure error={error} />
            {error instanceof ApiError && (
              <p class="muted">
                status {error.status}
                {error.code !== undefined && `, code ${error.code}`}
              </p>
            )}
          </>
        ) : value === undefined ? (
          isLoading ? (
            <Skeleton lines={6} />
          ) : (
            <p class="muted">Run the operation to see the answer.</p>
          )
        ) : (
          // A list that scrolls is reached by keyboard only if it takes the focus.
          // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
          <pre tabIndex={0}>{shown}</pre>
        )}
      </div>
    </Section>
  )
}

function PostSnippet({ question, body }: { readonly question: Question; readonly body: string }) {
  const path = question.kind === 'rest' ? question.path : ''
  const text = `curl -s ${location.origin}${path} -H 'content-type: application/json' \\\n  -d '${body.replaceAll("'", `'\\''`)}'`
  return (
    <div class="how-text">
      <pre>{text}</pre>
      <Copy text={text} label="for curl" />
    </div>
  )
}

function Errors({ operation: { errors } }: { readonly operation: Operation }) {
  if (errors.length === 0) return null
  return (
    <Section title="Errors">
      <dl class="facts">
        {errors.map(({ code, text }) => (
          <div class="fact" key={code}>
            <dt>{code}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
