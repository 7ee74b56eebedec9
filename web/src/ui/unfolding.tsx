/** Details whose content is drawn once they are opened: most stay closed. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

export function Unfolding({
  summary,
  isOpen = false,
  children,
}: {
  readonly summary: ComponentChildren
  /** Whether they are open at first, or must be open. */
  readonly isOpen?: boolean
  readonly children: () => ComponentChildren
}) {
  const [wasOpened, setOpened] = useState(isOpen)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => currentTarget.open && setOpened(true)}>
      <summary>{summary}</summary>
      {(isOpen || wasOpened) && children()}
    </details>
  )
}
