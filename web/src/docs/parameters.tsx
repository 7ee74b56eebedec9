/** The form of an operation: each parameter with its type, unit, meaning and example. */
import { useId } from 'preact/hooks'
import type { Operation, Parameter } from './catalog.ts'
import type { Values } from './request.ts'

interface FormProps {
  readonly operation: Operation
  readonly values: Values
  readonly onChange: (name: string, value: string) => void
}

export function ParameterForm({ operation, values, onChange }: FormProps) {
  if (operation.parameters.length === 0) return <p class="muted">It has no parameters.</p>
  return (
    <dl class="docs-parameters">
      {operation.parameters.map((parameter) => (
        <Field
          key={parameter.name}
          parameter={parameter}
          value={values[parameter.name] ?? ''}
          onChange={(value) => onChange(parameter.name, value)}
        />
      ))}
    </dl>
  )
}

function Field({
  parameter,
  value,
  onChange,
}: {
  readonly parameter: Parameter
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const id = useId()
  const { name, type, text, unit, example, required, schema } = parameter
  const shownExample =
    example === undefined || example === null
      ? undefined
      : typeof example === 'string'
        ? example
        : JSON.stringify(example)
  const choices = schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined)
  return (
    <div class="docs-parameter">
      <dt>
        <label for={id}>{name}</label>
        {required && <span class="tag">required</span>}
        <span class="muted">{type}</span>
        {unit && <span class="muted">unit: {unit}</span>}
      </dt>
      <dd>
        {choices ? (
          <select
            id={id}
            value={value}
            aria-describedby={`${id}-text`}
            onChange={(event) => onChange(event.currentTarget.value)}
          >
            <option value="">not set</option>
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {choice}
              </option>
            ))}
          </select>
        ) : (
          <input
            id={id}
            type="text"
            value={value}
            spellcheck={false}
            autocomplete="off"
            aria-describedby={`${id}-text`}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        )}
        <p id={`${id}-text`}>
          {text}
          {shownExample && (
            <>
              {' '}
              Example: <code>{shownExample}</code>
            </>
          )}
        </p>
      </dd>
    </div>
  )
}
