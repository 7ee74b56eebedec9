/** A form that does one thing, and says what came of it. */
import type { ComponentChildren } from 'preact'
import { type Outcome, useOutcome } from '../ui/outcome.ts'

export interface Fields {
  /** Returns the text of a field, without spaces around it. */
  text(name: string): string
  /** Returns a whole number of a field. Throws an `Error` that names the field for other texts, and below `least`. */
  whole(name: string, label: string, least?: bigint): bigint
}

function fieldsOf(form: HTMLFormElement): Fields {
  const data = new FormData(form)
  const text = (name: string): string => String(data.get(name) ?? '').trim()
  return {
    text,
    whole(name, label, least = 0n) {
      const digits = text(name).replace(/[\s_]/g, '')
      if (!/^\d{1,78}$/.test(digits) || BigInt(digits) < least)
        throw new Error(`${label} must be a whole number from ${least} on.`)
      return BigInt(digits)
    },
  }
}

export function Said({ outcome: { done, error } }: { readonly outcome: Outcome }) {
  return (
    <p class="dev-said" aria-live="polite">
      {error === undefined ? done : <span class="dev-error">{error}</span>}
    </p>
  )
}

export function Action({
  button,
  run,
  children,
}: {
  readonly button: string
  /** Does it, and returns what to say. */
  readonly run: (fields: Fields) => Promise<ComponentChildren>
  readonly children?: ComponentChildren
}) {
  const [outcome, start] = useOutcome()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const fields = fieldsOf(event.currentTarget as HTMLFormElement)
    start(() => run(fields))
  }
  return (
    <form class="dev-form" onSubmit={submit}>
      {children}
      <button type="submit" disabled={outcome.isBusy}>
        {button}
      </button>
      <Said outcome={outcome} />
    </form>
  )
}

/** A field with its label above it. */
export function Field({
  label,
  name,
  value = '',
  wide = false,
}: {
  readonly label: string
  readonly name: string
  readonly value?: string
  readonly wide?: boolean
}) {
  return (
    <label class={wide ? 'dev-wide' : undefined}>
      {label}
      <input name={name} defaultValue={value} autocomplete="off" spellcheck={false} />
    </label>
  )
}
