/** The states of an answer: loading, failed, empty, there. One component, so that they look alike on every page. */
import type { ComponentChildren, JSX } from 'preact'
import { ApiError } from '../api/ask.ts'
import type { Load } from '../api/load.ts'

/** Shows a failure in words, with what the node said. */
export function Failure({ error }: { readonly error: Error }) {
  const status = error instanceof ApiError ? error.status : undefined
  const title = status === 0 ? 'The node is offline' : status === 404 ? 'Not found' : 'This could not be shown'
  return (
    <div class="state state-error" role="alert">
      <strong>{title}</strong>
      <p>{error.message}</p>
    </div>
  )
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="state state-empty">{children}</div>
}

/** Takes the place of what is loading, with the given number of lines, so that the layout does not jump. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} />
      ))}
    </div>
  )
}

/** Takes the place of what is loading with the same content, unseen, so that the layout does not jump at any width. */
function Blank({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="blank" role="status" aria-label="Loading">
      <div aria-hidden="true" inert>
        {children}
      </div>
    </div>
  )
}

/** Shows an answer in its present state. The previous answer stays while the next one is asked. */
export function Loaded<Value>({
  of: { value, error },
  empty,
  isEmpty,
  lines,
  like,
  children,
}: {
  readonly of: Load<Value>
  /** Text for an answer without content, with the test for it. */
  readonly empty?: string
  readonly isEmpty?: (value: Value) => boolean
  /** Height of the place while it loads. Unit: lines. */
  readonly lines?: number
  /** An answer of the usual size, which takes the place while it loads; `lines` does otherwise. */
  readonly like?: Value
  readonly children: (value: Value) => ComponentChildren
}): JSX.Element {
  if (error) return <Failure error={error} />
  if (value === undefined) {
    return like === undefined ? <Skeleton lines={lines ?? 3} /> : <Blank>{children(like)}</Blank>
  }
  if (empty !== undefined && isEmpty?.(value)) return <Empty>{empty}</Empty>
  return <>{children(value)}</>
}
